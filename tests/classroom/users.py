"""Run Python as an ordinary user: CI is root, teachers are not."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np

from tools.ledger import ROOT

USER = "54321"  # nobody's
PACKAGES = Path(np.__file__).parents[1]


def python_as_user(*arguments, home, **options):
    """Python with these arguments, as a user who owns nothing but ``home``. Without root, as whoever runs the tests."""
    if os.geteuid() != 0:
        return subprocess.run([sys.executable, *arguments], cwd=ROOT, text=True, capture_output=True, **options)
    os.chown(home, int(USER), int(USER))
    variables = {"HOME": str(home), "TMPDIR": str(home), "PATH": "/usr/bin:/bin", "PYTHONPATH": f"{ROOT}:{PACKAGES}"}
    variables["PYTHONDONTWRITEBYTECODE"] = "1"
    command = [*_as_user(), _python(), *arguments]
    return subprocess.run(command, cwd=ROOT, env=variables, text=True, capture_output=True, **options)


def _as_user():
    return ["setpriv", "--reuid", USER, "--regid", USER, "--clear-groups"]


@cache
def _python():
    """A Python of this version that others than root can run: the tests' own may lie in root's folder."""
    trial = f"import sys; assert sys.version_info[:2] == {sys.version_info[:2]}; import numpy, IPython, os\n"
    trial += "os.listdir(os.path.dirname(os.path.realpath(sys.executable)))"
    for candidate in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        command = [*_as_user(), candidate, "-c", trial]
        done = subprocess.run(command, env={"PYTHONPATH": str(PACKAGES)}, capture_output=True, cwd="/")
        if done.returncode == 0:
            return candidate
    raise AssertionError("no Python can be run by an ordinary user here: make the tests' own readable for others")
