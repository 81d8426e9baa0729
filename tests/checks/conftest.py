"""No test touches the record of whoever runs it, and every test begins at the foot of the ladders."""

import pytest

from mcmteach import checks


@pytest.fixture(autouse=True)
def own_record(tmp_path, monkeypatch):
    """The folder of this test's own record."""
    monkeypatch.setenv("MCMTEACH_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.setattr(checks, "_given", {})
    return tmp_path / "home"
