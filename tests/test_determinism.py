"""The same seed gives the same bits: from run to run, for any number of jobs, in eight threads at once; and whatever BLAS does,
the same objective."""

import json
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import mcmteach as mt
from mcmteach.datasets.worlds import moons
from mcmteach.experiments.parallel import answers
from tests.processes import python

MACHINES = {
    "MCMClassifier": lambda: mt.MCMClassifier(gamma=1.0),
    "MCMClassifier, linear": lambda: mt.MCMClassifier(kernel="linear"),
    "MCMClassifier, LP-SVM": lambda: mt.MCMClassifier(gamma=1.0, cap=False),
    "ConformalMCMClassifier": mt.ConformalMCMClassifier,
    "MCMRegressor": mt.MCMRegressor,
    "LargeScaleMCMClassifier": lambda: mt.LargeScaleMCMClassifier(n_components=20, max_iter=5),
    "Perceptron": lambda: mt.Perceptron(max_iter=20),
    "LinearSVM": lambda: mt.LinearSVM(C=0.1),
    "KernelSVM": mt.KernelSVM,
    "KernelPerceptron": mt.KernelPerceptron,
}
quiet = pytest.mark.filterwarnings("ignore::mcmteach.errors.MCMWarning")


def bits(name):
    """Every number that a fit leaves behind, to the last bit."""
    X, y = moons(80, noise=0.2, seed=0)
    machine = MACHINES[name]().fit(X, y)
    return (
        machine.decision_function(X).tobytes()
        if hasattr(machine, "decision_function")
        else machine.predict(X).tobytes()
    )


@quiet
@pytest.mark.parametrize("name", MACHINES)
def test_a_second_fit_has_the_same_bits(name):
    assert bits(name) == bits(name)


@quiet
@pytest.mark.parametrize("name", MACHINES)
def test_eight_fits_in_eight_threads_are_what_one_fit_is(name):
    wanted = bits(name)
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(bits, [name] * 8)) == {wanted}


@quiet
def test_eight_different_fits_at_once_do_not_disturb_one_another():
    wanted = {name: bits(name) for name in MACHINES}
    with ThreadPoolExecutor(8) as pool:
        assert dict(zip(MACHINES, pool.map(bits, MACHINES), strict=True)) == wanted


def test_the_number_of_jobs_changes_no_bit():
    names = ["MCMClassifier", "LargeScaleMCMClassifier", "LinearSVM"]
    one, two = (dict(answers(names, bits, jobs)) for jobs in (1, 2))
    assert one == two


OBJECTIVES = """
import json, warnings
import mcmteach as mt
from mcmteach.datasets.worlds import moons
warnings.simplefilter("ignore")
X, y = moons(300, noise=0.2, seed=0)
K = mt.rbf_kernel(X, gamma=1.0)
found = [mt.solve_mcm(K, y, solver=s).objective for s in ("highs", "linprog")]
found += [mt.solve_mcm(K, y, solver="highs", cap=False).objective, mt.kernel_fisher_scalar(K, y)]
found += [mt.MCMRegressor().fit(X[:, :1], X[:, 1]).certificate_.primal, mt.constant_price(K, y, 1.0)]
print(json.dumps(found))
"""


def test_the_objectives_do_not_depend_on_the_threads_of_blas():
    found = []
    for threads in ("1", "2", "4"):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        environment = os.environ | dict.fromkeys(names, threads)
        run = python("-c", OBJECTIVES, env=environment, capture_output=True, text=True, check=True)
        found.append(json.loads(run.stdout))
    np.testing.assert_allclose(found[1:], [found[0]] * 2, rtol=1e-9)
