import pytest

from mcmteach.datasets.worlds import noisy_points


@pytest.fixture(scope="module")
def sample():
    return noisy_points(40, noise=0.6, seed=26)
