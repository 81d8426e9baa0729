"""The candidates of the map study by name, and small data to try them on."""

from sklearn.datasets import make_moons

from mcmteach.experiments.map_variants import VARIANTS, Basic, Setting

BY_NAME = {variant.name: variant for variant in VARIANTS}


def moons(seed=0, M=60, noise=0.3):
    X, y = make_moons(M, noise=noise, random_state=seed)
    return (X - X.mean(axis=0)) / X.std(axis=0), 2.0 * y - 1


def basic(seed=0, M=60, C=4.0, sparsity=0.1):
    return Basic(*moons(seed, M), Setting(1.0, C, sparsity))
