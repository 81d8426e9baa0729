"""What the site needs from package registries: each file by version and checksum, kept in a folder outside the project.

npm, the program, which knows its registry, gives MathJax, axe-core and the Python interpreter (``pyodide``). The wheels of
Pyodide's own release (numpy, scipy, matplotlib, scikit-learn and what they need, for WebAssembly) lie on no registry by
themselves. ``make site OFFLINE=1`` takes them out of a PyPI wheel that carries them, ``open-webui``, which is never installed;
every file is compared with the SHA-256 in the lock file of npm's ``pyodide``, so that it does not matter who carried it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mcmteach-site"
#: name: (version, the integrity that npm states for it)
NPM = {
    "mathjax": (
        "3.2.2",
        "sha512-Bt+SSVU8eBG27zChVewOicYs7Xsdt40qm4+UpHyX7k0/O9NliPc+x77k1/FEsPsjKPZGJvtRZM1vO+geW0OhGw==",
    ),
    "pyodide": (
        "314.0.3",
        "sha512-sK40My6m8tmBUYtYH9au9rXUeh9x0wfahtHdOlGmJxZDsKBGKtP6KznyFB2+u/klbQTdDionR0uaVd176zVQzQ==",
    ),
    "axe-core": (
        "4.14.0",
        "sha512-9WTZxEjsZ7b13TH8JPmbV2z8CHbl80/2hm3XPEG4JgNdQLK81IBRXmSxHfMAOkSqQeRxT/0dwNDz2GOm3zzpcQ==",
    ),
}
CARRIER = ("open-webui", "0.12.4", "02e9caba96234db3fa17a92e56163b3f7f2b8ca8227fa886b85c178d696483f6")


class SiteError(Exception):
    """The site cannot be built; the message says what is missing."""


def npm(name: str) -> Path:
    """The unpacked npm package, whose archive had the stated checksum."""
    version, integrity = NPM[name]
    folder = CACHE / f"{name}-{version}"
    if not folder.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        archive = CACHE / f"{name}-{version}.tgz"
        if not archive.exists():
            command = ["npm", "pack", f"{name}@{version}", "--pack-destination", str(CACHE), "--loglevel=error"]
            call(command, f"{name} {version} cannot be had from npm's registry")
        kind, _, stated = integrity.partition("-")
        found = base64.b64encode(hashlib.new(kind, archive.read_bytes()).digest()).decode()
        if found != stated:
            archive.unlink()
            raise SiteError(f"npm's {name} {version} has the {kind} {found}, and not {stated}: nothing of it is used.")
        with tarfile.open(archive) as packed:
            packed.extractall(folder.with_suffix(".new"), filter="data")
        (folder.with_suffix(".new") / "package").rename(folder)
        folder.with_suffix(".new").rmdir()
    return folder


def wheels(requirements: Path) -> list[Path]:
    """The wheels of a hashed lock, for any platform."""
    folder = CACHE / f"wheels-{hashlib.sha256(requirements.read_bytes()).hexdigest()[:16]}"
    if not folder.exists():
        new = folder.with_suffix(".new")
        shutil.rmtree(new, ignore_errors=True)
        _download(["--require-hashes", "-r", str(requirements)], new, requirements.name)
        new.rename(folder)
    return sorted(folder.glob("*.whl"))


def pyodide_wheels(names: list[str]) -> dict[str, Path]:
    """Wheels of Pyodide's release by package, out of the carrier, each with the checksum in npm's lock of Pyodide."""
    name, version, checksum = CARRIER
    folder = CACHE / f"pyodide-wheels-{NPM['pyodide'][0]}"
    found = {}
    for package, entry in ((package, pyodide_lock()["packages"][package]) for package in names):
        path = folder / entry["file_name"]
        if not path.exists():
            carrier = _carrier(name, version, checksum)
            with zipfile.ZipFile(carrier) as packed:
                inside = next((n for n in packed.namelist() if n.endswith(f"/pyodide/{path.name}")), None)
                if inside is None:
                    raise SiteError(f"{name} {version} does not carry {path.name}, which an OFFLINE site needs.")
                content = packed.read(inside)
            if hashlib.sha256(content).hexdigest() != entry["sha256"]:
                raise SiteError(f"{path.name} is not the file that npm's lock of Pyodide names: it is not used.")
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        found[package] = path
    return found


def pyodide_lock() -> dict[str, Any]:
    """The lock file of npm's ``pyodide``: every package of the release, with its file and its checksum."""
    return json.loads((npm("pyodide") / "pyodide-lock.json").read_text(encoding="utf-8"))


def _carrier(name: str, version: str, checksum: str) -> Path:
    folder = CACHE / f"{name}-{version}"
    if not folder.exists():
        listed = CACHE / "carrier.txt"
        CACHE.mkdir(parents=True, exist_ok=True)
        listed.write_text(f"{name}=={version} --hash=sha256:{checksum}\n")
        new = folder.with_suffix(".new")
        shutil.rmtree(new, ignore_errors=True)
        _download(["--require-hashes", "-r", str(listed)], new, f"{name} {version}, which carries Pyodide's wheels,")
        new.rename(folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


def _download(what: list[str], folder: Path, called: str) -> None:
    options = ["--no-deps", "--only-binary", ":all:", "--ignore-requires-python", "--quiet", "-d", str(folder)]
    call([sys.executable, "-m", "pip", "download", *options, *what], f"{called} cannot be had from its registry")


def call(command: list[str], failure: str) -> None:
    """Run it. Where it fails, the site cannot be built: the message is ``failure``, and the reason that was given last."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise SiteError(f"{failure}: {command[0]} is not installed (Debian: apt-get install npm).") from None
    if done.returncode:
        raise SiteError(f"{failure}: {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}")
