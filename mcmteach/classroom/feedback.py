"""The pages: what a student gets back, and what a teacher reads. They run no scripts, fetch nothing and hold no forms.

What a student has written is shown as text: HTML in it is escaped, and a cell that takes too long to typeset is shown as it
was typed. Formulas become MathML, which browsers draw themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from html import escape
from typing import Any

from mcmteach.checks.run import TimeUp
from mcmteach.checks.task import Explanation
from mcmteach.classroom.course import Exercise
from mcmteach.classroom.remote import limited_to

LONGEST = 20_000  # characters of one cell
SECONDS = 2.0  # for typesetting one cell
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'"
#: What latex2mathml writes, and what looks as TeX would set it.
POLISH = {
    r"\\([{}])": r"\1",  # braces after \big
    r"<mo>(&#x0(?:2016|007C|002F);)</mo>": r'<mo stretchy="false" lspace="0" rspace="0">\1</mo>',  # norms, bars, slashes
    r"((?<!<msub>)<mi>(?:ln|log|exp|sin|cos|tanh|det)</mi>|<msub><mi>log</mi><mn>\d+</mn></msub>)(?=<m[inrfs])": (
        r'\1<mspace width="0.167em"/>'
    ),
    r"<mi>(&#x000B1;)</mi>": r"<mo>\1</mo>",
    r"<msub>(<mo>m(?:in|ax)</mo>)(<mi>[^<]*</mi>|<mrow>(?:(?!</?mrow).)*</mrow>)</msub>": r"<munder>\1\2</munder>",
    r"<mo>(m(?:in|ax))</mo>(?=<mo stretchy=.false.>&#x00028;)": r'<mo lspace="0.167em" rspace="0">\1</mo>',
    # a sign, not a sum: after an opening bracket, a comma or a relation, and after a minimum or maximum
    r"(<munder><mo>m(?:in|ax)</mo>(?:(?!</munder>).)*</munder>(?:<mspace[^>]*/>)?)<mo>(&#x02212;)</mo>": (
        r'\1<mo form="prefix">\2</mo>'
    ),
    r"(<mo[^>]*>(?:&#x0(?:0028|007B|002C|003D|2264|2265|2248|2208);|[\[<>])</mo>)<mo>(&#x0(?:2212|002B|00B1);)</mo>": (
        r'\1<mo form="prefix">\2</mo>'
    ),
}
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; } h3 { font-size: 1rem; }
pre { background: #f5f5f5; padding: .7rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .9rem; }
table { border-collapse: collapse; } td, th { padding: .2rem .7rem; border-bottom: 1px solid #ddd; text-align: left; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
.verdict, .comment { padding: .4rem .8rem; margin: .5rem 0; white-space: pre-wrap; }
.verdict { border-left: .3rem solid #d55e00; background: #fdf3ec; }
.verdict.good { border-color: #009e73; background: #ecf7f3; } .verdict.open { border-color: #0072b2; background: #ecf3f9; }
.error { border-left: .3rem solid #d55e00; padding: .2rem .8rem; white-space: pre-wrap; }
.comment { border-left: .3rem solid #0072b2; background: #ecf3f9; }
.note { color: #555; } svg text { font: 12px system-ui, sans-serif; }
"""


def html_page(title: str, body: str) -> str:
    """A page of its own, in one file."""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title>\n<style>{STYLE}</style></head>\n'
        f"<body>\n{body}\n</body></html>\n"
    )


# --- typesetting, in the worker ----------------------------------------------------------------------------------------


def page_cells(notebook: Any, exercise: Exercise, errors: dict[str, dict[str, str]]) -> list[dict[str, str]]:
    """The notebook as its page shows it: of the teacher's tests only their place, where the verdict goes."""
    cells = []
    for number, cell in enumerate(notebook.cells):
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        graded = exercise.graded.get(grade_id)
        if graded is not None and not graded.is_text:
            cells.append({"task": graded.task})
        elif cell.cell_type == "markdown":
            cells.append({"html": typeset(cell.source, trusted=exercise.has_text(cell.source))})
        elif cell.cell_type == "code":
            error = errors.get(str(number), {})
            said = f"{error.get('type', '')}: {error.get('message', '')}\n{error.get('line', '')}".strip(": \n")
            cells.append(
                {"code": cell.source[:LONGEST], "error": said[:LONGEST]} | ({"task": graded.task} if graded else {})
            )
    placed = {cell.get("task") for cell in cells}
    return cells + [{"task": g.task} for g in exercise.graded.values() if g.task not in placed]


def typeset(text: str, trusted: bool = False) -> str:
    """Markdown with formulas as HTML; as it was typed if that is too long or takes too long."""
    if len(text) <= LONGEST:
        try:
            with limited_to(SECONDS):
                html: str = _markdown(trusted)(text)
                return html
        except (TimeUp, RecursionError, MemoryError):  # shown as it was typed, below
            pass
    return f"<pre>{escape(text[:LONGEST])}{' …' if len(text) > LONGEST else ''}</pre>"


@cache
def _markdown(trusted: bool) -> Callable[[str], Any]:
    import mistune

    class Renderer(mistune.HTMLRenderer):
        def image(self, text: str, url: str, title: str | None = None) -> str:
            """A page fetches nothing."""
            return f"[{escape(text or 'picture')}]"

    renderer = Renderer(escape=not trusted)
    convert = mistune.create_markdown(escape=not trusted, renderer=renderer, plugins=["math", "table"])
    renderer.register("inline_math", lambda _, latex: _formula(latex, "inline"))
    renderer.register("block_math", lambda _, latex: f"<p>{_formula(latex, 'block')}</p>")
    return convert


