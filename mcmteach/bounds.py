r"""Risk, and what the VC dimension says about it: N(1-5) of the notes and the slides' form of the bound.

Every function takes numbers or arrays that broadcast, and gives a float back for numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from mcmteach.errors import InvalidInputError
from mcmteach.validation import FloatArray, as_labels, as_number, as_numbers, as_vector, scalar_or_array

#: A float where all arguments are numbers, else an array of their common shape
FloatOrArray: TypeAlias = Any

# --- losses L(y, f), one number per sample ---------------------------------------------------------------------------


def zero_one_loss(y: ArrayLike, f: ArrayLike) -> FloatArray:
    """1 where the sign of f is not y. A point on the plane (f = 0) counts as an error."""
    return (np.multiply(y, f) <= 0).astype(float)


def hinge_loss(y: ArrayLike, f: ArrayLike) -> FloatArray:
    r"""\(\max(0, 1 - y f)\): the slack that the soft margin pays for (S)."""
    return np.maximum(0.0, 1.0 - np.multiply(y, f))


def squared_loss(y: ArrayLike, f: ArrayLike) -> FloatArray:
    r"""\((y - f)^2\)."""
    return np.square(np.subtract(y, f))


def perceptron_loss(y: ArrayLike, f: ArrayLike) -> FloatArray:
    r"""\(\max(0, -y f)\): what Rosenblatt's rule descends on (S)."""
    return np.maximum(0.0, -np.multiply(y, f))


LOSSES: dict[str, Callable[[ArrayLike, ArrayLike], FloatArray]] = {
    "zero-one": zero_one_loss,
    "hinge": hinge_loss,
    "squared": squared_loss,
    "perceptron": perceptron_loss,
}


def empirical_risk(y: ArrayLike, f: ArrayLike, loss: str = "zero-one") -> float:
    r"""The mean loss on the sample, \(R_{emp} = \frac1M \sum_i L(y_i, f(x_i))\).

    Parameters
    ----------
    y : array of shape (n_samples,), labels -1 or +1 (any real target for the squared loss)
    f : array of shape (n_samples,), the machine's real-valued answers
    loss : "zero-one", "hinge", "squared" or "perceptron"

    Examples
    --------
    >>> empirical_risk([1, 1, -1, -1], [2.0, -0.5, -1.0, -3.0])
    0.25

    Source: N(2); its expectation over P(x, y) is the risk N(1).
    """
    if loss not in LOSSES:
        raise InvalidInputError(f"There is no loss {loss!r}. Choose from {', '.join(LOSSES)}.")
    f = as_vector(f, "f")
    if not len(f):
        raise InvalidInputError("f is empty, and a mean over no samples is undefined. Give at least one answer.")
    y = as_vector(y, "y", len(f)) if loss == "squared" else as_labels(y, len(f), both=False)
    return float(LOSSES[loss](y, f).mean())


# --- the VC bound ----------------------------------------------------------------------------------------------------


def vc_epsilon(h: ArrayLike, M: ArrayLike, eta: ArrayLike) -> FloatOrArray:
    r"""\(\varepsilon = 4\,\frac{h(\ln(2M/h) + 1) - \ln\eta}{M}\).

    Parameters
    ----------
    h : VC dimension, 0 <= h <= M
    M : number of samples, >= 1
    eta : the probability, in (0, 1), with which the bound may fail

    Examples
    --------
    >>> round(vc_epsilon(h=3, M=1000, eta=0.05), 4)
    0.102

    Source: N(4). Beyond h = 2M the formula falls again and turns negative, so h > M is refused.
    """
    h, M, eta = _in_range(h, "h", 0), _in_range(M, "M", 1), _probability(eta, "eta")
    if np.any(h > M):
        raise InvalidInputError(
            "h > M: N(4) holds for a VC dimension h of at most the number M of samples. Beyond that the machine can "
            "fit any labels of the sample, and the formula falls and even becomes negative. Take more samples or a smaller h."
        )
    return scalar_or_array(4 * (_growth(h, M) - np.log(eta)) / M)


def structural_risk(
    risk: ArrayLike, h: ArrayLike, M: ArrayLike, eta: ArrayLike = 0.05, B: ArrayLike = 1.0
) -> FloatOrArray:
    r"""\(\frac{B\varepsilon}{2}\left(1 + \sqrt{1 + \frac{4 R_{emp}}{B\varepsilon}}\right)\): what is added to the risk.

    Examples
    --------
    >>> round(structural_risk(risk=0.05, h=3, M=1000), 4)
    0.1388

    Source: N(3), its second term.
    """
    risk, B = _in_range(risk, "risk", 0), _largest_loss(B)
    if np.any(risk > B):
        raise InvalidInputError("The empirical risk is above B, which must bound every loss. Take a larger B.")
    Be = B * vc_epsilon(h, M, eta)
    return scalar_or_array(Be / 2 * (1 + np.sqrt(1 + 4 * risk / Be)))


