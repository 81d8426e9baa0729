from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from mcmteach.datasets.worlds import separable_points
from mcmteach.svm import hard_margin
from tests.samples import hard
from tools.ledger import LEDGER, LedgerTracer, read_ledger
from tools.long_tests import LIST

matplotlib.use("agg")
pytest_plugins = ["pytester"]
# No deadline: tests run beside others on two cores. Derandomised: what is green here is green in the gate.
settings.register_profile(
    "mcmteach", deadline=None, derandomize=True, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("mcmteach")


# What `make quick` leaves out: whole folders, or single tests by name; long.txt is written by tools/long_tests.py.
MARKED = {
    "browser": ["tests/browser/"],
    "sandbox": ["tests/classroom/"],
    "site": ["tests/site/test_pages.py", "tests/site/test_laboratory.py"],
    "notebook": [
        "::test_nbgrader_gives_a_blank_answer_no_points_and_a_wrong_one_none_either",
        "::test_nbgrader_gives_the_solution_all_points",
        "::test_the_blank_exercise_runs_through_and_every_check_is_kind",
        "::test_the_solutions_pass_every_check",
    ],
    "long": [  # more than a second of processor time, all cases of a test together
        "tests/properties/",
        "tests/solvers/test_thousand_machines.py",
        "::test_c_answers_as_python_does",
        "::test_check_estimator_has_nothing_to_warn_of",
        "::test_one_sample_against_many_is_fitted_at_once",
        "::test_the_self_test_passes_and_fails_where_it_should",
        *LIST.read_text(encoding="utf-8").split(),
    ],
    "slow": [  # long as well, and not for `make test-oldest`
        "tests/checks/tasks/",
        "tests/checks/test_mutants.py",
        "tests/experiments/",
        "tests/large_scale/",
        "tests/solvers/test_thousand.py",
        "tests/widgets/test_every_panel.py",
        "::test_a_killed_worker_of_joblib_costs_nothing",
        "::test_a_machine_learns_from_a_memmap",
        "::test_a_path_goes_on_wherever_the_last_solution_ran_out_of_time",
        "::test_a_path_is_what_separate_fits_give",
        "::test_a_right_answer_has_four_times_the_time_that_it_needs",
        "::test_a_wiped_figure_shows_nothing_of_the_picture_before",
        "::test_cells_can_be_run_again_in_any_order",
        "::test_check_estimator",
        "::test_each_control_of_each_panel_moves_it",
        "::test_each_panel_survives_the_ends_of_its_controls",
        "::test_early_stopping_keeps_the_best_plane",
        "::test_every_equation_that_is_cited_has_its_function_beside_it",
        "::test_from_a_stream_and_from_sparse_rows",
        "::test_help_and_version_from_the_shell",
        "::test_machines_take_any_two_labels_and_refuse_others",
        "::test_nothing_in_the_package_or_the_tools_reads_a_pickle",
        "::test_panel_without_a_price_says_the_same_for_every_C",
        "::test_sparse_rows_are_the_same_rows",
        "::test_the_bound_holds_on_worlds_of_known_risk",
        "::test_the_folded_answer_to_the_panel_of_short_numbers",
        "::test_the_folded_answer_to_the_panel_of_the_descent",
        "::test_the_lessons_verdict_on_the_map_is_the_claims_pages",
        "::test_the_priors_of_all_messages_sum_to_one_at_most",
        "::test_the_project_runs_on_a_file_and_on_a_bundled_set",
        "::test_the_rbf_is_built_of_allowed_bricks",
        "::test_whitening_shortens_the_descent",
    ],
}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A folder that ``-m "not …"`` leaves out as a whole is not even imported."""
    left_out = re.findall(r"\bnot (\w+)", config.option.markexpr)
    folders = [config.rootpath / place for mark in left_out for place in MARKED.get(mark, []) if place.endswith("/")]
    return collection_path in folders or None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Examples stand in the package: we do not look for any in the docstrings of every name that a test imports."""
    return [found for found in (yield) if type(found) is pytest.Module]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        test = item.nodeid.split("[")[0]
        for mark, places in MARKED.items():
            if any(test.endswith(place) or ("::" not in place and test.startswith(place)) for place in places):
                item.add_marker(mark)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(LedgerTracer(read_ledger(LEDGER.read_text(encoding="utf-8"))), "ledger-tracer")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    entries = read_ledger(LEDGER.read_text(encoding="utf-8"))
    still = [entry.id for entry in entries if entry.as_ == "open"]
    untaught = sum(not entry.lesson for entry in entries)
    terminalreporter.section("equation ledger")
    terminalreporter.write_line(
        f"{len(entries)} equations: {len(entries) - len(still)} done, {len(still)} open, {untaught} not yet taught"
    )
    if still:
        terminalreporter.write_line("open: " + " ".join(still))


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    """What a test has drawn is closed after it."""
    yield
    plt.close("all")


@pytest.fixture
def blobs() -> tuple[np.ndarray, np.ndarray]:
    """Forty points in the plane, two classes that a line separates with room to spare."""
    rng = np.random.default_rng(0)
    y = np.repeat([-1.0, 1.0], 20)
    return rng.normal(size=(40, 2)) * 0.6 + 2.0 * y[:, None], y


@pytest.fixture
def moons() -> tuple[np.ndarray, np.ndarray]:
    """Eighty points of scikit-learn's two moons, labels -1 and +1."""
    from sklearn.datasets import make_moons

    X, y = make_moons(80, noise=0.2, random_state=0)
    return X, 2.0 * y - 1


@pytest.fixture
def eight_points() -> tuple[np.ndarray, np.ndarray, dict[str, tuple[np.ndarray, float]]]:
    """Eight points that a line separates, and the lines of the MCM and of the SVM without slack."""
    X, y = separable_points(8, gap=0.3, seed=25)
    X = X.round(1)
    mcm, svm = hard(X, y), hard_margin(X, y)
    return X, y, {"MCM": (mcm.coef, mcm.b), "SVM": (svm.w, svm.b)}


@pytest.fixture
def gappy(moons: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The moons with a third feature on another scale, a constant one, some gaps, and labels that are words."""
    X, y = moons
    rng = np.random.default_rng(1)
    X = np.column_stack([X, 1000 * rng.normal(size=len(X)), np.full(len(X), 7.0)])
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, np.where(y > 0, "up", "down")
