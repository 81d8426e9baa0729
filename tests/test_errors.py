"""What to do about a package that is not installed: a command that works."""

import shlex
import sys

from mcmteach import errors
from tools.ledger import ROOT


def test_in_a_checkout_the_command_names_the_checkout():
    assert shlex.split(errors.install_command("fast")) == [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-e",
        f"{ROOT}[fast]",
    ]
    assert shlex.split(errors.install_command())[-1] == str(ROOT)


def test_beside_a_wheel_it_names_the_packages(monkeypatch, tmp_path):
    monkeypatch.setattr(errors, "PACKAGE", str(tmp_path / "mcmteach"))
    assert shlex.split(errors.install_command("fast"))[-2:] == ["install", "highspy>=1.13"]
    assert {"jupyterlab", "ipywidgets"} <= {
        what.partition(">=")[0] for what in shlex.split(errors.install_command("lessons"))
    }
    assert shlex.split(errors.install_command())[-2:] == [f"{p}>={v}" for p, v in errors.requirements()[""].items()]


def test_nobody_is_sent_to_a_registry_that_does_not_know_us():
    """No message, page or notebook says ``pip install mcmteach``."""
    kinds = (
        "mcmteach/**/*.py",
        "tools/**/*.py",
        "*.md",
        "docs/*.md",
        "exercises/**/*.md",
        "exercises/source/*",
        "lessons/*",
    )
    for path in (path for kind in kinds for path in ROOT.glob(kind) if path.is_file() and path.suffix != ".png"):
        text = path.read_text(encoding="utf-8").replace("``pip install mcmteach`` finds nothing", "")
        assert 'pip install "mcmteach' not in text and "pip install mcmteach" not in text, path
