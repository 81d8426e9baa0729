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
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from mcmteach.classroom.working_copies import without_outputs
from tools.site import downloads
from tools.site.downloads import ROOT

#: From Pyodide's release: what the lessons import, and what the kernel begins with.
RELEASE = ["matplotlib", "micropip", "numpy", "scikit-learn", "scipy"]
#: In the release too, but nobody carries its wheel: the online laboratory has it, the OFFLINE one solves with linprog.
ONLINE_ONLY = ["highspy"]
#: Where Pyodide's own release is, for a laboratory that is not OFFLINE (JupyterLite's default, too).
RELEASE_HOST = "https://cdn.jsdelivr.net/pyodide"
CORE = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"]
PROGRESS_PAGE = """\
# Your progress

`progress.json` in this folder says which tasks are done. It is kept in this browser. To keep it elsewhere, download it
(right click, *Download*); to go on in another browser, upload it into this folder there.
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
    for wheel in ours:
        shutil.copy2(wheel, pyodide)
    lock = pyodide_lock(ours, offline)
    if offline:
        for wheel in downloads.pyodide_wheels(release_packages(RELEASE)).values():
            shutil.copy2(wheel, pyodide)
    (pyodide / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")
    write_contents(work / "files")
    (work / "jupyter-lite.json").write_text(json.dumps(settings(sorted(lock["packages"])), indent=1), encoding="utf-8")
    command = [sys.executable, "-m", "jupyterlite_core", "build", "--lite-dir", work, "--output-dir", output]
    command += [
        "--contents",
        work / "files",
        "--apps",
        "lab",
        "--no-unused-shared-packages",
        "--no-sourcemaps",
        "--force",
    ]
    done = subprocess.run([str(word) for word in command], cwd=work, capture_output=True, text=True, check=False)
    if done.returncode:
        raise downloads.SiteError(f"JupyterLite could not be built:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    mend_service_worker(output / "service-worker.js")
    add_loading_bar(output / "lab" / "index.html", files=len(lock["packages"]) + len(CORE))


def settings(packages: list[str]) -> dict[str, Any]:
    """What JupyterLite is told: our Python, everything loaded at the start, files kept by a service worker."""
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
            "enableServiceWorkerCache": "true",
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


def lock_entry(wheel: Path) -> dict[str, Any]:
    """What Pyodide's lock says of a wheel."""
    name, version, _, _ = parse_wheel_filename(wheel.name)
    with zipfile.ZipFile(wheel) as packed:
        files = packed.namelist()
        said = email.message_from_bytes(packed.read(next(f for f in files if f.endswith(".dist-info/METADATA"))))
    wanted = [Requirement(text) for text in said.get_all("Requires-Dist") or []]
    tops = {file.split("/")[0].removesuffix(".py") for file in files if file.endswith(".py")}
    return {
        "name": str(name), "version": str(version), "file_name": wheel.name, "install_dir": "site",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(), "package_type": "package", "unvendored_tests": False,
        "imports": sorted(top for top in tops if top.isidentifier()),
        "depends": [r.name for r in wanted if r.marker is None or r.marker.evaluate({"extra": ""})],
    }  # fmt: skip


def write_contents(folder: Path) -> None:
    """The notebooks as a student opens them: without outputs, and with a kernel that the laboratory has."""
    for path in [*ROOT.glob("lessons/[0-9]*.ipynb"), *ROOT.glob("exercises/[0-9]*.ipynb")]:
        notebook = json.loads(without_outputs(path.read_text(encoding="utf-8")))
        notebook["metadata"]["kernelspec"] = {
            "display_name": "Python (Pyodide)",
            "language": "python",
            "name": "python",
        }
        notebook["metadata"]["language_info"] = {"name": "python"}
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "progress").mkdir()
    (folder / "progress" / "README.md").write_text(PROGRESS_PAGE, encoding="utf-8")


def mend_service_worker(path: Path) -> None:
    """Its cache stays on after the browser has stopped and started it; wheels, which never change, are fetched once."""
    text = path.read_text(encoding="utf-8")
    asked = '"true"===new URL(location.href).searchParams.get("enableCache")'
    for old, new in {
        "let enableCache=!1;": f"let enableCache={asked};",
        "e.waitUntil(refetch(t)):": 't.url.includes("/static/pyodide/")||e.waitUntil(refetch(t).catch(()=>{})):',
    }.items():
        if text.count(old) != 1:
            raise downloads.SiteError(f"JupyterLite's service worker has changed: {old!r} is not in it once.")
        text = text.replace(old, new)
    told = 'e.request.url.includes("/static/pyodide/")&&new BroadcastChannel("mcmteach-loading").postMessage(e.request.url)'
    path.write_text(f'{text};self.addEventListener("fetch",e=>{{{told}}});\n', encoding="utf-8")


def add_loading_bar(page: Path, files: int) -> None:
    """Our script and our icon in JupyterLite's page."""
    text = page.read_text(encoding="utf-8")
    script = f'<script src="../../_static/laboratory.js" data-files="{files}"></script>'
    ours = f'<link rel="icon" href="../../_static/favicon.svg">{script}'
    page.write_text(text.replace("</head>", f"{ours}</head>", 1), encoding="utf-8")
