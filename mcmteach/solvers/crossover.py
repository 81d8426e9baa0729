r"""From a point near the optimum to the optimum itself, where the point tells what holds it there.

Near the end the interior point method knows which columns of A are used and which samples lie on the margin
(\(t_i = 1\)) and at the cap (\(t_i = 1 + g\)). If it is right, the optimum solves these equations, as many as there are
unknowns or more, and the multipliers of those samples solve the transposed ones:

\[\sum_{j\ \text{used}} A_{ij} \lambda_j + y_i b - [i\ \text{at the cap}]\, g = 1, \qquad
  \sum_{i} A_{ij} d_i = \pm\text{price}_j, \quad \sum_i y_i d_i = 0, \quad \sum_i \alpha_i = 1.\]

One QR factorisation solves both. The relative gap then shows whether the guess was right, so it need not be trusted.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dgeqrf, dorgqr, dtrtrs

from mcmteach.solvers.interior_point import Iterate, working_gap
from mcmteach.solvers.problem import Partition
from mcmteach.solvers.settings import DEFAULT, Settings
from mcmteach.validation import FloatArray, MatrixLike, dense


def vertex(
    it: Iterate,
    guess: Partition,
    A: MatrixLike,
    y: FloatArray,
    C: FloatArray,
    price: FloatArray,
    cap: bool = True,
    settings: Settings = DEFAULT,
) -> tuple[FloatArray, float, float, FloatArray] | None:
    """(lambda, b, g, d), optimal for the columns of A; None if the guess is not (yet) right."""
    used, g = guess.used, guess.capped
    on_margin, on_cap = np.flatnonzero(guess.on_margin), np.flatnonzero(guess.on_cap)
    samples, n, m = np.concatenate([on_margin, on_cap]), np.count_nonzero(used), len(on_margin)
    if len(samples) < n + 1 + g:
        return None
    E = np.empty((len(samples), n + 1 + g), order="F")
    E[:, :n], E[:, n] = dense(A[np.ix_(samples, used)]), y[samples]
    E[:m, n + 1 :], E[m:, n + 1 :] = 0.0, -1.0
    factors = _qr(E, settings.rank)
    if factors is None:
        return None
    Q, R = factors
    x = dtrtrs(R, Q.sum(axis=0))[0]
    lam = np.zeros(len(used))
    lam[used] = x[:n]

    beta, alpha, *_ = it.multipliers()
    d = np.where(guess.beyond, C, 0.0)
    d[samples] = 0.0
    weights = np.concatenate([beta[on_margin], -alpha[on_cap]])
    wanted = np.concatenate([np.sign(it.coefficients()[used]) * price[used] - d @ A[:, used], [-(y @ d)], [1.0] * g])
    weights += Q @ dtrtrs(R, wanted - weights @ E, trans=1)[0]
    np.add.at(d, samples, weights)
    t = A @ lam + y * x[n]
    right = abs(y @ d) <= settings.exact and working_gap(t, lam, d, d @ A, C, price, cap) <= settings.proof
    return (lam, float(x[n]), float(x[n + 1]) if g else 0.0, d) if right else None


def _qr(E: FloatArray, rank: float) -> tuple[FloatArray, FloatArray] | None:
    """Q and R with E = QR; None if E's columns are dependent."""
    k = E.shape[1]
    factors, tau, _, _ = dgeqrf(E)
    R = factors[:k]
    pivots = np.abs(R.diagonal())
    if pivots.min() <= rank * pivots.max():
        return None
    return dorgqr(factors, tau)[0], R
