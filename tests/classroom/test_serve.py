"""The site's server: the types that WebAssembly and modules need, and clear words where there is nothing to serve."""

import threading
import urllib.request

import pytest

from mcmteach.classroom.serve import server
from mcmteach.errors import InvalidInputError


def test_files_come_with_their_types(tmp_path):
    for name in ("index.html", "a.wasm", "a.mjs", "a.whl"):
        (tmp_path / name).write_text("x")
    with server(tmp_path) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        answers = {}
        for name in ("", "a.wasm", "a.mjs", "a.whl"):
            with urllib.request.urlopen(f"http://127.0.0.1:{site.server_port}/{name}", timeout=60) as answer:
                answers[name] = (answer.headers["Content-Type"], answer.headers["Cache-Control"])
        site.shutdown()
    types = {"": "text/html", "a.wasm": "application/wasm", "a.mjs": "text/javascript", "a.whl": "application/zip"}
    assert answers == {name: (kind, "no-cache") for name, kind in types.items()}


def test_a_browser_that_goes_away_is_not_told_of(tmp_path, capsys):
    (tmp_path / "index.html").write_text("x")
    with server(tmp_path) as site:
        for problem in (ConnectionResetError(104, "reset"), BrokenPipeError(32, "broken pipe"), ValueError("a fault")):
            try:
                raise problem
            except (OSError, ValueError):
                site.handle_error(None, ("127.0.0.1", 1))
    said = capsys.readouterr().err
    assert "ValueError: a fault" in said and "reset" not in said and "broken" not in said


def test_a_folder_without_a_site_and_a_port_in_use(tmp_path):
    with pytest.raises(InvalidInputError, match="make site"):
        server(tmp_path)
    (tmp_path / "index.html").write_text("x")
    with server(tmp_path) as site, pytest.raises(InvalidInputError, match="another --port"):
        server(tmp_path, port=site.server_port)
