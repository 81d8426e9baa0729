"""The panels of the topic 'conformal mcm': what they say is what the library says."""

import re

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

import mcmteach as mt
from mcmteach import widgets
from mcmteach.datasets import stratified_folds
from mcmteach.widgets import conformal_mcm


@pytest.fixture(scope="module")
def machine():
    part = conformal_mcm._parts()[0]
    return mt.ConformalMCMClassifier(gamma=1.0, gamma_c=1.0).fit(part.X, part.y)


def test_the_sign_of_c_is_a_classifier_on_the_grains(machine):
    part = conformal_mcm._parts()[0]
    assert np.mean(np.sign(machine.c_) == -part.y) > 0.95
    assert np.mean(np.sign(machine.conformal_map_(part.X_test)) == -part.y_test) > 0.8, "on new grains too"


def test_the_panel_uses_the_lessons_data():
    data = mt.load_dataset("seeds")
    train, test = stratified_folds(data.target, 5)[0]
    scaler = StandardScaler().fit(data.data[train][:, [5, 6]])
    part = conformal_mcm._parts()[0]
    np.testing.assert_allclose(part.X, scaler.transform(data.data[train][:, [5, 6]]))
    np.testing.assert_allclose(part.X_test, scaler.transform(data.data[test][:, [5, 6]]))


def test_the_panel_says_what_a_fit_says():
    part = conformal_mcm._parts()[2]
    machine = mt.ConformalMCMClassifier(gamma=0.3, gamma_c=3.0, C=10.0).fit(part.X, part.y)
    before, after, factor = widgets.draw_conformal_mcm(0.3, 3.0, 10.0, 3).text.splitlines()
    for line, J, each in ((before, machine.J_before_, machine.basic_), (after, machine.J_after_, machine)):
        said = [float(n) for n in re.findall(r"\d+(?:\.\d+)?", line)]
        right = [round(100 * each.score(*pair), 1) for pair in ((part.X, part.y), (part.X_test, part.y_test))]
        assert said == [round(J, 3), each.n_support_, *right, len(part.y_test)]
    agree = np.mean(np.sign(machine.c_) == part.y)
    assert f"in {max(agree, 1 - agree):.1%} of it" in factor
    assert f"from {machine.c_.min():.2f} to {machine.c_.max():.2f}" in factor


def test_the_panel_says_so_where_there_are_no_cores():
    text = widgets.draw_conformal_mcm(30.0, 1.0, 0.01, 1).text
    assert "no cores and no map: c = 1" in text and text.count("0 support vectors") == 2
    J = re.findall(r"J = ([\d.]+)", text)
    assert J[0] == J[1]
