"""How a notebook becomes a page of the book, and a docstring an entry of its reference. ``docs/conf.py`` wires it to Sphinx."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from tools import house

ASKED = re.compile(r"^(Quiz|Predict)\(", re.M)
STATED = re.compile(
    r"^> \*\*(Theorem|Lemma) \((.+)\)\.\*\* (.*\n?(?:>.*\n?)*)", re.M
)  # as a notebook shows it: a quotation
LABORATORY = "../laboratory/lab/index.html?path="  # from a page in lessons/ or exercises/


def on_source_read(app: Any, docname: str, source: list[str]) -> None:
    """Sphinx's event: what it has read from a file, and may be changed before it is parsed."""
    path = Path(app.env.doc2path(docname))
    if path.suffix == ".ipynb":
        source[0] = json.dumps(as_page(json.loads(source[0]), f"{docname}.ipynb"))
    elif path.suffix == ".md":
        if docname == "lessons/EQUATIONS":
            source[0] = with_links(source[0])
        source[0] = within_the_book(source[0], path, {Path(app.env.doc2path(name)) for name in app.env.found_docs})


def within_the_book(text: str, path: Path, pages: set[Path]) -> str:
    """A page whose links to folders and to files of code are plain words: the book does not hold them."""

    def link(found: re.Match[str]) -> str:
        target = Path(os.path.normpath(path.parent / found[2]))
        return found[0] if target in pages or target.suffix == ".png" else found[1]

    text = re.sub(r"```mermaid\n.*?```\n", "", text, flags=re.S)
    return re.sub(r"(?<!!)\[((?:!\[[^]]*\]\([^)]*\)|[^]])*)\]\((?!\w+:|#)([^)#]+)(?:#[^)]*)?\)", link, text)


def with_links(ledger: str) -> str:
    """The ledger of equations, in which a function leads to its entry in the reference, and a topic to its lesson."""
    lessons = {path.stem[3:]: path.name for path in house.ROOT.glob("lessons/[0-9]*.ipynb")}
    ledger = re.sub(r"`(mcmteach\.[\w.]+)`", r"{py:obj}`\1`", ledger)
    return re.sub(
        r"\b\w+\b(?=[\w ]*\|$)", lambda m: f"[{m[0]}]({lessons[m[0]]})" if m[0] in lessons else m[0], ledger, flags=re.M
    )


def as_page(notebook: dict[str, Any], path: str) -> dict[str, Any]:
    """The notebook as the book shows it.

    Questions stand there without their answers (the code that makes one holds them, too), the output after a prediction is
    folded, every figure has the alternative text that its output carries, a theorem has a box, and a button opens the
    notebook in the laboratory.
    """
    cells, guessed = [], False
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            asks = ASKED.search("".join(cell["source"]))
            if asks:
                guessed = guessed or asks[1] == "Predict"
                cell = _question(cell)
            elif cell["outputs"]:
                cell, guessed = _shown(cell, folded=guessed), False
        else:
            cell = {**cell, "source": STATED.sub(_theorem, "".join(cell["source"]))}
        cells.append(cell)
    what = "lesson" if path.startswith("lessons/") else "exercise"
    links = f'<a class="run-lesson" href="{LABORATORY}{path}">Run this {what} in your browser</a>'
    if what == "lesson":
        links += f' <a href="../slides/{Path(path).stem}.html">Slides</a>'
    cells.insert(1, {"cell_type": "markdown", "id": "run-lesson", "metadata": {}, "source": f"<p>{links}</p>"})
    return {**notebook, "cells": cells}


def _question(cell: dict[str, Any]) -> dict[str, Any]:
    """What a quiz or a prediction asks, from its stored static form, without what it folds away."""
    stored = ("".join(output["data"]["text/html"]) for output in cell["outputs"])
    page = next(stored, "<p><b>A question waits here.</b></p>")  # in a lesson that was not run yet
    asked = re.sub(r"\s*<details>.*?</details>", "", page, flags=re.S)
    note = "<p><small>In the laboratory you can answer, and are told why.</small></p>"
    return {**cell, "cell_type": "markdown", "source": f'<div class="asked">{asked}{note}</div>', "metadata": {}}


def _theorem(found: re.Match[str]) -> str:
    """A theorem in a box of its own. It has no number but that of its source, by which the lessons call it."""
    said = re.sub(r"^> ?", "", found[3], flags=re.M).rstrip()
    label = re.sub(r"\W+", "-", found[2].lower()).strip("-")  # else sphinx-proof counts anew in every lesson, and warns
    return f":::{{prf:{found[1].lower()}}} {found[2]}\n:label: {label}\n:nonumber:\n\n{said}\n:::\n"


def _shown(cell: dict[str, Any], folded: bool) -> dict[str, Any]:
    alts = [about["alt"] for o in cell["outputs"] for about in o.get("metadata", {}).values() if "alt" in about]
    metadata = dict(cell["metadata"])
    if alts:
        metadata["mystnb"] = {"image": {"alt": " ".join(alts)}}
    if folded:
        metadata["tags"] = [*metadata.get("tags", []), "hide-output"]
        metadata["mystnb"] = {**metadata.get("mystnb", {}), "code_prompt_show": "Guessed? Show what comes out"}
    return {**cell, "metadata": metadata}


