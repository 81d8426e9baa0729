"""The command line: the doctor tells the truth, and --help reads well."""

import tomllib
from importlib import metadata

import pytest

from mcmteach import __version__, doctor
from mcmteach.__main__ import main
from tests.processes import python
from tools.ledger import ROOT


def test_a_healthy_installation(capsys):
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "All is well" in out
    for name in ("Python", "numpy", "scipy", "solver", "jupyterlab", "ipywidgets", "sliders", "highspy", "nbgrader"):
        assert f" {name} " in out
    assert metadata.version("scipy") in out


@pytest.mark.parametrize(
    ("name", "version", "remedy", "status"),
    [
        ("jupyterlab", None, f'pip install -e "{ROOT}[lessons]"', 0),
        ("matplotlib", "3.0.0", f'pip install -e "{ROOT}[lessons]" --upgrade', 1),
        ("scipy", "1.0", f'pip install -e "{ROOT}" --upgrade', 1),
        ("jupyterlab_widgets", None, "restart JupyterLab", 1),
        ("jupyterlab_widgets", "1.1.0", "restart JupyterLab", 1),
        ("highspy", None, f'pip install -e "{ROOT}[lessons]"', 0),
        ("scipy", None, f'pip install -e "{ROOT}"', 1),
        ("nbgrader", None, f'pip install -e "{ROOT}[classroom]"', 0),
    ],
)
def test_each_problem_comes_with_a_remedy(monkeypatch, capsys, name, version, remedy, status):
    real = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda asked: version if asked == name else real(asked))
    assert main(["doctor"]) == status
    assert remedy in capsys.readouterr().out


def test_in_a_browser_jupyterlab_is_the_page(monkeypatch):
    real = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda name: None if name.startswith("jupyterlab") else real(name))
    assert any(finding.state != "ok" for finding in doctor.examine()[doctor.heading("lessons")])
    monkeypatch.setattr(doctor.sys, "platform", "emscripten")
    assert all(finding.state == "ok" for finding in doctor.examine()[doctor.heading("lessons")])


def test_whoever_wants_the_library_alone_hears_that_it_works_and_each_remedy_once(monkeypatch, capsys):
    real = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda name: real(name) if name in ("mcmteach", "numpy", "scipy") else None)
    assert main(["doctor"]) == 0, "what is not installed is not broken"
    out = capsys.readouterr().out
    assert "All is well: the library will work. Not installed: the lessons and grading for a class; follow" in out
    assert out.count('[lessons]"\n') == 1 and out.count('[classroom]"\n') == 1
    monkeypatch.setattr(doctor, "_version", lambda name: "1.0" if name == "scipy" else real(name))
    main(["doctor"])
    assert "The library works" not in capsys.readouterr().out


def test_the_doctor_says_what_a_class_needs(monkeypatch, capsys):
    from mcmteach.classroom import sandbox

    monkeypatch.setattr(sandbox, "why_no_walls", lambda: "bubblewrap is not installed")
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "missing  sandbox          bubblewrap is not installed" in out and "apt install bubblewrap" in out
    assert "Not installed: grading for a class" in out


def test_the_doctor_knows_every_extra_that_users_install():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(doctor.EXTRAS) == set(project["optional-dependencies"]) - {"dev"}


def test_a_solver_that_lies_or_fails_is_found_out(monkeypatch, capsys):
    from mcmteach.solvers import solve

    real = solve.solve_mcm
    monkeypatch.setattr(solve, "solve_mcm", lambda *a, **k: real(*a, **k)._replace(h=3.0))
    assert main(["doctor"]) == 1
    assert "linprog says h = 3.0" in capsys.readouterr().out
    monkeypatch.setattr(solve, "solve_mcm", lambda *a, **k: 1 / 0)
    assert main(["doctor"]) == 1
    assert "ZeroDivisionError" in capsys.readouterr().out


def test_help_and_version_from_the_shell():
    def run(*arguments):
        return python("-m", "mcmteach", *arguments, capture_output=True, text=True, check=True).stdout

    for text in (run("--help"), run()):
        assert "doctor" in text and "lessons/" in text
    assert run("--version").strip() == f"mcmteach {__version__}"
    assert "exit status" in run("doctor", "--help")


def test_an_unknown_command_is_refused(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["docter"])
    assert stop.value.code == 2
    assert "doctor" in capsys.readouterr().err
