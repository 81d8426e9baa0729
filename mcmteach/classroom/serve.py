"""``python -m mcmteach serve``: the built site on this computer, for oneself or for a classroom."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from mcmteach.errors import InvalidInputError


class SiteHandler(SimpleHTTPRequestHandler):
    """Files with the types and headers that Python in a browser needs, as any server of static files can give them.

    WebAssembly and modules run only under their own types. ``no-cache`` makes the browser ask whether a file has changed, and
    take its own copy where it has not. There are no Cross-Origin headers on purpose: they allow shared memory, and with it the
    kernel hung in some starts (the cause is not known). Without, it reads and writes files through the service worker.
    """

    protocol_version = "HTTP/1.1"
    extensions_map = {  # noqa: RUF012 - as the base class has it
        **SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
        ".whl": "application/zip",
        ".ipynb": "application/json",
        ".webmanifest": "application/manifest+json",
    }

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing: a page asks for a hundred files."""


class SiteServer(ThreadingHTTPServer):
    """A browser that closes its connection in the middle of a file is not an error to tell anybody of."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def server(folder: Path, host: str = "127.0.0.1", port: int = 0) -> ThreadingHTTPServer:
    """A server of the folder, which does not answer yet; port 0 is any that is free."""
    if not (folder / "index.html").is_file():
        raise InvalidInputError(f"There is no site in {folder}. Build one with `make site`, or name the folder of one.")
    try:
        return SiteServer((host, port), partial(SiteHandler, directory=str(folder)))
    except OSError as problem:
        raise InvalidInputError(
            f"Port {port} of {host} cannot be used ({problem.strerror}). Try another --port."
        ) from None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", nargs="?", type=Path, default=Path("build/site"), help="the built site (default: %(default)s)"
    )
    parser.add_argument("--port", type=int, default=8000, help="default: %(default)s; 0 is any that is free")
    parser.add_argument(
        "--host", default="127.0.0.1", help="default: %(default)s, this computer only; 0.0.0.0 is everybody in the network. "
        "Browsers let Python read and write files only on localhost or over https",
    )  # fmt: skip


def run(asked: argparse.Namespace) -> int:
    with server(asked.folder, asked.host, asked.port) as site:
        print(f"The site is on http://{asked.host}:{site.server_port}/  (Ctrl-C ends it)", flush=True)
        try:
            site.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0
