from __future__ import annotations

from collections.abc import Iterator

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from tools.ledger import LEDGER, LedgerTracer, read_ledger

matplotlib.use("agg")
pytest_plugins = ["pytester"]
# No deadline: tests run beside others on two cores. Derandomised: what is green here is green in the gate.
settings.register_profile(
    "mcmteach", deadline=None, derandomize=True, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("mcmteach")


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
def gappy(moons: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The moons with a third feature on another scale, a constant one, some gaps, and labels that are words."""
    X, y = moons
    rng = np.random.default_rng(1)
    X = np.column_stack([X, 1000 * rng.normal(size=len(X)), np.full(len(X), 7.0)])
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, np.where(y > 0, "up", "down")
