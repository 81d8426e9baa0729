"""Where a submission runs: a process that sees a few folders of the system, read-only, and nothing else.

The isolation is bubblewrap's (``bwrap``, on Linux): no network, no files but Python's own and a temporary folder in memory,
no processes but its own, which all end when it ends. Time, memory, processes and output are limited by the operating
system inside, and by a thread outside that adds up what all of its processes take.
"""

from __future__ import annotations

import json
import os
import platform
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import IO

import mcmteach
from mcmteach.classroom.syscalls import DENIED, syscall_filter

PACKAGE = Path(mcmteach.__file__).parent
SCRIPT = Path(__file__).with_name("student.py")
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts")
MB = 1 << 20
LARGEST = 5 * MB  # bytes of a notebook
TRIAL = 600  # seconds for a trial of the walls, which takes one or two on a quiet machine
LOOK = 0.01  # seconds between two looks at how long a submission has waited for a processor
PATIENCE = 10  # seconds that the kernel may take to end what was killed
NOBODY = 1_900_000_000  # a worker's process id is added: users above those of any system or container, who own nothing
ROOT_KEEPS = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP"]  # until setpriv has run
WRITABLE = ("tmp", "dev/shm")  # folders in memory whose files are counted

CONTAINER = (
    "Run the command inside a container or a virtual machine instead, one that holds nothing but the course and the "
    "submissions."
)


# what nothing prevents a submission from doing without a sandbox
NOT_ENFORCED = (
    "reading and deleting any file that you may read and delete, the other submissions among them",
    "reading the reference answers, which are part of the installed package",
    "using the network",
    "leaving processes behind that the limits do not see",
)


@dataclass(frozen=True)
class Limits:
    """The resources that one submission may use. Seconds do not count while it waits for a processor."""

    total: float = 120.0  #: seconds in all, and of processor time of all its processes together
    cell: float = 30.0  #: seconds for one cell
    memory: int = 2048 * MB  #: bytes, for all its processes together
    processes: int = 32
    files: int = 20_000  #: that it may have at a time
    output: int = 1 * MB  #: bytes that it may print; the rest is thrown away
    disk: int = 64 * MB  #: bytes of temporary files


@cache
def why_no_walls() -> str:
    """Why bubblewrap cannot be used here, or nothing."""
    if not sys.platform.startswith("linux"):
        return "bubblewrap exists for Linux only"
    if platform.machine() not in DENIED:
        return f"it is not known how to filter the system calls of this processor ({platform.machine()})"
    needed = {"bwrap": "bubblewrap"} | ({"setpriv": "util-linux"} if os.geteuid() == 0 else {})
    if missing := [package for program, package in needed.items() if shutil.which(program) is None]:
        return f"{missing[0]} is not installed (on Debian and Ubuntu: apt install {missing[0]})"
    with tempfile.TemporaryFile() as rules:
        command = [
            *walls(),
            *_filtered(rules),
            *unprivileged(),
            sys.executable,
            "-c",
            "import IPython, mcmteach, numpy",
        ]
        try:
            trial = subprocess.run(command, capture_output=True, text=True, timeout=TRIAL, pass_fds=(rules.fileno(),))
        except subprocess.TimeoutExpired:
            return f"a trial of bubblewrap did not end in {TRIAL} seconds"
    if trial.returncode == 0:
        return ""
    said = (trial.stderr.strip().splitlines() or [f"exit status {trial.returncode}"])[-1]
    if os.geteuid() == 0:
        said += "; as root this needs the rights to mount and to change the user. Try it as an ordinary user"
    return f"a trial of bubblewrap failed ({said})"


def walls(disk: int = 64 * MB, nothing: str = "/dev/null") -> list[str]:
    """The command that sets up the sandbox; ``unprivileged()`` and the command to run inside follow it."""
    command = ["bwrap", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]
    command += ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    # Root mounts as root and gives the rights up afterwards (``unprivileged``). Root in a user namespace would remain the
    # machine's root for everything that asks for the user only, such as /proc/sys.
    command += ROOT_KEEPS if os.geteuid() == 0 else ["--unshare-user"]
    # the temporary folder first: Python or the package may lie below it
    command += ["--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", str(MB), "--tmpfs", "/dev/shm"]
    # what is mapped from /dev/zero would be memory that counts for no process
    command += ["--ro-bind", nothing, "/dev/zero", "--remount-ro", "/dev"]
    command += ["--perms", "1777", "--size", str(disk), "--tmpfs", "/tmp", "--chdir", "/tmp"]
    seen = [*SYSTEM, *_pythons(), str(PACKAGE), str(SCRIPT)]
    for parent in dict.fromkeys(str(p) for place in seen for p in reversed(Path(place).parents) if p != Path("/")):
        command += ["--perms", "0755", "--dir", parent]  # which bubblewrap would keep to root
    for place in seen:
        command += ["--ro-bind-try", place, place]
    copies = [Path(place, "mcmteach") for place in sys.path]  # another one may be installed beside the one that runs
    others = [copy for copy in copies if copy.is_dir() and is_visible(copy) and not copy.samefile(PACKAGE)]
    for answers in dict.fromkeys([PACKAGE / "checks" / "tasks", *others]):
        command += ["--size", str(MB), "--tmpfs", str(answers), "--remount-ro", str(answers)]
    # what is not a folder of its own above cannot be written to; /proc least of all, where other processes' memory is
    command += ["--remount-ro", "/proc", "--remount-ro", "/"]
    for name, value in environment("/tmp").items():
        command += ["--setenv", name, value]
    return command


