"""``python -m mcmteach lab [FOLDER]``: the course in JupyterLab, also where only the wheel is installed."""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import mcmteach
from mcmteach.checks.syllabus import TOPICS, notebook_name
from mcmteach.classroom.working_copies import COURSE, FOLDER, working_copies
from mcmteach.errors import missing

IN_THE_WHEEL = Path(mcmteach.__file__).parent / "course"  # put there by tools/build_backend.py
#: Without the question about news, which would appear before the first lesson; lines of code are wrapped, not cut off.
SETTINGS = Path(__file__).parent / "jupyter"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", nargs="?", default=FOLDER, help="where your notebooks are or will be put (default: %(default)s)"
    )
    parser.add_argument(
        "--afresh",
        action="store_true",
        help="start again with new copies; the earlier folder is kept under another name",
    )
    parser.add_argument("--no-open", action="store_true", help="only make the copies")


def run(asked: argparse.Namespace) -> int:
    if not asked.no_open and importlib.util.find_spec("jupyterlab") is None:
        raise missing("This needs JupyterLab.", "lessons")
    copies = working_copies(asked.folder, asked.afresh, IN_THE_WHEEL if IN_THE_WHEEL.is_dir() else COURSE)
    print(copies, flush=True)
    if asked.no_open:
        return 0
    options = [
        f"--ServerApp.root_dir={copies.folder}",
        f"--LabApp.default_url=/lab/tree/lessons/{notebook_name(TOPICS[0])}",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")  # in a container the user is root, which JupyterLab allows only with this option
    paths = os.pathsep.join(filter(None, [str(SETTINGS), os.environ.get("JUPYTER_CONFIG_PATH")]))
    environment = {**os.environ, "JUPYTER_CONFIG_PATH": paths}
    return subprocess.run([sys.executable, "-m", "jupyterlab", *options], env=environment, check=False).returncode
