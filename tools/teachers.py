"""The numbers in the teachers' pages, from the lessons:  python -m tools.teachers  writes them into docs/teachers.

Minutes are those of ``tools.pace``: of a lesson, of the sections that the notes would skip, and of the weeks of a syllabus. The
memory of a kernel is what the last run of ``tools.reliability.kernels`` found.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import nbformat

from mcmteach.checks.syllabus import TOPICS
from tools import pace
from tools.ledger import ROOT, lesson_path
from tools.reliability import stored
from tools.slides import slides

FOLDER = ROOT / "docs" / "teachers"


class Week(NamedTuple):
    """What a week teaches, by topics, and whose exercises are set."""

    about: str
    topics: str
    exercises: str


SYLLABUS = {
    "six": (
        Week("why training errors say so little; margins", "welcome why_learning_works which_hyperplane", "why_learning_works"),
        Week("paying for mistakes; what a margin is worth", "soft_margin radius_over_margin", "soft_margin"),
        Week("the MCM and its certificate; kernels", "a_linear_programme kernels", "a_linear_programme"),
        Week("a knob that does nothing; maps that bend space", "kernel_mcm bending_space", "kernel_mcm"),
        Week("the paper's method, built", "measuring_separability conformal_mcm", "measuring_separability"),
        Week("the paper on trial; a guarantee that means something", "does_it_work small_proves_something", "does_it_work"),
    ),
    "twelve": (
        Week("why a training error says so little", "welcome why_learning_works", "why_learning_works"),
        Week("perceptron and margin", "which_hyperplane", "which_hyperplane"),
        Week("paying for mistakes", "soft_margin", "soft_margin"),
        Week("what a margin is worth", "radius_over_margin", "radius_over_margin"),
        Week("the MCM and its certificate", "a_linear_programme", "a_linear_programme"),
        Week("kernels, on vectors and on other things", "kernels not_vectors", "kernels"),
        Week("a knob that does nothing, and the cure", "kernel_mcm", "kernel_mcm"),
        Week("maps that bend space", "bending_space", "bending_space"),
        Week("how far apart are two classes?", "measuring_separability", "measuring_separability"),
        Week("the paper's method, and the paper on trial", "conformal_mcm does_it_work", "does_it_work"),
        Week("small machines: on a chip, and as a guarantee", "small_devices small_proves_something", "small_proves_something"),
        Week("a study of one's own, and a referee's report", "your_own_data", ""),
    ),
}  # fmt: skip


def lesson(topic: str) -> Any:
    return nbformat.read(lesson_path(topic), as_version=4)


def lesson_minutes(topic: str) -> float:
    return pace.whole(lesson(topic))


def exercise_minutes(topic: str) -> int:
    """What the exercise says of itself; 0 where there is none."""
    path = ROOT / "exercises" / lesson_path(topic).name
    if not path.exists():
        return 0
    said = re.search(r"(\d+) minutes", nbformat.read(path, as_version=4).cells[0].source)
    assert said, f"{path.name} does not say how long it takes"
    return int(said[1])


def section_minutes(topic: str) -> dict[str, int]:
    """The minutes of each section of a lesson, by its heading."""
    notebook = lesson(topic)
    begins = [*pace.to_here(notebook).items(), (None, pace.whole(notebook))]
    headings = [notebook.cells[place].source.partition("\n")[0].removeprefix("## ") for place, _ in begins[:-1]]
    lengths = [after - before for (_, before), (_, after) in pairwise(begins)]
    return {heading: max(1, round(length)) for heading, length in zip(headings, lengths, strict=True)}


def table(weeks: tuple[Week, ...]) -> str:
    """A syllabus: what, which lessons, whose exercises, hours with the lessons and at home."""
    lines = ["| week | about | lessons | exercise | hours: lessons | exercise |", "|---|---|---|---|---|---|"]
    sums = [0.0, 0.0]
    for number, week in enumerate(weeks, start=1):
        topics, exercises = week.topics.split(), week.exercises.split()
        hours = [sum(map(lesson_minutes, topics)) / 60, sum(map(exercise_minutes, exercises)) / 60]
        sums = [a + b for a, b in zip(sums, hours, strict=True)]
        links = [
            ", ".join(f"[{TOPICS.index(t)}](../../{folder}/{lesson_path(t).name})" for t in of) or "–"
            for folder, of in (("lessons", topics), ("exercises", exercises))
        ]
        lines.append(f"| {number} | {week.about} | {links[0]} | {links[1]} | {hours[0]:.1f} | {hours[1]:.1f} |")
    return "\n".join([*lines, f"| | in all | | | {sums[0]:.0f} | {sums[1]:.0f} |"])


def memory() -> str:
    """What a class on one server takes, as ``tools.reliability.kernels`` measured it."""
    name, run = max(stored("kernels").items(), key=lambda part: int(part[0].split()[0]))
    shared = run["most_mb"] - run["own_mb"]
    return (
        f"{name} that ran the lesson on kernels at once on {run['cores']} cores, started one after another, ended without an\n"
        f"error after {run['seconds'] / 60:.0f} minutes. A kernel held {run['most_mb']} MB at most, "
        f"about {shared} MB of them shared with others:\ncount {run['own_mb']} MB for each student at work. ({run['day']})"
    )


def with_numbers(text: str) -> str:
    """The page with its tables made anew."""
    for name, written in ({name: table(weeks) for name, weeks in SYLLABUS.items()} | {"memory": memory()}).items():
        begin, end = f"<!-- {name}: written by python -m tools.teachers -->\n", f"<!-- /{name} -->"
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}{written}\n{end}{rest.partition(end)[2]}"
    return text


def parts(text: str) -> dict[str, str]:
    """The notes by topic: each begins with a heading that links to its lesson."""
    found = re.split(r"^## \[[^]]*\]\(\S*/\d\d_(\w+)\.ipynb\)\n", text, flags=re.M)
    return dict(zip(found[1::2], found[2::2], strict=True))


def with_minutes(text: str) -> str:
    """The notes with a line of numbers below each heading, and behind each section that may be skipped what that saves."""
    for topic, part in parts(text).items():
        sections, home = section_minutes(topic), exercise_minutes(topic)
        facts = f"{lesson_minutes(topic):.0f} minutes, {len(slides(lesson(topic)))} slides"
        new = re.sub(
            r"\A\n(?:\*[^*\n]+\*\n\n)?", f"\n*{facts}{f'; exercise {home} minutes' if home else ''}*\n\n", part
        )
        new = re.sub(r"\*([^*\n]+)\* \(\d+ minutes?\)", lambda m: f"*{m[1]}* ({_minutes(sections[m[1]])})", new)  # noqa: B023
        text = text.replace(part, new)
    return text


def _minutes(number: int) -> str:
    return "1 minute" if number == 1 else f"{number} minutes"


PAGES = {FOLDER / "README.md": with_numbers, FOLDER / "NOTES.md": with_minutes}


def main() -> None:
    for path, written in PAGES.items():
        path.write_text(written(Path(path).read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
