// In front of JupyterLite's service worker: what the laboratory has loaded once is kept, so that it opens without a network.
const PREFIX = "mcmteach-laboratory-", KEPT = PREFIX + "VERSION";

// A new version of the site waits until the last page of the old one is closed, so that no page gets files of both.
self.addEventListener("install", event => {
  if (self.registration.active) event.stopImmediatePropagation();
});

self.addEventListener("activate", event => event.waitUntil((async () => {
  const old = (await caches.keys()).filter(name => name.startsWith(PREFIX) && name !== KEPT);
  await Promise.all(old.map(name => caches.delete(name)));
})()));

self.addEventListener("fetch", event => {
  const {request} = event, {pathname} = new URL(request.url);
  // JupyterLab asks where a path in printed text leads ("3/s" holds one); there is no server that could know.
  if (pathname.endsWith("/api/resolvePath")) {
    event.stopImmediatePropagation();
    return event.respondWith(new Response(null, {status: 204}));
  }
  // JupyterLite answers these itself: files that Python reads and writes, input(), and whether it is awake
  if (request.method !== "GET" || /\/api\/(drive|stdin|service-worker-heartbeat)/.test(pathname)) return;
  if (pathname.includes("/pyodide/")) new BroadcastChannel("mcmteach-loading").postMessage(request.url);
  event.stopImmediatePropagation();
  event.respondWith(keptOrFetched(event));
});

async function keptOrFetched(event) {
  const {request} = event, kept = await caches.open(KEPT), found = await kept.match(request, {ignoreSearch: true});
  if (found) return found;
  const answer = await fetch(request);
  // Kept while the page reads it: WebAssembly is compiled as it arrives.
  if (answer.ok) event.waitUntil(kept.put(request, answer.clone()));
  return answer;
}