def vc_bound(risk: ArrayLike, h: ArrayLike, M: ArrayLike, eta: ArrayLike = 0.05, B: ArrayLike = 1.0) -> FloatOrArray:
    r"""With probability 1 - eta, no function of the class has a risk above this.

    \[R \le R_{emp} + \frac{B\varepsilon}{2}\left(1 + \sqrt{1 + \frac{4 R_{emp}}{B\varepsilon}}\right)\]

    Parameters
    ----------
    risk : empirical risk, in [0, B]
    h, M, eta : VC dimension, number of samples, failure probability, as in :func:`vc_epsilon`
    B : the largest value that the loss can take

    Examples
    --------
    >>> round(vc_bound(risk=0.05, h=3, M=1000), 4)
    0.1888

    Source: N(3), Theorem 2.1 (Vapnik).
    """
    return scalar_or_array(as_numbers(risk, "risk") + structural_risk(risk, h, M, eta, B))


def is_vacuous(bound: ArrayLike, B: ArrayLike = 1.0) -> Any:
    """True where a bound on the risk is no smaller than B, the largest possible loss.

    Examples
    --------
    >>> is_vacuous(vc_bound(risk=0.0, h=3, M=20)), is_vacuous(vc_bound(risk=0.0, h=3, M=1000))
    (True, False)
    """
    bound, B = as_numbers(bound, "bound"), _largest_loss(B)
    if np.isnan(bound).any():
        raise InvalidInputError("The bound is NaN, so it cannot be said whether it is vacuous.")
    verdict = np.greater_equal(bound, B)
    return bool(verdict) if verdict.ndim == 0 else verdict


def sample_size(gap: float, h: float, eta: float = 0.05, risk: float = 0.0, B: float = 1.0) -> int:
    """The smallest M for which the bound lies at most ``gap`` above the empirical risk: the inverse of N(3-4).

    Examples
    --------
    >>> sample_size(gap=0.1, h=3)
    1023

    Source: N(3), N(4).
    """
    gap, h = as_number(_in_range(gap, "gap", 0), "gap"), as_number(_in_range(h, "h", 0), "h")
    if gap <= 0:
        raise InvalidInputError("gap must be > 0: no finite sample closes the gap altogether.")
    low = max(1, int(np.ceil(h)))  # epsilon decreases in M for M >= h, so bisection finds the first M that suffices
    if structural_risk(risk, h, low, eta, B) <= gap:
        return low
    high = 2 * low
    while structural_risk(risk, h, high, eta, B) > gap:
        low, high = high, 2 * high
        if high > 2**1000:
            raise InvalidInputError("gap is so small beside B that no number of samples in floating point reaches it.")
    while high - low > 1:
        middle = (low + high) // 2
        if structural_risk(risk, h, middle, eta, B) > gap:
            low = middle
        else:
            high = middle
    return high


def vapnik_bound(error: ArrayLike, d: ArrayLike, P: ArrayLike, delta: ArrayLike = 0.05) -> FloatOrArray:
    r"""The slides' form: \(E \le \hat E + \sqrt{\frac{d(\log(2P/d) + 1) - \log(\delta/4)}{P}}\).

    Parameters
    ----------
    error : error on the P training samples, in [0, 1]
    d : VC dimension, 0 <= d <= P
    P : number of samples
    delta : failure probability, in (0, 1)

    Examples
    --------
    >>> round(vapnik_bound(error=0.05, d=3, P=1000), 4)
    0.214

    Source: S, "Bounding generalization error" (Vapnik 1995).
    """
    error, d, P = _in_range(error, "error", 0), _in_range(d, "d", 0), _in_range(P, "P", 1)
    delta = _probability(delta, "delta")
    if np.any(error > 1):
        raise InvalidInputError("error is the share of samples that are wrong, so it is at most 1.")
    if np.any(d > P):
        raise InvalidInputError("d > P: the bound is meant for a VC dimension of at most the number of samples.")
    return scalar_or_array(error + np.sqrt((_growth(d, P) - np.log(delta / 4)) / P))


def margin_vc_dim(R: ArrayLike, margin: ArrayLike, n: ArrayLike) -> FloatOrArray:
    r"""The largest VC dimension that hyperplanes with a margin can have: \(h \le \min([R^2/\Delta^2], n) + 1\).

    Parameters
    ----------
    R : radius of a sphere that holds the data
    margin : Delta > 0, the distance of the nearest point from the hyperplane
    n : number of features

    Examples
    --------
    >>> margin_vc_dim(R=5.0, margin=2.0, n=100)   # R²/Δ² = 6.25
    7.0

    Source: N(5), Theorem 2.2 (Vapnik). N prints [R/Δ]²; we read [ ] as the integer part of the squared ratio, as
    Vapnik does. As h is whole, this claims the same as (R/Δ)² without any rounding. (The square of the integer part
    of R/Δ would claim more, without a proof.) n is the dimension, not the number of points.
    Taken literally it can be one too low: an equilateral triangle in the unit circle is shattered with Δ = 3/4, where
    R²/Δ² = 1.78. With [ ] rounded up it holds; the lesson on the radius over the margin shows both.
    """
    R, margin, n = _in_range(R, "R", 0), _in_range(margin, "margin", 0), _in_range(n, "n", 1)
    if np.any(margin <= 0):
        raise InvalidInputError("margin must be > 0: Theorem 2.2 speaks of hyperplanes that separate the data.")
    # a relative 1e-12 is added so that rounding never turns an exact 9 into an 8, which would be too small a bound
    with np.errstate(over="ignore"):  # to inf, which is more than n
        return scalar_or_array(np.minimum(np.floor((R / margin) ** 2 * (1 + 1e-12)), n) + 1)


