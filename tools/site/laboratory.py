"""The laboratory: JupyterLite with the lessons and exercises, Python (Pyodide) and the library, as files for any server."""

from __future__ import annotations

import email
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from email.message import Message
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from mcmteach.classroom.working_copies import without_outputs
from tools.site import downloads
from tools.site.downloads import ROOT

#: From Pyodide's release: what the lessons import, and what the kernel begins with.
RELEASE = ["matplotlib", "micropip", "numpy", "scikit-learn", "scipy"]
#: In the release too, but nobody carries its wheel: the OFFLINE laboratory has a stand-in (``highspy_stand_in.py``).
ONLINE_ONLY = ["highspy"]
#: Where Pyodide's own release is, for a laboratory that is not OFFLINE (JupyterLite's default, too).
RELEASE_HOST = "https://cdn.jsdelivr.net/pyodide"
#: What no current browser asks for: older forms of the fonts.
UNUSED = (".eot", ".map", ".svg", ".ttf")
#: Of the book, and used in the laboratory.
BESIDE = ["_static/favicon.svg", "_static/laboratory.js"]
CORE = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"]
PROGRESS_PAGE = """\
# Your progress

`progress.json` in this folder says which tasks are done. It is kept in this browser, for this site. To go on in another
one, or to be safe, press *Save progress to a file* at the bottom of the window, and *Load progress from a file* there.
"""
PROGRESS = "/drive/progress"  # of the browser's own files: kept from visit to visit, to be downloaded and uploaded


