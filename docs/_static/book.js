// A formula that is wider than the screen scrolls by itself: by keyboard, too.
(() => {
  const mark = () => {
    for (const formula of document.querySelectorAll('mjx-container[display="true"]'))
      formula.scrollWidth > formula.clientWidth ? formula.tabIndex = 0 : formula.removeAttribute("tabindex");
  };
  addEventListener("load", async () => { await window.MathJax?.startup?.promise; mark(); });
  addEventListener("resize", mark);
})();
