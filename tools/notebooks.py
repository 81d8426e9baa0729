"""Run the lessons and store their outputs so that a second run changes nothing:  python -m tools.notebooks [lesson …]

With ``--recompress`` nothing is run: the pictures that are stored already are made smaller, where that cannot be seen.
"""

from __future__ import annotations

import base64
import io
import re
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
from nbclient import NotebookClient
from PIL import Image

from tools import pace
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


# Levels of 255, root mean square over a picture. Measured on the stored lessons: a palette of 256 colours costs line drawings
# 0.02 to 0.6, which cannot be seen, and heat maps 0.9 to 1.6, which shows as rings in their gradients, dithered or not.
INVISIBLE = 0.7


def smaller(png: bytes) -> bytes:
    """The same picture in fewer bytes: 256 colours where that cannot be seen, else without its empty alpha channel."""
    image = Image.open(io.BytesIO(png))
    if image.mode == "P" or image.convert("RGBA").getextrema()[3] != (255, 255):
        return png  # it is small already, or transparent somewhere
    true = image.convert("RGB")
    few = true.quantize(256, method=Image.Quantize.MAXCOVERAGE, kmeans=3, dither=Image.Dither.NONE)
    loss = np.sqrt(np.mean(np.square(np.subtract(true, few.convert("RGB"), dtype=float))))
    file = io.BytesIO()
    (few if loss <= INVISIBLE else true).save(file, "PNG", optimize=True)
    return min(png, file.getvalue(), key=len)


def compress(notebook: Any) -> None:
    """Make every stored picture smaller."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if picture := output.get("data", {}).get("image/png"):
                small = base64.b64encode(smaller(base64.b64decode(picture))).decode()
                output.data["image/png"] = small


def recompress(path: Path) -> None:
    """Make the pictures of a stored lesson smaller, and leave the rest of it as it is."""
    before = path.stat().st_size
    notebook = nbformat.read(path, as_version=4)
    compress(notebook)
    nbformat.write(notebook, path)
    print(f"{path.name:32} {before / 1e3:7.0f} kB -> {path.stat().st_size / 1e3:5.0f} kB")


def run(path: Path) -> None:
    """Execute a lesson in its own kernel and store it, in place."""
    start = time.perf_counter()
    notebook = nbformat.read(path, as_version=4)
    settings = {
        "timeout": 1200,  # seconds, both: on a machine with much else to do a kernel may take minutes to begin
        "startup_timeout": 600,
        "kernel_name": "python3",
        "coalesce_streams": True,  # or a busy machine stores print by print
    }
    NotebookClient(notebook, **settings, resources={"metadata": {"path": str(path.parent)}}).execute()
    name_cells(notebook)
    pace.write(notebook)
    compress(notebook)
    nbformat.write(clean(notebook), path)
    print(f"{path.name:32} {time.perf_counter() - start:5.1f} s")


def main(arguments: list[str]) -> None:
    names = [Path(name).name for name in arguments if name != "--recompress"]
    for path in [LESSONS / name for name in names] or sorted(LESSONS.glob("*.ipynb")):
        (recompress if "--recompress" in arguments else run)(path)


if __name__ == "__main__":
    main(sys.argv[1:])
