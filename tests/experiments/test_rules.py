"""The grids of the protocols, and what they need."""

import sys

import pytest

from mcmteach import experiments as ex
from mcmteach.errors import MissingExtraError
from mcmteach.experiments import rules


def test_the_papers_grids():
    assert (len(ex.TEST_CHOSEN.C), ex.TEST_CHOSEN.C[0], ex.TEST_CHOSEN.C[1] / ex.TEST_CHOSEN.C[0]) == (11, 2**-19, 4)
    assert sorted(ex.TEST_CHOSEN.gamma) == [2.0**k for k in range(-12, -7)]
    assert len(ex.TEST_CHOSEN.gamma_c) == 22 and (min(ex.TEST_CHOSEN.gamma_c), max(ex.TEST_CHOSEN.gamma_c)) == (2, 5000)


def test_without_scikit_learn_a_fold_says_so(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.svm", None)
    with pytest.raises(MissingExtraError, match="scikit-learn"):
        rules.load_svc()