def margin_error_scale(L: ArrayLike, margin: ArrayLike, P: ArrayLike) -> FloatOrArray:
    r"""\(\frac1P\left(\frac L{\bar\gamma}\right)^2\): the order of the error of a large-margin classifier, up to a constant.

    Parameters
    ----------
    L : largest norm of a sample
    margin : geometric margin > 0
    P : number of samples

    Examples
    --------
    >>> margin_error_scale(L=5.0, margin=0.5, P=1000)
    0.1

    Source: S, "Margin based bound". It is an O(·), a scale to compare by, not a bound.
    """
    L, margin, P = _in_range(L, "L", 0), _in_range(margin, "margin", 0), _in_range(P, "P", 1)
    if np.any(margin <= 0):
        raise InvalidInputError("margin must be > 0: the scale is meant for data that the plane separates.")
    return scalar_or_array((L / margin) ** 2 / P)


def rademacher_margin_bound(
    error: ArrayLike,
    R: ArrayLike,
    margin: ArrayLike,
    M: ArrayLike,
    delta: ArrayLike = 0.05,
    measured: bool = False,
) -> FloatOrArray:
    r"""\(E \le \hat E_\Delta + \frac{2R}{\Delta\sqrt M} + \sqrt{\frac{\ln(1/\delta)}{2M}}\), for all planes at once.

    Parameters
    ----------
    error : share of the samples that lie on the wrong side or closer than the margin to the plane, in [0, 1]
    R : radius of a ball about the origin that holds every sample that can be drawn
    margin : Delta > 0, fixed before the data are seen
    M : number of samples
    delta : the bound fails with probability at most delta
    measured : whether the margin, 0 < Delta <= R, was chosen on the sample. The bound then has to hold for all margins
        at once: 2R is 4R, delta is delta/2, and \(\sqrt{\ln\log_2(2R/\Delta) / M}\) is added

    Notes
    -----
    For planes through the origin. With an offset |b| <= R give 2R for R: the plane goes through the origin for samples
    (x, R) and the normal (w, b/R), whose lengths are at most \(\sqrt2 R\) and \(\sqrt2\). No dimension, no VC dimension.

    Examples
    --------
    >>> round(rademacher_margin_bound(error=0.0, R=5.0, margin=2.0, M=1000), 4)
    0.1968
    >>> round(rademacher_margin_bound(error=0.0, R=5.0, margin=2.0, M=1000, measured=True), 4)
    0.3882

    Source: Mohri, Rostamizadeh & Talwalkar 2018, Theorems 5.8 to 5.10 and Corollary 5.11; Koltchinskii & Panchenko 2002.
    """
    error, R, M = _in_range(error, "error", 0), _in_range(R, "R", 0), _in_range(M, "M", 1)
    margin, delta = _in_range(margin, "margin", 0), _probability(delta, "delta")
    if np.any(error > 1):
        raise InvalidInputError("error is the share of samples with a margin below Delta, so it is at most 1.")
    if np.any(margin <= 0):
        raise InvalidInputError("margin must be > 0: it is the distance below which a sample counts as an error.")
    if not measured:
        return scalar_or_array(error + 2 * R / (margin * np.sqrt(M)) + np.sqrt(-np.log(delta) / (2 * M)))
    if np.any(margin > R):
        raise InvalidInputError("A measured margin is at most R: no sample in the ball is farther from the plane.")
    choice = np.sqrt(np.log(np.log2(2 * R / margin)) / M)
    return scalar_or_array(error + 4 * R / (margin * np.sqrt(M)) + choice + np.sqrt(-np.log(delta / 2) / (2 * M)))


# --- helpers ---------------------------------------------------------------------------------------------------------


def _growth(h: FloatArray, M: FloatArray) -> FloatArray:
    """h (ln(2M/h) + 1), with its limit 0 at h = 0."""
    return h + xlogy(h, 2 * M / np.where(h == 0, 1, h))


def _in_range(value: ArrayLike, name: str, least: float) -> FloatArray:
    numbers = as_numbers(value, name).astype(float)
    if not np.all(np.isfinite(numbers)) or np.any(numbers < least):
        raise InvalidInputError(f"{name} must be finite and at least {least}; got {numbers}.")
    return numbers


def _largest_loss(B: ArrayLike) -> FloatArray:
    B = _in_range(B, "B", 0)
    if np.any(B == 0):
        raise InvalidInputError("B bounds the loss from above, so it must be > 0.")
    return B


def _probability(value: ArrayLike, name: str) -> FloatArray:
    numbers = as_numbers(value, name).astype(float)
    if not np.all((numbers > 0) & (numbers < 1)):
        raise InvalidInputError(f"{name} is a probability strictly between 0 and 1; got {numbers}.")
    return numbers
