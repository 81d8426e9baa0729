"""``python -m mcmteach doctor``: is everything installed, does it work, and if not, what to do about it."""

from __future__ import annotations

import importlib.metadata as metadata
import platform
import re
import sys
from typing import NamedTuple

from mcmteach.errors import install_command, requirements

LIBRARY = "The library"
EXTRAS = {
    "lessons": "the lessons",
    "fast": "a faster solver",
    "experiments": "the paper's experiments",
    "classroom": "grading for a class",
    "onnx": "machines as ONNX files",
}


class Finding(NamedTuple):
    """One line of the report."""

    state: str  #: "ok", "missing", "old" or "broken"
    what: str
    detail: str
    remedy: str = ""
    needed: bool = True  #: whether this problem makes the library or the lessons fail

    def __str__(self) -> str:
        return f"  {self.state:<8} {self.what:<16} {self.detail}"


def doctor() -> int:
    """Print the report. 0 if everything installed works, 1 if something is broken or too old."""
    report = examine()
    print(f"mcmteach {_version('mcmteach') or '(not installed)'} on {platform.platform()}\n")
    for heading, findings in report.items():
        # a remedy for several findings is printed once
        remedies = dict.fromkeys(f"  {'->':<8} {f.remedy}" for f in findings if f.remedy)
        print(heading, *findings, *remedies, sep="\n", end="\n\n")
    print(_summary(report))
    return 1 if _broken(report) else 0


def _broken(report: dict[str, list[Finding]]) -> list[Finding]:
    """Findings that must be fixed. A package that is not installed is not broken, unless the library itself needs it."""
    core = [finding for finding in report[LIBRARY] if finding.state != "ok"]
    extras = [finding for heading, findings in report.items() if heading != LIBRARY for finding in findings]
    return core + [finding for finding in extras if finding.needed and finding.state in ("old", "broken")]


def _summary(report: dict[str, list[Finding]]) -> str:
    if broken := _broken(report):
        whole = "" if set(broken) & set(report[LIBRARY]) else "The library works. "
        things = f"{len(broken)} problem{'s' if len(broken) > 1 else ''} to fix"
        return f"{whole}{things}. Follow the arrows above, then run this again."
    parts = {"the library": report[LIBRARY]}
    parts |= {what: report[heading(extra)] for extra, what in EXTRAS.items() if extra in ("lessons", "classroom")}
    absent = [what for what, findings in parts.items() if any(finding.state != "ok" for finding in findings)]
    works = [what for what in parts if what not in absent]
    rest = f" Not installed: {' and '.join(absent)}; follow the arrows above if you want them." if absent else ""
    return f"All is well: {', '.join(works)} will work.{rest}"


def heading(extra: str) -> str:
    return f"The extra '{extra}': {EXTRAS[extra]}"


def examine() -> dict[str, list[Finding]]:
    """Every finding, under its heading."""
    needs = requirements()
    python = Finding("ok", "Python", f"{platform.python_version()}  ({sys.executable})")
    core = [python, *(_package(name, least) for name, least in needs.get("", {}).items()), _solver()]
    report = {LIBRARY: core}
    in_browser = sys.platform == "emscripten"  # there JupyterLab is the page itself and not a package
    for extra in EXTRAS:
        wanted = {
            name: least for name, least in needs.get(extra, {}).items() if not (in_browser and name == "jupyterlab")
        }
        findings = [_package(name, least, extra, extra == "lessons") for name, least in wanted.items()]
        if extra == "lessons" and not in_browser:
            findings.append(_widgets())
        if extra == "classroom" and all(finding.state == "ok" for finding in findings):
            findings.append(_sandbox())
        report[heading(extra)] = findings
    return report


def _package(name: str, least: str, extra: str = "", needed: bool = True) -> Finding:
    version = _version(name)
    install = install_command(extra)
    if version is None:
        note = "not installed" if needed else "not installed (optional)"
        return Finding("missing", name, note, install, needed)
    if _numbers(version) < _numbers(least):
        return Finding("old", name, f"{version}, but {least} is needed", f"{install} --upgrade", needed)
    return Finding("ok", name, version, needed=needed)


def _solver() -> Finding:
    """Solve an MCM whose answer is known: points 1, 2 | -1, -4 on a line have h = 4."""
    try:
        from mcmteach.solvers.solve import solve_mcm

        solution = solve_mcm([[1.0], [2.0], [-1.0], [-4.0]], [1, 1, -1, -1], C=float("inf"), sparsity=0.0)
    except Exception as problem:  # any failure is reported as a finding, not as a traceback
        return Finding("broken", "solver", f"{type(problem).__name__}: {problem}", "Reinstall numpy and scipy.")
    if abs(solution.h - 4) > 1e-6 or not solution.certificate.proves_optimal():
        return Finding("broken", "solver", f"linprog says h = {solution.h}, and it is 4", "Reinstall numpy and scipy.")
    return Finding("ok", "solver", "scipy's linprog (HiGHS) solved an MCM, and its certificate holds")


def _widgets() -> Finding:
    """Sliders need a part inside JupyterLab too, of the generation that ipywidgets has in Python."""
    python, lab = _version("ipywidgets"), _version("jupyterlab_widgets")
    remedy = f"{install_command('lessons')} --upgrade, then restart JupyterLab."
    if python is None:
        return Finding("missing", "sliders", "ipywidgets is not installed", remedy)
    if lab is None:
        return Finding("broken", "sliders", "ipywidgets needs jupyterlab_widgets beside it", remedy)
    expected = _numbers(python)[0] - 5  # ipywidgets 8 goes with jupyterlab_widgets 3
    if _numbers(lab)[0] != expected:
        return Finding("broken", "sliders", f"ipywidgets {python} does not go with jupyterlab_widgets {lab}", remedy)
    return Finding("ok", "sliders", f"jupyterlab_widgets {lab} goes with ipywidgets {python}")


def _sandbox() -> Finding:
    """Grading a class runs strangers' code, and only in a sandbox."""
    from mcmteach.classroom.sandbox import why_no_walls

    if why := why_no_walls():
        remedy = "sudo apt install bubblewrap (Linux), or grade in a container: exercises/TEACHING.md says how."
        return Finding("missing", "sandbox", why, remedy, needed=False)
    return Finding("ok", "sandbox", "bubblewrap works: submissions can be graded", needed=False)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version.split("+")[0])[:3])
