"""How the wheel is built: by flit, and then the notebooks go into it, for ``python -m mcmteach lab`` outside a checkout.

Notebooks and their pages lie at the top of the project, where readers look for them; flit packs the package's own folder only.
They go into ``mcmteach/course/`` of the wheel, without stored outputs: a student's copies have none.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PARTS = ("lessons/*", "exercises/*", "exercises/solutions/*", "docs/*.md", "*.md")
INSIDE = "mcmteach/course/"


def __getattr__(hook: str) -> Any:
    """All other hooks of a build backend are flit's."""
    if hook.startswith("__"):
        raise AttributeError(hook)
    from flit_core import buildapi

    return getattr(buildapi, hook)


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    from flit_core import buildapi

    name = buildapi.build_wheel(wheel_directory, config_settings, metadata_directory)
    add_course(Path(wheel_directory) / name)
    return name


def add_course(wheel: Path) -> None:
    """Put the course into the wheel, and into the wheel's list of its files."""
    course = {
        f"{INSIDE}{path.relative_to(ROOT).as_posix()}": blank(path) if path.suffix == ".ipynb" else path.read_bytes()
        for part in PARTS
        for path in sorted(ROOT.glob(part))
        if path.is_file()
    }
    whole = wheel.with_suffix(".new")
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            content = old.read(entry)
            if entry.filename.endswith(".dist-info/RECORD"):
                content = (
                    "".join(f"{name},{digest(data)},{len(data)}\n" for name, data in course.items()).encode() + content
                )
            new.writestr(entry, content)
        moment = old.infolist()[0].date_time  # the same for all, so that the same sources give the same wheel
        for name, data in course.items():
            new.writestr(zipfile.ZipInfo(name, moment), data, zipfile.ZIP_DEFLATED)
    whole.replace(wheel)


def blank(path: Path) -> bytes:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()


def digest(data: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
