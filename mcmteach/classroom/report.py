"""The class, task by task: on the screen, and as a page with figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from html import escape
from typing import NamedTuple

import numpy as np

from mcmteach.checks.task import Explanation, Task
from mcmteach.classroom.course import Exercise
from mcmteach.classroom.feedback import html_page, number
from mcmteach.classroom.tables import Row
from mcmteach.validation import printable

KINDS = {
    "right": "right",
    "consequence": "right, with ours in the place of an earlier one",
    "written": "to read",
    "mistake": "a known slip",
    "wrong": "wrong",
    "form": "not in the form asked for",
    "changed": "changes its argument",
    "error": "stops with an error",
    "slow": "too slow",
    "borrowed": "the library's own function",
    "blank": "not begun",
    "hidden": "fails the hidden tests",
    "unclear": "a person has to look",
}
SHADES = {"right": "#009e73", "consequence": "#56b4e9", "mistake": "#e69f00", "blank": "#cccccc"}  # all others: OTHER
OTHER = "#d55e00"
WIDTH = 480


class TaskFigures(NamedTuple):
    """How the class did in a task."""

    task: str
    read: int  #: answers that have points
    mean: float  #: as a share of its points: small is hard
    spread: float  #: the standard deviation of that share
    discrimination: float  #: correlation with the points in all other tasks; nan if either is constant
    kinds: Counter[str]
    slips: Counter[str]


def figures(rows: list[Row]) -> list[TaskFigures]:
    """Of one exercise. What is not yet read does not count."""
    result = []
    for task in dict.fromkeys(task for row in rows for task in row.tasks):
        read = [row for row in rows if row.tasks.get(task, {}).get("points") is not None and row.tasks[task]["out_of"]]
        shares = np.array([row.tasks[task]["points"] / row.tasks[task]["out_of"] for row in read])
        rest = np.array([row.points - row.tasks[task]["points"] for row in read])
        varies = len(read) > 1 and shares.std() > 0 and rest.std() > 0
        marks = [row.tasks[task] for row in rows if task in row.tasks]
        result.append(TaskFigures(
            task, len(read), float(shares.mean()) if len(read) else float("nan"),
            float(shares.std(ddof=1)) if len(read) > 1 else float("nan"),
            float(np.corrcoef(shares, rest)[0, 1]) if varies else float("nan"),
            Counter(mark["kind"] for mark in marks), Counter(mark["mistake"] for mark in marks if mark["mistake"]),
        ))  # fmt: skip
    return result


def summary(rows: list[Row], task_of: Callable[[str], Task | Explanation]) -> str:
    """The class in a few lines: how many have a task right, which mistakes are common, and what happened."""
    lines = []
    for exercise in sorted({row.entry.exercise for row in rows}):
        group = [row for row in rows if row.entry.exercise == exercise]
        lines += ["", f"{exercise}: {len(group)} submission{'s' * (len(group) != 1)}"]
        for about in figures(group):
            chosen, total = task_of(about.task), sum(about.kinds.values())
            named = about.slips + Counter(
                {KINDS.get(k, k): n for k, n in about.kinds.items() if k not in ("right", "mistake")}
            )
            said = ", ".join(f"{name} {n}" for name, n in sorted(named.items(), key=lambda pair: (-pair[1], pair[0])))
            is_text = isinstance(chosen, Explanation)
            share = " " * 14 if is_text else f"{about.kinds['right'] + about.kinds['consequence']:>3} of {total} right"
            lines.append(f"  {about.task:<5} {chosen.title[:44]:<45}{share}   {said}".rstrip())
        odd = [f"  {row.entry.student}: {row.what_happened}" for row in group if row.what_happened]
        lines += ["  What happened:", *odd] if odd else []
    return "\n".join(map(printable, lines)).strip()


def class_page(rows: list[Row], exercises: list[Exercise]) -> str:
    """Mean, spread, difficulty and discrimination of each task, common slips, and how the points are distributed."""
    body = ["<h1>The class</h1>"]
    for exercise in exercises:
        group = [row for row in rows if row.entry.source == exercise.path and row.tasks]
        if not group:
            continue
        points = np.array([row.points for row in group])
        body.append(
            f"<h2>{escape(exercise.title)}</h2><p>{len(group)} notebooks, on average {points.mean():.1f} points"
        )
        body.append(f" (standard deviation {points.std(ddof=1):.1f})." if len(group) > 1 else ".")
        unread = sum(bool(row.unread) for row in group)
        body.append(f" In {unread} of them something is not yet read, and does not count.</p>" if unread else "</p>")
        full = max(sum(mark["out_of"] for mark in row.tasks.values()) for row in group)
        body += [histogram(points, full), _table(group, exercise)]
    body.append(
        '<p class="note">Mean: the share of its points that the class has in a task; small is hard. Discrimination: how the '
        "points in a task go with those in all others, from -1 to 1. Near 0 or below, a task says little about who knows the "
        "rest, or is misunderstood by those who do.</p>"
    )
    return html_page("The class", "\n".join(body))


def _table(rows: list[Row], exercise: Exercise) -> str:
    lines = []
    for about in figures(rows):
        task = exercise.task(about.task)
        words = {name: said for name, (_, said) in task.mistakes.items()} if isinstance(task, Task) else {}
        slips = "".join(f"<li>{n}×: {escape(words.get(name, name))}</li>" for name, n in about.slips.most_common(3))
        slips = slips and f'<ul class="note">{slips}</ul>'
        lines.append(
            f"<tr><td>{escape(about.task)}</td><td>{escape(task.title)}{slips}</td><td>{bar(about.kinds)}</td>"
            + "".join(
                f'<td class="number">{_two(value)}</td>' for value in (about.mean, about.spread, about.discrimination)
            )
            + "</tr>"
        )
    head = "<tr><th>task</th><th></th><th></th><th>mean</th><th>spread</th><th>discrimination</th></tr>"
    shades = [*SHADES.items(), ("others", OTHER)]
    key = " ".join(f'<span style="color: {shade}">■</span> {escape(KINDS.get(kind, kind))}' for kind, shade in shades)
    return f'<table>{head}{"".join(lines)}</table><p class="note">{key}</p>'


def _two(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.2f}"


def bar(kinds: Counter[str], width: int = 160) -> str:
    """How a task was answered, as one bar."""
    total, x, parts = sum(kinds.values()), 0.0, []
    order = [*SHADES, *(kind for kind in kinds if kind not in SHADES)]
    for kind in sorted(kinds, key=order.index):
        length = width * kinds[kind] / total
        what = escape(f"{KINDS.get(kind, kind)}: {kinds[kind]}")
        shade = SHADES.get(kind, OTHER)
        parts.append(f'<rect x="{x:.1f}" width="{length:.1f}" height="14" fill="{shade}"><title>{what}</title></rect>')
        x += length
    return f'<svg width="{width}" height="14" role="img" aria-label="how it was answered">{"".join(parts)}</svg>'


def histogram(points: np.ndarray, full: float, height: int = 120) -> str:
    """How many have how many points, from 0 to all of them."""
    edges = np.arange(0, full + 2) - 0.5 if full <= 30 else np.linspace(-0.5, full + 0.5, 31)
    counts, _ = np.histogram(points, edges)
    step, tallest = WIDTH / len(counts), max(counts.max(), 1)
    bars = "".join(
        f'<rect x="{i * step + 1:.1f}" y="{height * (1 - n / tallest) + 14:.1f}" width="{step - 2:.1f}" '
        f'height="{height * n / tallest:.1f}" fill="#0072b2"><title>{n}</title></rect>'
        f'<text x="{(i + 0.5) * step:.1f}" y="{height * (1 - n / tallest) + 11:.1f}" text-anchor="middle">{n or ""}</text>'
        for i, n in enumerate(counts)
    )
    ends = f'<text x="0" y="{height + 32}">0 points</text>'
    ends += f'<text x="{WIDTH}" y="{height + 32}" text-anchor="end">{number(full)}</text>'
    line = f'<line x1="0" x2="{WIDTH}" y1="{height + 15}" y2="{height + 15}" stroke="#888"/>'
    return f'<p><svg width="{WIDTH}" height="{height + 40}" role="img" aria-label="points">{bars}{line}{ends}</svg></p>'
