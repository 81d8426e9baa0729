"""Where a submission runs: a process that sees a few folders of the system, read-only, and nothing else.

The walls are bubblewrap's (``bwrap``, on Linux): no network, no files but Python's own and a temporary folder in memory,
no processes but its own, which all end when it ends. Time, memory, processes and output are limited by the operating
system inside, and by a watchman outside who adds up what all of its processes take together.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import mcmteach

PACKAGE = Path(mcmteach.__file__).parent
SCRIPT = Path(__file__).with_name("student.py")
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts")
MB = 1 << 20

CONTAINER = (
    "Run the command inside a container or a virtual machine instead, one that holds nothing but the course and the "
    "submissions."
)


# what nobody keeps a submission from doing where there are no walls
NOT_ENFORCED = (
    "reading and deleting any file that you may read and delete, the other submissions among them",
    "reading the reference answers, which are part of the installed package",
    "using the network",
    "leaving processes behind that have hidden from the watchman",
)


@dataclass(frozen=True)
class Limits:
    """What one submission may take."""

    total: float = 120.0  #: seconds in all
    cell: float = 30.0  #: seconds for one cell
    memory: int = 2048 * MB  #: bytes, for all its processes together
    processes: int = 64
    output: int = 1 * MB  #: bytes that it may print; the rest is thrown away
    disk: int = 64 * MB  #: bytes of temporary files


@cache
def why_no_walls() -> str:
    """Why bubblewrap cannot be used here, or nothing."""
    if not sys.platform.startswith("linux"):
        return "bubblewrap exists for Linux only"
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed (on Debian and Ubuntu: apt install bubblewrap)"
    trial = subprocess.run([*walls(), "true"], capture_output=True, text=True, timeout=30)
    return "" if trial.returncode == 0 else f"bubblewrap does not work here ({trial.stderr.strip()})"


def walls(disk: int = 64 * MB, nothing: str = "/dev/null") -> list[str]:
    """The command that puts up the walls; the command to run inside follows it."""
    command = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"]
    # the temporary folder first: Python or the package may lie below it
    command += ["--proc", "/proc", "--dev", "/dev", "--size", str(MB), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]
    command += ["--size", str(disk), "--tmpfs", "/tmp", "--chdir", "/tmp"]
    for folder in (*SYSTEM, *_pythons()):
        command += ["--ro-bind-try", folder, folder]
    command += ["--ro-bind", str(PACKAGE), str(PACKAGE), "--ro-bind", str(SCRIPT), str(SCRIPT)]
    for answers in sorted((PACKAGE / "checks").glob("lesson*.py")):  # the reference answers, in text …
        command += ["--ro-bind", nothing, str(answers)]
    for compiled in PACKAGE.glob("checks/__pycache__"):  # … and compiled
        command += ["--size", str(MB), "--tmpfs", str(compiled)]
    command += ["--remount-ro", "/"]  # what is not a folder of its own above cannot be written to
    for name, value in environment("/tmp").items():
        command += ["--setenv", name, value]
    return command


def environment(home: str) -> dict[str, str]:
    """All that a submission gets to know about where it runs."""
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    places = {"PATH": "/usr/bin:/bin", "HOME": home, "MCMTEACH_HOME": home, "PYTHONPATH": str(PACKAGE.parent)}
    settings = {"MCMTEACH_GRADING": "1", "MPLBACKEND": "agg", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
    return {**places, **settings, **one_thread, "LANG": "C.UTF-8"}


def _pythons() -> Iterator[str]:
    """Where this Python and its packages are."""
    yield from dict.fromkeys([sys.base_prefix, sys.prefix])
    yield str(Path(sys.executable).resolve().parent.parent)


class Sandboxed:
    """A process in the sandbox, with a channel to it. What it prints is read, kept up to a limit, and thrown away beyond."""

    def __init__(self, folder: Path, limits: Limits, walled: bool):
        self.limits, self.stopped_for = limits, ""
        nothing = folder / "nothing"
        nothing.touch()
        command = walls(limits.disk, str(nothing)) if walled else []
        theirs_in, self.to = os.pipe()
        self.back, theirs_out = os.pipe()
        command += [sys.executable, "-X", "faulthandler", str(SCRIPT), str(theirs_in), str(theirs_out)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=environment(str(folder)), pass_fds=(theirs_in, theirs_out), cwd=folder, start_new_session=True,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        os.set_blocking(self.back, False)
        os.set_blocking(self.to, False)
        self.printed, self.begins = 0, b""
        for work in (self._drain, self._watch):
            threading.Thread(target=work, daemon=True).start()

    def stop(self, reason: str = "") -> None:
        """End it and everything that it started."""
        self.stopped_for = self.stopped_for or reason
        if self.process.poll() is None:
            for process in reversed(list(self._family())):
                _kill(process)
            self.process.kill()
        self.process.wait()

    def close(self) -> None:
        self.stop()
        for end in (self.to, self.back):
            os.close(end)

    def _drain(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as pipe:
            while piece := os.read(pipe.fileno(), MB):
                self.printed += len(piece)
                self.begins = (self.begins + piece)[:2000]

    def _watch(self) -> None:
        import psutil

        end = time.monotonic() + self.limits.total
        while self.process.poll() is None:
            memory, count = 0, 0
            for process in self._family():
                try:
                    memory += process.memory_info().rss
                    count += 1
                except psutil.Error:  # it has just ended
                    continue
            if count > self.limits.processes:
                self.stop(f"it started more than {self.limits.processes} processes")
            elif memory > self.limits.memory:
                self.stop(f"it took more than {self.limits.memory // MB} MB of memory")
            elif time.monotonic() > end:
                self.stop(f"it took more than {self.limits.total:g} seconds")
            time.sleep(0.1)

    def _family(self) -> list:
        import psutil

        try:
            me = psutil.Process(self.process.pid)
            return [me, *me.children(recursive=True)]
        except psutil.Error:
            return []


def _kill(process: object) -> None:
    import psutil

    try:
        process.kill()  # type: ignore[attr-defined]
    except psutil.Error:  # it has ended by itself
        return
