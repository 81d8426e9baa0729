"""Worlds whose distribution is known, so that the risk N(1) can be computed and not only estimated."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcmteach.errors import InvalidInputError
from mcmteach.validation import whole


class Risks(NamedTuple):
    """One entry per training set."""

    empirical: np.ndarray  #: error of the chosen function on its training set
    true: np.ndarray  #: its error on new data, computed exactly


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

    Examples
    --------
    >>> risks = histogram_risks(h=20, M=50)
    >>> bool(risks.empirical.mean() < 0.1 < risks.true.mean())    # what is learnt by heart looks better than it is
    True
    """
    h, M, n_sets = whole(h, "h", 1), whole(M, "M", 1), whole(n_sets, "n_sets", 1)
    if not 0 <= noise <= 0.5:
        raise InvalidInputError(f"noise is the share of flipped labels, from 0 to 0.5, and is {noise!r}.")
    rng = np.random.default_rng(seed)
    left = np.clip(h / 2 - np.arange(h), 0, 1)  # the share of each cell that lies in the left half
    plus = left * (1 - noise) + (1 - left) * noise  # P(y = +1) in each cell
    in_cell = rng.multinomial(M, np.full(h, 1 / h), size=n_sets)
    labelled_plus = rng.binomial(in_cell, plus)
    says_plus = 2 * labelled_plus > in_cell  # an empty cell, or a tie, says -1
    empirical = np.where(says_plus, in_cell - labelled_plus, labelled_plus).sum(axis=1) / M
    true = np.where(says_plus, 1 - plus, plus).mean(axis=1)
    return Risks(empirical, true)
