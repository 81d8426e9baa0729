"""Processes that tests start: an endless loop in one ends, however busy the machine is."""

import resource
import subprocess
import sys


def python(*arguments, seconds=120, **options):
    """A Python of its own with these arguments, which may use so many seconds of processor time."""
    limit = (seconds, seconds)
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, limit),
        **options,
    )
