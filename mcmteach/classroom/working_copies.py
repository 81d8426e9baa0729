"""A student's own copy of the course, without stored outputs: no answer is visible before the question is asked.

The notebooks in ``lessons/`` are stored executed, for the tests and for readers on the web. A student works in a folder of
copies. What is there already is never overwritten; ``--afresh`` first renames the folder, so nothing is ever lost.
"""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import NamedTuple

import mcmteach
from mcmteach.errors import InvalidInputError

COURSE = Path(mcmteach.__file__).parent.parent
FOLDER = "my-course"  # beside lessons/, where nothing else is named
PARTS = ("lessons/*", "exercises/*", "exercises/solutions/*", "docs/*.md", "*.md")  # what lessons and exercises link to


class Copies(NamedTuple):
    """The outcome of making working copies; it prints as the sentences to show."""

    folder: Path
    new: int  #: notebooks that were copied
    kept: int  #: notebooks that were there already, and were left as they are
    aside: Path | None  #: where the earlier folder is now

    def __str__(self) -> str:
        said = [f"The earlier copies are kept in {self.aside}."] if self.aside else []
        said += [f"Your copies of the notebooks are in {self.folder}: {self.new} new, {self.kept} as you left them."]
        return "\n".join(said)


def without_outputs(notebook: str) -> str:
    """The text of a notebook as it is before anything was run.

    Examples
    --------
    >>> cell = {"cell_type": "code", "source": "2 + 2", "outputs": [{"text": "4"}], "execution_count": 1}
    >>> json.loads(without_outputs(json.dumps({"cells": [cell]})))["cells"]
    [{'cell_type': 'code', 'source': '2 + 2', 'outputs': [], 'execution_count': None}]
    """
    content = json.loads(notebook)
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def working_copies(folder: str | Path = FOLDER, afresh: bool = False, course: Path = COURSE) -> Copies:
    """Copy the course's notebooks, without outputs, and the pages that they link to.

    Parameters
    ----------
    folder : where the copies go; it is made if it is not there
    afresh : give an earlier folder another name (folder-1, folder-2, …) and begin with new copies
    course : the folder that holds ``lessons/`` and ``exercises/``
    """
    sources = [path for part in PARTS for path in sorted(course.glob(part)) if path.is_file()]
    if not any(path.suffix == ".ipynb" for path in sources):
        raise InvalidInputError(
            f"There are no lessons in {course}. Clone the course, or name the folder that holds it."
        )
    folder, aside = Path(folder).resolve(), None
    if folder == course or course / "lessons" in (folder, *folder.parents):
        raise InvalidInputError(f"{folder} is the course itself. Name another folder for your copies.")
    if afresh and folder.exists():
        aside = next(other for n in count(1) if not (other := folder.with_name(f"{folder.name}-{n}")).exists())
        folder.rename(aside)
    made = {True: 0, False: 0}
    for source in sources:
        target, text = folder / source.relative_to(course), source.read_bytes()
        if source.suffix == ".ipynb":
            made[target.exists()] += 1
            text = without_outputs(text.decode()).encode()
        if not target.exists():  # a page that is there may be somebody's own, or hold notes
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text)
    return Copies(folder, new=made[False], kept=made[True], aside=aside)
