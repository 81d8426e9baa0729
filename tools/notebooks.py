"""Run the lessons and store their outputs so that a second run changes nothing:  python -m tools.notebooks [lesson …]"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from tools.ledger import ROOT

LESSONS = ROOT / "lessons"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
KERNEL = {"kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}}


def clean(notebook: Any) -> Any:
    """Drop what changes from run to run or from machine to machine, and what cannot live without a kernel.

    A stored widget view would show "model not found" until its cell is run again; without it the static picture that
    stands beside it is shown.
    """
    notebook.metadata = {**KERNEL, "language_info": {"name": "python"}}
    for cell in notebook.cells:
        cell.metadata = {key: value for key, value in cell.metadata.items() if key in ("tags", "jupyter")}
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET_VIEW, None)
            if output.output_type in ("display_data", "execute_result"):
                said = output.get("metadata", {}).get("image/png", {}).get("alt")  # what the picture shows, in words
                output.metadata = {"image/png": {"alt": said}} if said else {}
            else:
                output.pop("metadata", None)
    return notebook


def name_cells(notebook: Any) -> None:
    """Ids that stay: the cell's place and its first words, unless it has a telling one already."""
    seen: set[str] = set()
    for place, cell in enumerate(notebook.cells):
        if re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f-]+)?", cell.id) or cell.id in seen:
            words = re.findall(r"[a-z]+", cell.source.lower())[:4]
            cell.id = f"{place:02d}-" + "-".join(words)[:40]
        seen.add(cell.id)


def run(path: Path) -> None:
    """Execute a lesson in its own kernel and store it, in place."""
    start = time.perf_counter()
    notebook = nbformat.read(path, as_version=4)
    settings = {
        "timeout": 120,
        "kernel_name": "python3",
        "coalesce_streams": True,
    }  # or a busy machine stores print by print
    NotebookClient(notebook, **settings, resources={"metadata": {"path": str(path.parent)}}).execute()
    name_cells(notebook)
    nbformat.write(clean(notebook), path)
    print(f"{path.name:32} {time.perf_counter() - start:5.1f} s")


def main(names: list[str]) -> None:
    for path in [LESSONS / name for name in names] or sorted(LESSONS.glob("*.ipynb")):
        run(path)


if __name__ == "__main__":
    main([Path(name).name for name in sys.argv[1:]])
