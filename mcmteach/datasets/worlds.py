"""Made-up data: distributions ("worlds") that are known, so that the risk N(1) can be computed and not only estimated."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.errors import InvalidInputError
from mcmteach.validation import FloatArray, not_negative, positive, whole


class Risks(NamedTuple):
    """One entry per training set."""

    empirical: FloatArray  #: error of the chosen function on its training set
    true: FloatArray  #: its error on new data, computed exactly


def histogram_risks(h: int, M: int, noise: float = 0.1, n_sets: int = 40, seed: int = 0) -> Risks:
    r"""Train a machine of VC dimension h on many training sets of M samples, and compute its true risk each time.

    The world: x is uniform on [0, 1], y = +1 in the left half and -1 in the right one, and a share ``noise`` of all labels
    is flipped. The machine cuts [0, 1] into h equal cells and answers, in each, the label that most training samples there
    have. It can give its h cells any labels, and no h + 1 points: its VC dimension is h.

    Parameters
    ----------
    h : number of cells, >= 1; for an odd h the middle cell lies half in each class
    M : number of samples in a training set, >= 1
    noise : share of flipped labels, in [0, 0.5]: no machine can have a smaller risk
    n_sets : number of training sets
    seed : another seed, other training sets

    Examples
    --------
    >>> risks = histogram_risks(h=20, M=50)
    >>> bool(risks.empirical.mean() < 0.1 < risks.true.mean())    # the training error is too small
    True
    """
    h, M, n_sets = whole(h, "h", 1), whole(M, "M", 1), whole(n_sets, "n_sets", 1)
    if not 0 <= noise <= 0.5:
        raise InvalidInputError(f"noise is the share of flipped labels, from 0 to 0.5; got {noise!r}.")
    rng = np.random.default_rng(seed)
    left = np.clip(h / 2 - np.arange(h), 0, 1)  # the share of each cell that lies in the left half
    plus = left * (1 - noise) + (1 - left) * noise  # P(y = +1) in each cell
    in_cell = rng.multinomial(M, np.full(h, 1 / h), size=n_sets)
    labelled_plus = rng.binomial(in_cell, plus)
    says_plus = 2 * labelled_plus > in_cell  # an empty cell or a tie answers -1
    empirical = np.where(says_plus, in_cell - labelled_plus, labelled_plus).sum(axis=1) / M
    true = np.where(says_plus, 1 - plus, plus).mean(axis=1)
    return Risks(empirical, true)


#: The world of :func:`separable_points`: the centre of its square, half its side, and the direction across its cut
CENTRE, HALF_SIDE, ACROSS = np.array([1.0, 0.5]), 1.5, np.array([np.cos(np.radians(35)), np.sin(np.radians(35))])


def separable_points(M: int = 20, gap: float = 0.3, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """M points in the plane that a line separates, half of them (give or take one) in each class, the classes alternating.

    The world: a square, cut along a line through its middle; one half is class +1, the other -1, points are uniform in
    each, and the halves are moved apart until no point is nearer to the cut than ``gap``.

    Parameters
    ----------
    M : number of points, >= 2
    gap : the cut's margin on any sample of this world, >= 0; the best line of a sample has at least that
    seed : another seed is another sample of the same world

    Examples
    --------
    >>> X, y = separable_points(M=4)
    >>> y
    array([ 1., -1.,  1., -1.])
    """
    M, gap = whole(M, "M", 2), not_negative(gap, "gap")
    y = _alternating(M)
    X = np.random.default_rng(seed).uniform(-HALF_SIDE, HALF_SIDE, size=(M, 2))
    X *= np.where(y * (X @ ACROSS) >= 0, 1.0, -1.0)[:, None]  # the square is symmetric about its centre
    return CENTRE + X + gap * y[:, None] * ACROSS, y


def stretched_points(
    stretch: float = 1.0, M: int = 16, gap: float = 0.3, seed: int = 26
) -> tuple[FloatArray, FloatArray]:
    """The points of :func:`separable_points`, the square moved to the origin and stretched along the cut.

    Distances from the cut stay what they were; the points' distances from the origin grow with ``stretch``.

    Examples
    --------
    >>> X, y = stretched_points(2.0)
    >>> bool((y * (X @ ACROSS) >= 0.3).all())
    True
    """
    stretch = positive(stretch, "stretch")
    X, y = separable_points(M, gap, seed)
    along = np.array([-ACROSS[1], ACROSS[0]])
    return X - CENTRE + (stretch - 1) * np.outer((X - CENTRE) @ along, along), y


# --- worlds that no line separates -----------------------------------------------------------------------------------------


def ring_points(M: int = 60, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """M points in the plane, the classes alternating: +1 in a disc of radius 0.7, -1 in the ring from 1 to 1.4 around it.

    Points are uniform in both, and a circle of radius 0.85 separates them.

    Examples
    --------
    >>> X, y = ring_points(4)
    >>> (np.linalg.norm(X, axis=1) < 0.85).tolist(), y.tolist()
    ([True, False, True, False], [1.0, -1.0, 1.0, -1.0])
    """
    y, rng = _alternating(M), np.random.default_rng(seed)
    low, high = np.where(y > 0, 0.0, 1.0), np.where(y > 0, 0.7, 1.4)
    return _polar(np.sqrt(rng.uniform(low**2, high**2)), rng.uniform(0, 2 * np.pi, len(y))), y


def xor_points(M: int = 60, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """M points in four squares, the classes alternating: +1 where one coordinate is positive and the other is not, else -1.

    It is XOR, with a cloud for each of its four points. The absolute value of each coordinate lies between 0.1 and 1.2.

    Examples
    --------
    >>> X, y = xor_points(4)
    >>> bool((y == -np.sign(X[:, 0] * X[:, 1])).all())
    True
    """
    y, rng = _alternating(M), np.random.default_rng(seed)
    X, side = rng.uniform(0.1, 1.2, size=(len(y), 2)), rng.choice([-1.0, 1.0], len(y))
    return X * np.column_stack([-y * side, side]), y


def spiral_points(M: int = 60, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """M points in the two arms of a spiral, the classes alternating; half a turn maps one arm to the other.

    Examples
    --------
    >>> X, y = spiral_points(4)
    >>> X.shape, y.tolist()
    ((4, 2), [1.0, -1.0, 1.0, -1.0])
    """
    y, rng = _alternating(M), np.random.default_rng(seed)
    along = np.sqrt(rng.uniform(0, 1, len(y)))  # an arm is longer farther out, so more points lie there
    return y[:, None] * _polar(0.2 + 1.1 * along + rng.uniform(-0.15, 0.15, len(y)), 5 * along), y


def noisy_points(M: int = 40, noise: float = 0.6, gap: float = 0.3, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """M points of the world of :func:`separable_points`, each then moved at random: the classes overlap.

    Every point is moved by ``noise`` times a standard normal vector of its own. The vectors depend on the seed alone, so
    that more noise moves the same points farther in the same directions.

    Parameters
    ----------
    M : number of points, >= 2
    noise : standard deviation of the displacement in each direction, >= 0
    gap : the margin before that, >= 0
    seed : another seed is another sample of the same world

    Examples
    --------
    >>> X, y = noisy_points(M=4, noise=0.0)
    >>> bool((X == separable_points(M=4)[0]).all())
    True
    """
    X, y = separable_points(M, gap, seed)
    return X + not_negative(noise, "noise") * np.random.default_rng([seed, 1]).normal(size=X.shape), y


def moons(M: int = 40, noise: float = 0.25, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """M points on two interleaving half circles, half of them (give or take one) in each class, the classes alternating.

    The world: class +1 is the upper half of the circle of radius 1 about (0, 0), class -1 the lower half of that about
    (1, 0.5); the angle is uniform, and both coordinates get normal noise. No line separates them, and with enough noise
    no curve does.

    Parameters
    ----------
    M : number of points, >= 2
    noise : standard deviation of the noise, >= 0
    seed : another seed is another sample of the same world

    Examples
    --------
    >>> X, y = moons(M=3, noise=0.0)
    >>> bool(np.allclose(np.linalg.norm(X - np.where(y[:, None] > 0, [0, 0], [1, 0.5]), axis=1), 1))
    True
    """
    noise = not_negative(noise, "noise")
    y, rng = _alternating(M), np.random.default_rng(seed)
    angle = rng.uniform(0, np.pi, len(y))
    upper = np.column_stack([np.cos(angle), np.sin(angle)])
    return np.where(y[:, None] > 0, upper, [1.0, 0.5] - upper) + noise * rng.normal(size=upper.shape), y


CLOUDS = {
    "pair": ([[1.0, 1.0], [-1.0, -1.0]], [1.0, -1.0]),
    "cross": ([[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]], [1.0, -1.0, 1.0, -1.0]),
}


def clouds(M: int = 80, spread: float = 0.6, arrangement: str = "pair", seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """M points in round normal clouds, the clouds alternating, and with them the classes.

    The world: a "pair" has class +1 around (1, 1) and class -1 opposite, around (-1, -1). A "cross" has a cloud at every
    corner of that square, opposite corners in one class: XOR, whose two classes have the same centre.

    Parameters
    ----------
    M : number of points, >= 2
    spread : standard deviation of a cloud in either coordinate, >= 0; the larger it is, the more the classes overlap
    arrangement : "pair" or "cross"
    seed : another seed is another sample of the same world

    Examples
    --------
    >>> X, y = clouds(4, spread=0.0, arrangement="cross")
    >>> X.tolist(), y.tolist()
    ([[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]], [1.0, -1.0, 1.0, -1.0])
    """
    M, spread = whole(M, "M", 2), not_negative(spread, "spread")
    if arrangement not in CLOUDS:
        raise InvalidInputError(f"There is no arrangement {arrangement!r}. Choose from {', '.join(CLOUDS)}.")
    centres, labels = (np.resize(part, (M, *np.shape(part)[1:])) for part in CLOUDS[arrangement])
    return centres + spread * np.random.default_rng(seed).normal(size=(M, 2)), labels


def wave(x: ArrayLike) -> FloatArray:
    r"""\(\frac12\sin\pi x\): the curve between the classes of :func:`wave_points`."""
    return np.sin(np.pi * np.asarray(x, dtype=float)) / 2


def wave_points(M: int = 60, gap: float = 0.05, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """M points in a square that a wave separates, +1 above it and -1 below it.

    The world: points are uniform in the square from -1 to 1, and then the part above the wave is moved up by ``gap`` and
    the part below it down. Both classes are there whatever the seed.

    Parameters
    ----------
    M : number of points, >= 2
    gap : how far each part is moved, >= 0; measured vertically, the empty strip is twice as wide
    seed : another seed is another sample of the same world

    Examples
    --------
    >>> X, y = wave_points(M=50)
    >>> bool((y * (X[:, 1] - wave(X[:, 0])) >= 0.05).all())
    True
    """
    M, gap = whole(M, "M", 2), not_negative(gap, "gap")
    rng = np.random.default_rng(seed)
    y = np.ones(M)
    while abs(y.sum()) == M:  # one class only: draw again
        X = rng.uniform(-1, 1, size=(M, 2))
        y = np.where(X[:, 1] > wave(X[:, 0]), 1.0, -1.0)
    return X + gap * y[:, None] * [0.0, 1.0], y


def wave_numbers(M: int = 24, noise: float = 0.1, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """M numbers: the height of the wave at places from -1 to 1, one in each of M equal cells, with normal noise.

    Parameters
    ----------
    M : number of samples, >= 1
    noise : standard deviation of what is added to the wave, >= 0
    seed : another seed is another sample of the same world

    Examples
    --------
    >>> X, y = wave_numbers(M=50, noise=0.0)
    >>> X.shape, bool((y == wave(X[:, 0])).all())
    ((50, 1), True)
    """
    M, noise = whole(M, "M", 1), not_negative(noise, "noise")
    rng = np.random.default_rng(seed)
    x = -1 + 2 * (np.arange(M) + rng.uniform(0.1, 0.9, size=M)) / M  # no two places coincide: K stays invertible
    return x[:, None], wave(x) + noise * rng.normal(size=M)


def _alternating(M: int) -> FloatArray:
    return np.where(np.arange(whole(M, "M", 2)) % 2, -1.0, 1.0)


def _polar(r: FloatArray, angle: FloatArray) -> FloatArray:
    return np.column_stack([r * np.cos(angle), r * np.sin(angle)])