#: What the theme and myst-nb write, and what a screen reader needs: a name for every control, the same as the text one sees.
NAMES = {
    '<summary aria-label="Toggle hidden content">': "<summary>",
    '<summary><span class="toctree-toggle"': '<summary aria-label="more pages"><span class="toctree-toggle"',
}
#: In the text of a table's cell, not inside a tag.
LONG_NAME = re.compile(r"[\w./:]{13,}(?![^<>]*>)")


#: A formula in the contents beside a page that has no formula itself, and so loads nothing that sets it.
FORMULA = re.compile(r'<span class="math[^"]*">\\\((.*?)\\\)</span>')


def with_names(page: str) -> str:
    """A page of the book whose controls have names, and in whose tables a long name breaks at its dots and underscores."""
    if "/tex-chtml.js" not in page:
        page = FORMULA.sub(lambda formula: re.sub(r"_\{(.*?)\}", r"<sub>\1</sub>", formula[1]), page)
    for old, new in NAMES.items():
        page = page.replace(old, new)
    page = re.sub(r"<td.*?</td>", lambda cell: LONG_NAME.sub(_breaking, cell[0]), page, flags=re.S)
    return re.sub(r'(<button class="btn search-button-field[^>]*?) aria-label="Search"', r"\1", page)


def _breaking(name: re.Match[str]) -> str:
    return re.sub(r"(?<=[._/:])(?=[a-z])", "<wbr>", name[0])


# --- reference -----------------------------------------------------------------------------------------------------------


def write_reference(folder: Path) -> None:
    """A page per room of the house, its modules one after the other. What has not changed is not written again."""
    folder.mkdir(exist_ok=True)
    modules = house.read_package()
    packages = {name.rpartition(".")[0] for name in modules}  # they offer again what their modules define
    pages = {}
    for room in house.ROOMS:
        inside = sorted(name for name in set(modules) - packages if house.room_of(name) is room)
        if inside and room.name not in ("classroom", "command line", "front door"):
            parts = [_title(room.name, "="), room.says[0].upper() + room.says[1:] + "."]
            parts += [_title(name, "-") + f"\n\n.. automodule:: {name}" for name in inside]
            pages[room.name.replace(" ", "_")] = "\n\n".join(parts)
    listed = "\n   ".join(pages)
    pages["index"] = f"{_title('Reference', '=')}\n\nThe library, room by room.\n\n.. toctree::\n\n   {listed}"
    for name, text in pages.items():
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text(encoding="utf-8") != text + "\n":
            path.write_text(text + "\n", encoding="utf-8")


def _title(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}"


def on_docstring(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Sphinx's event: a docstring, which may be changed."""
    lines[:] = as_restructured("\n".join(lines)).split("\n")


def on_signature(
    app: Any, what: str, name: str, obj: Any, options: Any, signature: str | None, returns: str | None
) -> Any:
    """Sphinx's event: a signature, in which a type stands by the name that the source gives it."""
    return tuple(part and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", part) for part in (signature, returns))


def as_restructured(docstring: str) -> str:
    r"""A docstring of ours in reStructuredText: its formulas, its sections, and what is said of a parameter below its name.

    Examples
    --------
    >>> print(as_restructured("Parameters\n----------\nC, D : the prices \\(C_i\\) of |x_i|\n    and coef_"))
    .. rubric:: Parameters
    <BLANKLINE>
    C, D
        the prices :math:`C_i` of \|x_i\|
        and coef\_
    """
    text = re.sub(r"^\\\[(.+?)\\\]([.,;]?)", _display, docstring, flags=re.S | re.M)
    text = re.sub(r"\\\((.+?)\\\)", lambda m: f":math:`{' '.join(m[1].split())}`", text, flags=re.S)
    text = re.sub(r"^([A-Z]\w+)\n-+\n", r".. rubric:: \1\n\n", text, flags=re.M)
    return "\n\n".join(map(_block, text.split("\n\n")))


def _display(found: re.Match[str]) -> str:
    return f"\n.. math:: {' '.join(found[1].split())}{found[2]}\n"


def _block(block: str) -> str:
    if block.lstrip().startswith((">>>", "..", "=", "    ")):
        return block
    if re.match(r"[\w*]+(?:,\s[\w*]+)* : ", block):
        # names that go on in the next line stand in one
        block = re.sub(r"^[\w*]+(?:,\s[\w*]+)* : ", lambda m: m[0].replace("\n", " "), block, flags=re.M)
        block = re.sub(r"^([\w*]+(?:, [\w*]+)*) : ", r"\1\n    ", block, flags=re.M)
    plain = re.split(r"(``.+?``|:\w+:`.+?`)", block, flags=re.S)
    plain[::2] = [re.sub(r"\|", r"\\|", re.sub(r"(?<=\w)_(?!\w)", r"\\_", part)) for part in plain[::2]]
    return "".join(plain)
