"""docs/IN_EARNEST.md: every block of code runs as it stands, and gives what the page says about it."""

import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from tools.ledger import ROOT


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """What the page's code, run from top to bottom, leaves behind."""
    page = (ROOT / "docs" / "IN_EARNEST.md").read_text(encoding="utf-8")
    names = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("page"))
        for k, code in enumerate(re.findall(r"```python\n(.*?)```", page, re.S)):
            exec(compile(code, f"block {k + 1} of IN_EARNEST.md", "exec"), names)
    return names


def test_the_default_machine_is_small_and_right(world):
    machine = world["machine"]
    assert machine.score(world["X_test"], world["y_test"]) > 0.93 and machine[-1].n_support_ < 30
    assert world["certificate"].proves_optimal()


def test_along_the_path_the_machine_shrinks(world):
    assert world["path"].n_support[-1] < world["path"].n_support[0] and world["path"].gap.max() < 1e-6
    assert min(world["error"]) < 0.06 and len(world["ax"].lines) >= 2 and len(world["ax_size"].lines)


def test_balanced_weights_find_more_of_the_rare_class(world):
    assert world["found"]["balanced"] > world["found"][None] > 0.5


def test_weights_reach_the_machine_through_pipeline_and_search(world):
    inside = world["routed"].best_estimator_[-1]
    alone = clone(inside).fit(StandardScaler().fit_transform(world["X"]), world["y"], sample_weight=world["weights"])
    assert inside.objective_ == alone.objective_
    unweighted = clone(inside).fit(StandardScaler().fit_transform(world["X"]), world["y"])
    assert inside.objective_ > 1.01 * unweighted.objective_


def test_calibrated_probabilities_and_a_tuned_threshold(world):
    p, y_test = world["probability"], world["y_test"]
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    right = p[np.arange(len(p)), np.searchsorted(world["calibrated"].classes_, y_test)]
    assert np.mean((1 - right) ** 2) < 0.06  # Brier score; 0.25 is a coin
    assert np.isfinite(world["tuned"].best_threshold_) and world["tuned"].score(world["X_test"], y_test) > 0.93


def test_three_classes_each_with_a_proof(world):
    assert world["proved"] == [True] * 3 and world["values"].shape == (178, 3)
    assert world["many"].score(world["wine"], world["kind"]) > 0.95


def test_a_file_and_a_header_answer_as_the_machine_does(world):
    assert world["again"].predict(world["X_test"]).tolist() == world["machine"].predict(world["X_test"]).tolist()
    assert "machine_predict" in world["header"]
