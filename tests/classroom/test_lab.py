"""``python -m mcmteach lab``, and the wheel that carries the course."""

import json
import zipfile

from jupyter_server.services.config.manager import ConfigManager

from mcmteach.__main__ import main
from mcmteach.classroom.lab import SETTINGS
from tools import build_backend
from tools.ledger import ROOT


def test_copies_are_made_where_one_says(tmp_path, capsys):
    assert main(["lab", str(tmp_path / "mine"), "--no-open"]) == 0
    assert "0 as you left them" in capsys.readouterr().out
    assert (tmp_path / "mine" / "lessons" / "00_welcome.ipynb").is_file()
    assert main(["lab", str(tmp_path / "mine"), "--no-open"]) == 0
    assert ": 0 new" in capsys.readouterr().out


def test_no_line_of_code_is_cut_off_and_nothing_asks_about_news(monkeypatch):
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(SETTINGS))
    settings = ConfigManager(config_dir_name="labconfig")
    notebooks = settings.get("default_setting_overrides")["@jupyterlab/notebook-extension:tracker"]
    assert notebooks["codeCellConfig"] == {"lineWrap": True}
    assert settings.get("page_config")["disabledExtensions"]["@jupyterlab/apputils-extension:announcements"]


def test_the_wheel_carries_the_course_blank_listed_and_small(tmp_path):
    wheel = tmp_path / "a-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.writestr("a/__init__.py", "")
        packed.writestr("a-1.dist-info/RECORD", "a/__init__.py,,\na-1.dist-info/RECORD,,\n")
    build_backend.add_course(wheel)
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        record = packed.read("a-1.dist-info/RECORD").decode()
        lesson = json.loads(packed.read("mcmteach/course/lessons/01_why_learning_works.ipynb"))
    assert {f"mcmteach/course/lessons/{path.name}" for path in ROOT.glob("lessons/*.ipynb")} <= set(names)
    assert sorted(line.split(",")[0] for line in record.splitlines()) == sorted(names)
    assert not any(cell.get("outputs") for cell in lesson["cells"])
    assert wheel.stat().st_size < 3e6
