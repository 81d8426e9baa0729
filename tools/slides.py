"""Lecture slides out of the lessons:  python -m tools.slides [lesson …]  writes a page per lesson into build/slides.

Cells are chosen by tags: ``slide`` begins a slide, ``same-slide`` joins the one before. The text of all other cells, and in
full what a slide shortens, is for the lecturer: it is in the notes (key N). Lessons are run again, so that their figures have
the pixels of a projector; ``--stored`` takes the outputs that are in the notebooks.

A deck is one file without any address in it: formulas are MathML, pictures are inside, and a short script (``slides.html``)
turns the pages. A slide is laid out at 1280 x 720 and scaled to the window; no text is set below LEAST pixels (long printed
lines: LEAST_PRINTED).
"""

from __future__ import annotations

import argparse
import base64
import re
import sys
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
from nbclient import NotebookClient

from mcmteach.classroom.feedback import typeset
from mcmteach.classroom.questions import Question, question_in
from mcmteach.errors import InvalidInputError
from tools.ledger import ROOT

FOLDER = ROOT / "build" / "slides"
TEMPLATE = Path(__file__).with_suffix(".html")
BEGINS, JOINS = "slide", "same-slide"
LEAST = 24  # pixels of 720
LEAST_PRINTED = 18  # of a printed table whose lines would be broken otherwise
LONG = 60  # words: a longer paragraph is shortened
FEW, HIGH = 3, 460  # printed lines below a picture of so many pixels of 720; what is more takes a slide of its own
STORED_DPI, SHARP_DPI = 100, 220
SHARP = f"import matplotlib\nmatplotlib.rcParams.update({{'figure.dpi': {SHARP_DPI}, 'font.size': 12}})"
MOST = (1168, 550)  # pixels: the room for a picture alone
INCH = 98  # pixels of 720 for an inch of a figure: its text of 12 points has 24 pixels on a screen of 1920 x 1080
LEFT_OUT = re.compile(r"<details>.*?</details>|<sub>.*?</sub>", re.S)
LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
HEADING = re.compile(r"^##? (.+)$", re.M)


class Slide(NamedTuple):
    """A heading, what is shown below it, and what the lecturer may say."""

    heading: str
    shown: list[str]
    notes: list[str]


def slides(notebook: Any, dpi: int = STORED_DPI) -> list[Slide]:
    """The slides of a lesson, in its order."""
    made: list[Slide] = []
    heading = ""
    joined = [JOINS in cell.metadata.get("tags", []) for cell in notebook.cells[1:]] + [False]
    for cell, leads in zip(notebook.cells, joined, strict=True):
        tags = cell.metadata.get("tags", [])
        title = heading
        if cell.cell_type == "markdown":
            text = LINK.sub(r"\1", LEFT_OUT.sub("", cell.source)).strip()
            title = HEADING.match(text)[1] if HEADING.match(text) else heading
            *_, heading = [heading, *HEADING.findall(text)]
        if BEGINS in tags:
            made.append(Slide(title, [], []))
        elif JOINS in tags and not made:
            raise InvalidInputError(f"The cell {cell.id} is tagged '{JOINS}', and there is no slide before it.")
        if {BEGINS, JOINS} & set(tags):
            first, *further = [[_text(text, leads)]] if cell.cell_type == "markdown" else _outputs(cell, dpi)
            made[-1].shown.extend(first)
            made.extend(Slide(heading, part, []) for part in further)
        if made and cell.cell_type == "markdown":
            made[-1].notes.append(typeset(text, trusted=True))
    return made


def _text(text: str, leads: bool) -> str:
    """A cell's text for the screen: lists, tables, formulas as they are, long paragraphs in short, no first heading.

    What one needs beforehand is for the notes. So is a last sentence that announces what comes, unless it is on the same slide.
    """
    if not leads and text.endswith(":"):
        text = "\n\n".join([*text.split("\n\n")[:-1], " ".join(_sentences(text.split("\n\n")[-1])[:-1])])
    text = HEADING.sub(r"**\1**", HEADING.sub("", text, count=1) if HEADING.match(text) else text)
    blocks = [block for block in re.split(r"\n\s*\n", text) if not block.startswith("You need")]
    return '<div class="text">' + typeset("\n\n".join(map(shortened, blocks)), trusted=True) + "</div>"


def shortened(block: str) -> str:
    """Of a long paragraph what one would write on the board: how it begins, its terms (bold), and how it ends.

    Examples
    --------
    >>> shortened("A short one. It stays.")
    'A short one. It stays.'
    >>> shortened("It begins. " + "Many words follow. " * 20 + "A **term** is defined. More of it. And what is next?")
    'It begins. A **term** is defined. And what is next?'
    """
    if len(block.split()) <= LONG or re.match(r"\$\$|[-*|>] |\||\d+\. |<|```", block):
        return block
    first, *others = _sentences(block)
    return " ".join(dict.fromkeys([first, *(each for each in others if "**" in each), *others[-1:]]))


def _sentences(paragraph: str) -> list[str]:
    """Not split after an initial, as in V. N. Vapnik."""
    return re.split(r"(?:(?<=[.?!])|(?<=[.?!]\)))(?<!\b[A-Z]\.)\s+(?=[A-Z$*\"“`(])", paragraph)