def build(output: Path, work: Path, offline: bool) -> None:
    """JupyterLite into ``output``; ``work`` is a folder for what it is made of."""
    shutil.rmtree(work, ignore_errors=True)
    pyodide = work / "static" / "pyodide"
    pyodide.mkdir(parents=True)
    for name in CORE:
        shutil.copy2(downloads.npm("pyodide") / name, pyodide)
    ours = [library_wheel(work), *kernel_wheels(), *downloads.wheels(ROOT / "requirements" / "laboratory.txt")]
    if offline:
        ours.append(stand_in(work / "highspy-1.13.0-py3-none-any.whl"))
    for wheel in ours:
        shutil.copy2(wheel, pyodide)
    add_bytecode(pyodide)
    lock = pyodide_lock(sorted(pyodide.glob("*.whl")), offline)
    if offline:
        for wheel in downloads.pyodide_wheels(release_packages(RELEASE)).values():
            shutil.copy2(wheel, pyodide)
    (pyodide / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")
    write_contents(work / "files")
    (work / "jupyter-lite.json").write_text(json.dumps(settings(sorted(lock["packages"])), indent=1), encoding="utf-8")
    command = [sys.executable, "-m", "jupyterlite_core", "build", "--apps", "lab", "--force"]
    command += ["--lite-dir", str(work), "--output-dir", str(output), "--contents", str(work / "files")]
    command += ["--no-unused-shared-packages", "--no-sourcemaps"]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    if done.returncode:
        raise downloads.SiteError(f"JupyterLite could not be built:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    (output / "LICENCES.md").write_text(licences(list(pyodide.glob("*.whl"))), encoding="utf-8")
    add_script(output / "lab" / "index.html", files=len(lock["packages"]) + len(CORE))
    keep_for_later(output)


def settings(packages: list[str]) -> dict[str, Any]:
    """What JupyterLite is told: our Python, and everything loaded at the start."""
    kernel = {
        "pyodideUrl": "./static/pyodide/pyodide.mjs",
        "disablePyPIFallback": True,
        "loadPyodideOptions": {
            "packages": packages,
            "env": {
                "MCMTEACH_HOME": PROGRESS,
                "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            },
        },
    }
    return {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "appName": "mcmteach laboratory",
            "exposeAppInBrowser": True,
            "litePluginSettings": {"@jupyterlite/pyodide-kernel-extension:kernel": kernel},
        },
    }


def library_wheel(work: Path) -> Path:
    """The library itself, as every user gets it."""
    command = [
        sys.executable,
        "-c",
        "import sys; from flit_core.buildapi import build_wheel; build_wheel(sys.argv[1])",
        str(work),
    ]
    subprocess.run(
        command, cwd=ROOT, check=True, capture_output=True, env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    )
    (wheel,) = work.glob("*.whl")
    return wheel


def stand_in(wheel: Path) -> Path:
    """A wheel that is called highspy, of the version whose calls it knows."""
    info = "highspy-1.13.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.write(Path(__file__).with_name("highspy_stand_in.py"), "highspy.py")
        packed.writestr(
            f"{info}/METADATA",
            "Metadata-Version: 2.4\nName: highspy\nVersion: 1.13.0\nLicense-Expression: MIT\nRequires-Dist: scipy\n",
        )
        packed.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: mcmteach\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        packed.writestr(f"{info}/RECORD", "")
    return wheel


def add_bytecode(folder: Path) -> None:
    """In these archives, by the Python that will read it. Without, a browser compiles thousands of lines at every start."""
    script = Path(__file__).with_name("compile.mjs")
    command = ["node", str(script), str(downloads.npm("pyodide")), str(folder)]
    downloads.call(command, "the laboratory's Python cannot be compiled")


def kernel_wheels() -> list[Path]:
    """What the kernel's extension brings with it: itself, and stand-ins for ipykernel and widgetsnbextension."""
    folder = Path(sys.prefix, "share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension/static/pypi")
    return sorted(wheel for wheel in folder.glob("*.whl") if not wheel.name.startswith("widgetsnbextension-3"))


def release_packages(names: list[str]) -> list[str]:
    """These packages of Pyodide's release, and all that they depend on."""
    packages, found, left = downloads.pyodide_lock()["packages"], set(), list(names)
    while left:
        name = canonicalize_name(left.pop())
        if name not in found:
            found.add(name)
            left += packages[name]["depends"]
    return sorted(found)


def pyodide_lock(ours: list[Path], offline: bool) -> dict[str, Any]:
    """Pyodide's lock with our wheels beside those of the release that the course needs."""
    lock = downloads.pyodide_lock()
    named = release_packages(RELEASE if offline else RELEASE + ONLINE_ONLY)
    packages = {name: dict(lock["packages"][name]) for name in named}
    if not offline:
        for entry in packages.values():
            entry["file_name"] = f"{RELEASE_HOST}/v{downloads.NPM['pyodide'][0]}/full/{entry['file_name']}"
    packages.update((entry["name"], entry) for entry in map(lock_entry, ours))
    for entry in packages.values():
        entry["depends"] = sorted({canonicalize_name(name) for name in entry["depends"]} & set(packages))
    return {**lock, "packages": packages}


def read_wheel(wheel: Path) -> tuple[list[str], Message]:
    """The names of a wheel's files, and its metadata."""
    with zipfile.ZipFile(wheel) as packed:
        files = packed.namelist()
        said = packed.read(next(f for f in files if f.endswith(".dist-info/METADATA")))
    return files, email.message_from_bytes(said)


def licences(wheels: list[Path]) -> str:
    """A table of these files, each with the licence that its own metadata states."""
    lines = ["| file | licence |", "|---|---|"]
    for wheel in sorted(wheels):
        _, said = read_wheel(wheel)
        named = ", ".join(k.split(" :: ")[-1] for k in said.get_all("Classifier", []) if k.startswith("License ::"))
        text = (said["License"] or "see the file LICENSE inside").strip().split("\n")[0]
        lines.append(f"| {wheel.name} | {said['License-Expression'] or named or text} |")
    return "\n".join(lines) + "\n"


def lock_entry(wheel: Path) -> dict[str, Any]:
    """What Pyodide's lock says of a wheel."""
    name, version, _, _ = parse_wheel_filename(wheel.name)
    files, said = read_wheel(wheel)
    wanted = [Requirement(text) for text in said.get_all("Requires-Dist") or []]
    tops = {file.split("/")[0].removesuffix(".py") for file in files if file.endswith(".py")}
    return {
        "name": str(name), "version": str(version), "file_name": wheel.name, "install_dir": "site",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(), "package_type": "package", "unvendored_tests": False,
        "imports": sorted(top for top in tops if top.isidentifier()),
        "depends": [r.name for r in wanted if r.marker is None or r.marker.evaluate({"extra": ""})],
    }  # fmt: skip


def write_contents(folder: Path) -> None:
    """The notebooks as a student opens them, without outputs and with a kernel that the laboratory has; and their pages."""
    for path in [*ROOT.glob("lessons/[0-9]*.ipynb"), *ROOT.glob("exercises/[0-9]*.ipynb")]:
        notebook = json.loads(without_outputs(path.read_text(encoding="utf-8")))
        notebook["metadata"]["kernelspec"] = {
            "display_name": "Python (Pyodide)",
            "language": "python",
            "name": "python",
        }
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for part in ("*.md", "docs/*.md", "exercises/*.md", "lessons/*.md", "lessons/*.png"):  # what the notebooks link to
        for path in ROOT.glob(part):
            target = folder / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)
    (folder / "progress").mkdir()
    (folder / "progress" / "README.md").write_text(PROGRESS_PAGE, encoding="utf-8")


def keep_for_later(output: Path) -> None:
    """A list of the files that the laboratory may need, and a service worker that keeps them, by the version of the whole."""
    files = sorted(path for path in output.rglob("*") if path.is_file() and path.suffix not in UNUSED)
    names = [path.relative_to(output).as_posix() for path in files]
    kept = [f"../{name}" for name in BESIDE] + [name for name in names if not name.startswith("static/pyodide/")]
    (output / "files.json").write_text(json.dumps(kept), encoding="utf-8")
    files += [output.parent / name for name in BESIDE]
    whole = hashlib.sha256(b"".join(hashlib.sha256(path.read_bytes()).digest() for path in files)).hexdigest()
    ours = Path(__file__).with_name("offline.js").read_text(encoding="utf-8").replace("VERSION", whole[:16])
    worker = output / "service-worker.js"
    worker.write_text(ours + worker.read_text(encoding="utf-8"), encoding="utf-8")


def add_script(page: Path, files: int) -> None:
    """Our script and our icon in JupyterLite's page."""
    text = page.read_text(encoding="utf-8")
    icon, script = (f"../../{name}" for name in BESIDE)
    ours = f'<link rel="icon" href="{icon}"><script src="{script}" data-files="{files}"></script>'
    page.write_text(text.replace("</head>", f"{ours}</head>", 1), encoding="utf-8")