def unprivileged() -> list[str]:
    """For root: what comes between bubblewrap and the command, which then runs as a user that owns nothing.

    Each worker has a user of its own, since the kernel counts processes by user.
    """
    if os.geteuid() != 0:
        return []
    nobody = str(NOBODY + os.getpid())
    drop = ["--inh-caps=-all", "--bounding-set=-all", "--no-new-privs", "--clear-groups"]
    return ["setpriv", "--reuid", nobody, "--regid", nobody, *drop, "--"]


def _filtered(rules: IO[bytes]) -> list[str]:
    """The argument that keeps system calls out, whose rules are written to a file that the command inherits."""
    rules.write(syscall_filter())
    rules.seek(0)
    return ["--seccomp", str(rules.fileno())]


def environment(home: str) -> dict[str, str]:
    """The environment variables that a submission sees."""
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    packages = os.pathsep.join([str(PACKAGE.parent), *_packages()])
    places = {"PATH": "/usr/bin:/bin", "HOME": home, "MCMTEACH_HOME": home, "PYTHONPATH": packages}
    settings = {"MCMTEACH_GRADING": "1", "MPLBACKEND": "agg", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
    return {**places, **settings, **one_thread, "LANG": "C.UTF-8"}


def is_visible(path: Path) -> bool:
    """Whether a submission can read what is there: it is below a folder that Python needs."""
    places = [Path(folder).resolve() for folder in (*SYSTEM, *_pythons())]
    return any(path.resolve().is_relative_to(place) for place in places)


def _pythons() -> list[str]:
    """Where this Python and its packages are."""
    return list(
        dict.fromkeys([sys.base_prefix, sys.prefix, str(Path(sys.executable).resolve().parent.parent), *_packages()])
    )


def _packages() -> list[str]:
    """Folders of installed packages outside this Python's own, as ``pip install --user`` makes them."""
    folders = [place for place in sys.path if Path(place).name in ("site-packages", "dist-packages")]
    return [place for place in folders if not place.startswith((sys.prefix + os.sep, sys.base_prefix + os.sep))]


class Sandboxed:
    """A process in the sandbox, with a channel to it. What it prints is read, kept up to a limit, and thrown away beyond."""

    def __init__(self, folder: Path, limits: Limits, walled: bool):
        self.limits, self.stopped_for = limits, ""
        self.begun = time.monotonic()
        self.student: int | None = None  # the process that runs the submission
        self._waited, self._looked = 0.0, 0.0  # seconds, and when we last looked
        self.inside: int | None = None  # a handle on the sandbox's first process, with which all others in it end
        self.root = ""  # its folders, as seen from outside
        theirs_in, self.to = os.pipe()
        self.back, theirs_out = os.pipe()
        student = [sys.executable, "-P", "-X", "faulthandler", str(SCRIPT), str(theirs_in), str(theirs_out)]
        self._start(student, folder, (theirs_in, theirs_out), walled)
        os.close(theirs_in)
        os.close(theirs_out)
        os.set_blocking(self.back, False)
        os.set_blocking(self.to, False)
        self.printed, self.begins, self.peak, self.ended = 0, b"", 0, threading.Event()
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self._drain, self._watch)]
        for thread in self.threads:
            thread.start()

    def _start(self, command: list[str], folder: Path, fds: tuple[int, ...], walled: bool) -> None:
        told, tell = os.pipe()
        with tempfile.TemporaryFile() as rules, os.fdopen(told) as info:
            if walled:
                nothing = folder / "nothing"
                nothing.touch()
                around = [*walls(self.limits.disk, str(nothing)), *_filtered(rules), "--info-fd", str(tell)]
                command, fds = [*around, *unprivileged(), *command], (*fds, rules.fileno(), tell)
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                env=environment(str(folder)), pass_fds=fds, cwd=folder, start_new_session=True,
            )  # fmt: skip
            os.close(tell)
            self.first = self.process.pid
            if said := info.read():  # nothing if bubblewrap could not begin; what it printed says why
                first = json.loads(said)["child-pid"]
                self.inside, self.root, self.first = _handle(first), os.path.join("/proc", str(first), "root"), first
                _limit(first, self.limits)

    def waited(self) -> float:
        """Seconds in which the submission's first process could have gone on and had no processor."""
        from mcmteach.classroom.student import waited  # Linux only, as is the sandbox

        if time.monotonic() - self._looked > LOOK:
            self._looked = time.monotonic()
            self.student = self.student or self._find_student()
            if self.student:  # of a process that has ended nothing can be read: what it had waited stays
                self._waited = max(self._waited, waited(self.student))
        return self._waited

    def _find_student(self) -> int | None:
        """bubblewrap's first process has one child, and takes over orphans only when the submission makes some."""
        import psutil

        if self.inside is None:
            return self.process.pid
        try:
            return min((p.create_time(), p.pid) for p in psutil.Process(self.first).children())[1]
        except (psutil.Error, ValueError):  # it has not begun yet, or has ended
            return None

    def stop(self, reason: str = "") -> None:
        """End it and everything that it started, and wait until that has ended."""
        self.stopped_for = self.stopped_for or reason
        family = self._family()
        if self.inside is not None:
            _kill_by_handle(self.inside)
        for process in reversed(family):
            _kill(process)
        self.process.wait()
        self.ended.set()

    def close(self) -> None:
        self.stop()
        for thread in self.threads:
            thread.join(PATIENCE)
        for end in (self.to, self.back, *([] if self.inside is None else [self.inside])):
            os.close(end)

    def _drain(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as pipe:
            while piece := os.read(pipe.fileno(), MB):
                self.printed += len(piece)
                self.begins = (self.begins + piece)[:2000]

    def _watch(self) -> None:
        import psutil

        while not self.ended.wait(0.1) and self.process.poll() is None:
            memory, count, processor = 0, 0, 0.0
            for process in self._family():
                try:
                    memory += process.memory_info().rss
                    processor += sum(process.cpu_times()[:4])  # its own, and that of its children that have ended
                    count += 1
                except psutil.Error:  # it has just ended
                    continue
            self.peak = max(self.peak, memory)
            if count > self.limits.processes:
                self.stop(f"it started more than {self.limits.processes} processes")
            elif memory > self.limits.memory:
                self.stop(f"it took more than {self.limits.memory // MB} MB of memory")
            elif self._files() > self.limits.files:
                self.stop(f"it made more than {self.limits.files} files")
            elif max(time.monotonic() - self.begun - self.waited(), processor) > self.limits.total:
                self.stop(f"it took more than {self.limits.total:g} seconds")

    def _files(self) -> int:
        """How many files there are in its folders in memory: each takes memory, even an empty one."""
        if not self.root:  # without a sandbox there is no folder in memory
            return 0
        try:
            disks = [os.statvfs(os.path.join(self.root, folder)) for folder in WRITABLE]
        except OSError:  # it has just ended
            return 0
        return sum(disk.f_files - disk.f_ffree for disk in disks)

    def _family(self) -> list:
        import psutil

        try:
            me = psutil.Process(self.process.pid)
            return [me, *me.children(recursive=True)]
        except psutil.Error:
            return []


def _handle(pid: int) -> int | None:
    """A handle that refers to this process even if its number is reused. None if it has ended."""
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        return None


def _limit(pid: int, limits: Limits) -> None:
    """Limit the sandbox's first process, which is bubblewrap's own and runs nothing of the submission, as one of those that do:
    what was written into it would have these limits too."""
    import resource  # Linux only, as is the sandbox

    from mcmteach.classroom.student import resource_limits

    try:
        for what, value in resource_limits(asdict(limits)):
            resource.prlimit(pid, what, (value, value))
    except ProcessLookupError:  # it has ended by itself
        return


def _kill_by_handle(handle: int) -> None:
    """End the first process of a sandbox. The kernel ends the others in it before that one counts as ended."""
    try:
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    except ProcessLookupError:  # it has ended by itself
        return
    waiting = select.poll()
    waiting.register(handle, select.POLLIN)
    waiting.poll(1000 * PATIENCE)


def _kill(process: object) -> None:
    import psutil

    try:
        process.kill()  # type: ignore[attr-defined]
    except psutil.Error:  # it has ended by itself
        return
