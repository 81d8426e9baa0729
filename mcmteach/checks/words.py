"""The messages of the checks, as text and as HTML. A symbol and a word carry the meaning; the colour only repeats it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape, unescape

BLUE, GREEN, VERMILION = "#0072B2", "#009E73", "#D55E00"  # as in plots.py: the colour-blind can tell them apart


@dataclass(frozen=True, repr=False)
class Words:
    """A heading and some lines. In a line, `backquotes` hold code; a line that begins with four spaces is code."""

    title: str
    text: str
    mark: str = "•"
    colour: str = BLUE

    def __repr__(self) -> str:
        return f"{self.mark} {self.title}\n{self.text}".rstrip()

    def _repr_html_(self) -> str:
        return (
            f'<div role="status" style="border-left: 5px solid {self.colour}; padding: 0.2em 0.9em; margin: 0.4em 0;">'
            f'<div style="font-weight: bold;">{self.mark} {escape(self.title)}</div>{self._body()}</div>'
        )

    def _body(self) -> str:
        return _lines(self.text)


@dataclass(frozen=True, repr=False)
class Verdict(Words):
    """What ``check`` says.

    ``kind`` is one of right, mistake (a known slip, whose name is ``mistake``), wrong, form, changed, error, slow,
    borrowed, blank; and for a text: written, form, blank. Only what a machine can judge is ``passed``: a text never is.
    """

    kind: str = ""
    passed: bool = False
    mistake: str = ""
    missing: tuple[str, ...] = ()  #: the points for which a text has none of the words that we look for
    model: str = ""  #: a text to compare with, which a notebook shows when one clicks on its heading

    def noting(self, note: str) -> Verdict:
        """The same with a remark at its end, if there is one."""
        return replace(self, text=f"{self.text}\n{note}") if note else self

    def _body(self) -> str:
        model = f"<details><summary>One way to answer</summary>{_lines(self.model)}</details>" if self.model else ""
        return super()._body() + model


class Progress(Words):
    """What ``progress`` says: for every lesson its number, its title, and each task with its mark.

    ``✓`` is a function that passed its check, ``✎`` a text that was written and that only a reader can judge.
    """

    def __init__(self, lessons: Sequence[tuple[int, str, list[tuple[str, str]]]], totals: str, note: str = ""):
        self._rows = [
            (f"Lesson {number}", title, sum(mark == "✓" for _, mark in tasks), _boxes(tasks))
            for number, title, tasks in lessons
        ]
        self._note = note
        lines = [f"{name:<10} {solved} solved  {boxes}   {title}" for name, title, solved, boxes in self._rows]
        super().__init__(totals, "\n".join([*lines, note]), mark="■", colour=GREEN)

    def _body(self) -> str:
        rows = "".join(
            f'<tr><td>{name}</td><td style="text-align: left;">{escape(title)}</td><td>{solved} solved</td>'
            f'<td style="text-align: left;">{boxes}</td></tr>'
            for name, title, solved, boxes in self._rows
        )
        return f"<table>{rows}</table>{_lines(self._note)}"


def _boxes(tasks: list[tuple[str, str]]) -> str:
    return " ".join(f"{mark or '·'}{number}" for number, mark in tasks)


def _lines(text: str) -> str:
    return "".join(_line(line) for line in text.split("\n") if line)


def _line(line: str) -> str:
    if line.startswith("    "):
        return f'<pre style="font-family: monospace; margin: 0.3em 0 0.3em 1.5em;">{escape(line[4:])}</pre>'
    code = re.sub("`([^`]+)`", r"<code>\1</code>", escape(line))
    return f'<div style="margin-top: 0.25em;">{code}</div>'


def without_tags(text: str) -> str:
    """A question's text without the tags that it may use to stress a word."""
    return unescape(re.sub(r"</?(b|i|em|strong|code|sub|sup)>", "", text))