def _outputs(cell: Any, dpi: int) -> list[list[str]]:
    """What a code cell shows, slide by slide: a question without its answers, or pictures and what was printed."""
    if asked := question_in(cell.source):
        return [[_question(asked)]]
    pictures, printed, highest = [], [], 0.0
    for output in cell.outputs:
        if picture := output.get("data", {}).get("image/png"):
            alt = escape(output.metadata.get("image/png", {}).get("alt", ""), quote=True)
            pixels = [int.from_bytes(base64.b64decode(picture)[i : i + 4]) for i in (16, 20)]
            scale = min(INCH / dpi, MOST[0] / pixels[0], MOST[1] / pixels[1])
            width, height = (scale * side for side in pixels)
            kind = "wide" if width > 1.75 * height else "tall"
            least = f"min-width: {width:.0f}px; min-height: {height:.0f}px"
            pictures.append(
                f'<img class="{kind}" style="{least}" alt="{alt}" src="data:image/png;base64,{picture.strip()}">'
            )
            highest = max(highest, height)
        elif output.get("text", "").strip():
            printed.append(_printed(output.text.strip("\n")))
    lines = sum(part.count("\n") + 1 for part in printed)
    room = lines <= FEW and highest <= HIGH + LEAST * (FEW - lines)
    return [pictures + printed] if room or not (pictures and printed) else [pictures, printed]


def _printed(text: str) -> str:
    """Printed lines, in smaller letters if one of them would be broken; sentences may be broken."""
    longest = max(map(len, text.splitlines()))
    size = int(
        MOST[0] / (0.602 * longest + 1.6)
    )  # a letter of DejaVu Sans Mono is 0.602 of its size wide; 0.8 beside it
    style = f' style="font-size: {size}px"' if LEAST_PRINTED <= size < LEAST else ""
    return f"<pre{style}>{escape(text)}</pre>"


def _question(question: Question) -> str:
    """A quiz or a prediction: what is asked, and the options."""
    items = "".join(f"<li>{option.text}</li>" for option in question.options)
    lead = {"quiz": "Check yourself", "predict": "Predict"}[question.kind]
    return f'<div class="asked"><p><b>{lead}.</b> {question.asked}</p><ol type="A">{items}</ol></div>'


def deck(notebook: Any, dpi: int = STORED_DPI) -> str:
    """A lesson's slides as one page of HTML that needs nothing else."""
    made = slides(notebook, dpi)
    title = _plain(made[0].heading)
    pages = []
    for number, slide in enumerate(made, start=1):
        pictures = "".join(part for part in slide.shown if part.startswith("<img"))
        printed = "".join(part for part in slide.shown if part.startswith("<pre"))
        words = "".join(part for part in slide.shown if part.startswith("<div"))
        beside = "beside" if words and 'class="tall"' in pictures else "above"
        body = f'<div class="words">{words}</div>' if words else ""
        body = f'<div class="body {beside}">{body}{pictures}</div>' if words or pictures else ""
        printed = f'<div class="printed">{printed}</div>' if printed else ""
        head = re.sub(r"^<p>|</p>\s*$", "", typeset(slide.heading, trusted=True).strip())
        level = "h1" if number == 1 else "h2"
        pages.append(
            f'<section id="s{number}"><{level}>{head}</{level}>{body}{printed}'
            f"<footer><span>mcmteach</span><span>{title}</span><span>{number} / {len(made)}</span></footer>"
            f"<template>{''.join(slide.notes)}</template></section>"
        )
    page = TEMPLATE.read_text(encoding="utf-8")
    for name, value in {"title": escape(title), "least": str(LEAST), "pages": "\n".join(pages)}.items():
        page = page.replace(f"@{name}@", value)
    return self_contained(page)


def self_contained(page: str) -> str:
    """A page without any address, not even that of MathML, and with no line that begins with the stop after a formula.

    Chromium draws a long brace below a formula in the wrong place: a line stands for it (``slides.html``).
    """
    page = page.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")
    page = page.replace("<mo>&#x23DF;</mo>", '<mo class="brace">&#x23DF;</mo>')
    return re.sub(r'(<math display="inline">(?:(?!</math>).)*</math>[.,;:)?]+)', r'<span class="glued">\1</span>', page)


def _plain(heading: str) -> str:
    return re.sub(r"[$\\{}*`]", "", heading)


def run_again(notebook: Any, folder: Path) -> Any:
    """The notebook with outputs that are computed now, their figures sharp enough for a projector."""
    notebook.cells.insert(0, nbformat.v4.new_code_cell(SHARP))
    settings = {"timeout": 1200, "kernel_name": "python3", "coalesce_streams": True}
    NotebookClient(notebook, **settings, resources={"metadata": {"path": str(folder)}}).execute()
    return notebook


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.slides", description=__doc__.partition("\n")[0])
    parser.add_argument("lessons", nargs="*", help="names of lessons, such as 06_kernels.ipynb (default: all)")
    parser.add_argument("--stored", action="store_true", help="run nothing: figures as they are stored")
    parser.add_argument("-o", "--output", type=Path, default=FOLDER, metavar="DIR")
    asked = parser.parse_args(arguments)
    asked.output.mkdir(parents=True, exist_ok=True)
    paths = [ROOT / "lessons" / Path(name).name for name in asked.lessons]
    for path in paths or sorted(ROOT.glob("lessons/*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        page = deck(notebook) if asked.stored else deck(run_again(notebook, path.parent), SHARP_DPI)
        target = asked.output / f"{path.stem}.html"
        target.write_text(page, encoding="utf-8")
        print(f"{target.name:36} {page.count('<section ')} slides, {len(page) / 1e6:.1f} MB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