def _formula(latex: str, display: str) -> str:
    try:
        from latex2mathml.converter import convert

        mathml = str(
            convert(latex.replace("{aligned}", "{split}"), display=display)
        )  # the same; it knows the second only
        for found, better in POLISH.items():
            mathml = re.sub(found, better, mathml)
        return mathml if _plain(mathml) else f"<code>{escape(latex)}</code>"
    except Exception:  # the package is missing or the formula invalid: it stays as it was typed
        return f"<code>{escape(latex)}</code>"


def _plain(mathml: str) -> bool:
    """Whether it holds only MathML: a formula may contain text, and text may contain anything."""
    import xml.etree.ElementTree as ElementTree

    space = "{http://www.w3.org/1998/Math/MathML}"
    return all(
        str(node.tag).startswith((space + "m", space + "annotation", space + "semantics"))
        and not any(name.lower().startswith(("on", "href", "src")) or "href" in name for name in node.attrib)
        for node in ElementTree.fromstring(mathml).iter()
    )


# --- pages, from what the workers sent ---------------------------------------------------------------------------------


def number(value: float) -> str:
    return f"{value:g}"


def total_in_words(tasks: dict[str, dict[str, Any]]) -> str:
    """The same words on the page and in the class's report."""
    read = [m for m in tasks.values() if m["points"] is not None]
    unread = {t: m["out_of"] for t, m in tasks.items() if m["points"] is None}
    text = f"{number(sum(m['points'] for m in read))} of {number(sum(m['out_of'] for m in read))} points"
    if unread:
        tasks_unread = ", ".join(f"{t} ({number(p)} points)" for t, p in unread.items())
        text += f"; not yet read: {tasks_unread}"
    return text


def feedback_page(student: str, exercise: Exercise, result: dict[str, Any]) -> str:
    """What a student gets back: the marks in a table, then the notebook with a verdict under each answer."""
    tasks = result["tasks"]
    rows = "".join(
        f"<tr><td>{escape(t)}</td><td>{escape(exercise.task(t).title)}</td>"
        f'<td class="number">{"not yet read" if m["points"] is None else number(m["points"])}</td>'
        f'<td class="number">{number(m["out_of"])}</td></tr>'
        for t, m in tasks.items()
    )
    head = f"<h1>{escape(exercise.title)}</h1><p><b>{escape(student)}</b>: {escape(total_in_words(tasks))}.</p>"
    head += f"<table><tr><th>task</th><th></th><th>points</th><th>of</th></tr>{rows}</table>"
    head += "".join(f'<p class="note">{escape(note)}</p>' for note in result.get("notes", []))
    body = "\n".join(_cell(cell, tasks) for cell in result["cells"])
    return html_page(f"{student}: {exercise.title}", head + body)


def _cell(cell: dict[str, str], tasks: dict[str, dict[str, Any]]) -> str:
    parts = [cell.get("html", "")]
    if "code" in cell:
        parts.append(f"<pre>{escape(cell['code'])}</pre>")
    if cell.get("error"):
        parts.append(f'<div class="error">{escape(cell["error"])}</div>')
    if mark := tasks.get(cell.get("task", "")):
        parts.append(_verdict(mark))
    return "".join(parts)


def _verdict(mark: dict[str, Any]) -> str:
    open_ = mark["points"] is None
    shade = "open" if open_ else "good" if mark["points"] == mark["out_of"] else ""
    points = "not yet read" if open_ else f"{number(mark['points'])} of {number(mark['out_of'])} points"
    words = "\n".join(line for line in mark["words"].split("\n") if not line.startswith("`hint(")).replace("`", "")
    if mark["kind"] == "mistake" and mark["points"]:
        words += "\nAn answer with a recognised mistake earns part of the points."
    said = f'<div class="verdict {shade}">{escape(words)}\n<b>{points}</b></div>'
    if mark.get("comment"):
        said += f'<div class="comment">{escape(mark["comment"])}</div>'
    return said


def reading_page(unread: list[tuple[str, str, dict[str, Any]]], exercises: dict[str, Exercise]) -> str:
    """Every text that a person has to read, task by task, with the points that a good one covers."""
    body = ["<h1>To read</h1><p>Enter points and comments in manual.csv, then run the command again.</p>"]
    for task in dict.fromkeys(task for _, task, _ in unread):
        chosen = exercises[task].task(task)
        points = chosen.points.values() if isinstance(chosen, Explanation) else ()
        asks = "".join(f"<li>{escape(question)}</li>" for _, question in points)
        body.append(f"<h2>{escape(task)} {escape(chosen.title)}</h2><ul>{asks}</ul>")
        for student, _, mark in (u for u in unread if u[1] == task):
            words, text = "\n".join(mark["words"].split("\n")[1:]), mark["text"] or mark["words"]
            body.append(
                f"<h3>{escape(student)} (out of {number(mark['out_of'])})</h3><pre>{escape(text)}</pre>"
                f"<details><summary>what was looked for</summary><pre>{escape(words)}</pre></details>"
            )
    return html_page("To read", "\n".join(body))
