import pytest

from mcmteach import experiments as ex
from tests.experiments.quick import QUICK, SETS


@pytest.fixture(scope="session")
def reference(tmp_path_factory):
    """Two sets, two folds each, computed in this process."""
    folder = tmp_path_factory.mktemp("reference")
    summary = ex.reproduce(QUICK, SETS, ex.Store(folder), progress=False)
    assert (summary.computed, summary.reused, summary.lost) == (4, 0, [])
    return folder
