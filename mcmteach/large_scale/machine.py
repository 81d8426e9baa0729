r"""The Minimal Complexity Machine for data of any size: stochastic subgradient descent on explicit features. P section 5.

On features z(x), shape (D,), the machine is the plane f(x) = w·z(x) + b that minimises

\[E(w, b) = \mathrm{cap}(w, b) + \frac CM \sum_{i=1}^M q_i + s\|w\|_1 + \frac\rho2\|w\|^2,
  \qquad q_i = \max(0,\, 1 - y_i f_i).\]

What stands for h of N(30-33) is the cap. **"max"** is the paper's: \(\max(1, \max_i y_i f_i)\). At an optimum of N(30-33)
the slack is q_i as above, and then the least h that N(31) and N(32) allow is just this maximum. So with rho = 0 the minimum
of E is the linear programme's, with C/M for its C: ``solve_mcm(Z, y, C / M, sparsity)``. (A mean can be estimated from a
few samples and a sum cannot, so here C is the price of the *mean* slack.) **"mean"** is that of Sharma et al.'s public
code: \(\frac1M\sum_i |f_i|\), which every sample pushes down and not the farthest one alone. It is no more than
\(\max_i |f_i|\), and h counts only what lies on the right side, so the two are different machines.

A batch knows its own maximum and not that of all data. So the descent remembers the few samples that lately reached
highest and asks them too, at each step: the subgradient of the cap is y_i z_i at the highest of them all.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import islice
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from mcmteach.base import BinaryClassifier, _as_classes, _compare_names, _feature_names, _one_each
from mcmteach.certificate import SUPPORT_EPS
from mcmteach.errors import ConstantClassifierWarning, InvalidInputError
from mcmteach.large_scale.feature_maps import Whitening, as_generator, make_feature_map
from mcmteach.large_scale.streams import ArrayStream, Block
from mcmteach.validation import dense, not_negative, positive, switch, whole

WIDE = 5000  # sparse rows with no more features than these are made dense, block by block
BLOCK = 8192  # rows that are mapped at a time
MAP_ROWS = 10_000  # rows that a feature map is fitted to
CACHE = 2**28  # bytes: the features of all samples are kept where they need no more than this
STEPS = 6000  # max_iter="auto": as many passes as make this many steps …
PASSES = 3  # … and no fewer than these
SLOWING = 500  # after this many steps the step is 1/sqrt(2) of what it was
HIGHEST = 16  # samples that are remembered for the cap
CALM = 8  # each so many steps the plane is truncated and enters the average …
EARLY = 100  # … and at each of these first steps
RECENT = 8.0  # the n-th plane enters the average with a weight that grows like n^(RECENT - 1)


class Settings(NamedTuple):
    """What the descent needs to know, checked."""

    C: float
    cap: str
    sparsity: float
    ridge: float
    eta0: float
    average: bool


class Descent:
    """Where a stochastic descent is: the plane, its average, the account of the truncation, the highest samples."""

    def __init__(self, settings: Settings, Z: Any):
        n = Z.shape[1]
        self.settings, self.t, self.size = settings, 0, 1
        self.horizon = np.inf  # where the steps shall have shrunk to nothing; known once the first pass is done
        self.w, self.b = np.zeros(n), 0.0
        self.n, self.mean_w, self.mean_b = 0, np.zeros(n), 0.0
        self.owed, self.paid = 0.0, np.zeros(n)
        self.high_Z, self.high_y = np.zeros((HIGHEST, n)), np.zeros(HIGHEST)
        squares = (Z.multiply(Z) if sp.issparse(Z) else Z**2).sum() / Z.shape[0]
        self.longest = settings.eta0 / ((1 + squares) * max(1.0, 1 / settings.C))
        self.slack, self.samples, self.top = 0.0, 0, 0.0  # sums over a pass

    def run(self, Z: Any, y: np.ndarray, batch_size: int, rng: np.random.Generator) -> None:
        """One pass over the rows of Z in batches: cut at a new place each time, visited in a new order."""
        self.size = max(self.size, min(batch_size, len(y)))
        first = int(rng.integers(batch_size)) if len(y) > batch_size else 0
        starts = np.r_[0, np.arange(first, len(y), batch_size)] if first else np.arange(0, len(y), batch_size)
        stops = np.r_[starts[1:], len(y)]
        for i in rng.permutation(len(starts)).tolist():
            self.step(Z[starts[i] : stops[i]], y[starts[i] : stops[i]])

    def step(self, Z: Any, y: np.ndarray) -> None:
        """One step against the subgradient of E/C on a batch."""
        C, cap, sparsity, ridge, _, _ = self.settings
        eta = self.longest / math.sqrt(1 + self.t / SLOWING) * max(0.0, 1 - self.t / self.horizon)
        eta *= min(1.0, len(y) / self.size)  # in a short batch each sample counts as much as in a full one
        self.t += 1
        t = y * (Z @ self.w + self.b)
        q = np.maximum(0.0, 1.0 - t)
        v = np.where(q > 0, y, 0.0)  # minus the subgradient with respect to each f_i, times the size of the batch
        self.slack += float(q.sum())
        self.samples += len(y)
        if cap == "max":
            self._lower(Z, y, t, eta / C)
        else:
            self.top += float(np.abs(t).sum())
            v -= np.sign(t) * y / C
        self.w += (eta / len(y)) * (v @ Z)
        self.b += eta / len(y) * float(v.sum())
        if ridge:
            self.w /= 1 + eta * ridge / C
        self.owed += eta * sparsity / C
        if self.t % CALM == 0 or self.t < EARLY:
            self._settle()

    def _lower(self, Z: Any, y: np.ndarray, t: np.ndarray, step: float) -> None:
        """Step against the cap's subgradient: y_i (z_i, 1) at the highest sample known, or 0 if it lies below 1."""
        known = self.high_y * (self.high_Z @ self.w + self.b)
        i, j = int(t.argmax()), int(known.argmax())
        here, there = float(t[i]), float(known[j])
        self.top = max(self.top, here, there)
        if self.top <= 1 or max(here, there) <= 1:
            return
        z, label = (self.high_Z[j], self.high_y[j]) if there >= here else (dense(Z[i : i + 1])[0], y[i])
        self.w -= (step * label) * z
        self.b -= step * float(label)
        lowest = int(known.argmin())
        # a sample whose y f is known to the last digit is an old acquaintance
        if here > max(1.0, float(known[lowest])) and float(np.abs(known - here).min()) > 1e-9 * here:
            self.high_Z[lowest], self.high_y[lowest] = dense(Z[i : i + 1])[0], y[i]

    def _settle(self) -> None:
        """Truncate, and let the plane enter the average."""
        if self.settings.sparsity:
            self._truncate()
        self.n += 1
        share = RECENT / (self.n + RECENT - 1)
        self.mean_w += share * (self.w - self.mean_w)
        self.mean_b += share * (self.b - self.mean_b)

    def _truncate(self) -> None:
        """Pull w towards 0 by what it owes, and stop there: coordinates that the loss does not hold become exactly 0.

        Each owes the sum of eta times sparsity so far, less what it has paid already (Tsuruoka et al. 2009). To take eta
        times sparsity at each step instead would leave the last batch's noise in every coordinate.
        """
        before = self.w.copy()
        self.w = np.where(
            self.w > 0,
            np.maximum(0.0, self.w - (self.owed + self.paid)),
            np.minimum(0.0, self.w + (self.owed - self.paid)),
        )
        self.paid += self.w - before

    def plane(self) -> tuple[np.ndarray, float]:
        """The average of the planes so far. Coordinates that truncation holds at 0 are 0, and so is the dust that is left
        in the average of others from the time before truncation caught them."""
        w, b = (self.mean_w, self.mean_b) if self.settings.average else (self.w, self.b)
        if self.settings.sparsity:
            size = np.abs(w)
            return np.where((self.w == 0) | (size <= SUPPORT_EPS * size.max()), 0.0, w), b
        return w.copy(), b

    def end_pass(self) -> tuple[float, float]:
        """The cap and E as they were on the way through this pass."""
        C, cap, sparsity, ridge, _, _ = self.settings
        h = self.top / self.samples if cap == "mean" else max(1.0, self.top)
        E = h + C * self.slack / self.samples + sparsity * np.abs(self.w).sum() + ridge / 2 * (self.w @ self.w)
        self.slack, self.samples, self.top = 0.0, 0, 0.0
        return float(h), float(E)


class LargeScaleMachine(BinaryClassifier):
    """The parameters that the large-scale machines share; :class:`LargeScaleMCMClassifier` says what they mean."""

    def __init__(
        self,
        C: float = 10_000.0,
        gamma: float | str = "scale",
        feature_map: Any = "fourier",
        n_components: int = 1000,
        whiten: float = 1e-3,
        cap: str = "max",
        sparsity: float = 0.0,
        ridge: float = 0.0,
        batch_size: int = 64,
        max_iter: int | str = "auto",
        eta0: float = 80.0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        average: bool = True,
        random_state: Any = 0,
        verbose: int = 0,
    ):
        self.C = C
        self.gamma = gamma
        self.feature_map = feature_map
        self.n_components = n_components
        self.whiten = whiten
        self.cap = cap
        self.sparsity = sparsity
        self.ridge = ridge
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.eta0 = eta0
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.average = average
        self.random_state = random_state
        self.verbose = verbose


class LargeScaleMCMClassifier(LargeScaleMachine):
    r"""An MCM that learns from batches: \(\min\; \mathrm{cap} + \frac CM\sum_i q_i + s\|w\|_1 + \frac\rho2\|w\|^2\).

    Here f(x) = w·z(x) + b on explicit features z(x), and q_i = max(0, 1 - y_i f_i) (more at the head of this module).
    Standardise the data first. For data that do not fit into memory see ``fit_stream`` and ``partial_fit``.

    Parameters
    ----------
    C : price of the mean slack, > 0: M times the C of N(30)
    gamma : width of the RBF kernel that the feature map stands for; "scale" is 1 / (n_features * X.var()), "auto" is
        1 / n_features
    feature_map : "fourier" (random Fourier features), "nystroem", "prototypes" (kernel columns at prototypes; both need
        scikit-learn), None for the features as they are (a linear machine), or an object with fit and transform
    n_components : how many features the map makes
    whiten : features that were mapped are turned to their principal axes, and variances above this share of the total
        levelled (see :class:`mcmteach.Whitening`): the descent is much shorter then. 0 leaves them as they are
    cap : what stands for h of N(30-33). "max" is the paper's, max(1, max_i y_i f_i): the least h that N(31) and N(32) allow,
        so that with ridge 0 the minimum is that of N(30-33), with C/M for its C. "mean" is the public code's, the mean of
        |f_i|: every sample pushes it down, those on the wrong side too, so this is another machine
    sparsity : s, price on ||w||_1, >= 0. Truncation makes coordinates exactly 0
    ridge : rho, price on ||w||^2 / 2, >= 0
    batch_size : samples per step
    max_iter : passes over the data; "auto" is as many as make 6000 steps, and at least 3
    eta0 : length of the first step, in units of 1 / mean(1 + ||z||^2). The t-th is eta0 / sqrt(1 + t / 500), times what
        is left of the way, 1 - t / T, once it is known that there will be T steps (never in ``partial_fit``)
    early_stopping : keep a part of the data for validation, stop when accuracy there has not risen for
        ``n_iter_no_change`` passes, and keep the best plane
    validation_fraction : how large that part is. In a stream it is the first block
    n_iter_no_change : its patience, in passes
    average : answer with the average of the planes along the way, the later ones counting more, not with the last one
    random_state : seed (0 gives the same machine each time), None, or one of numpy's generators
    verbose : show a progress bar (tqdm, where it is installed)

    Attributes
    ----------
    classes_ : the two labels; a positive ``decision_function`` means ``classes_[1]``
    coef_, intercept_ : w, shape (1, n_mapped_features), and b, shape (1,)
    n_nonzero_ : how many coordinates of w are not 0
    h_, objective_ : the cap and E on the training data (after ``partial_fit``, for streams and where the features of all
        samples are too many to keep: as they were on the way through the last pass)
    objectives_ : E as it was on the way through each pass
    validation_scores_ : accuracy on the validation part after each pass (with early_stopping)
    n_iter_, t_ : passes and steps
    gamma_, feature_map_, whitening_ : what the features are made by
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from mcmteach import load_dataset
    >>> d = load_dataset("breast-cancer-wisconsin")
    >>> X = (d.data - d.data.mean(axis=0)) / d.data.std(axis=0)
    >>> machine = LargeScaleMCMClassifier(n_components=100).fit(X[:400], d.target[:400])
    >>> machine.score(X[400:], d.target[400:]) > 0.95
    True

    Source: P section 5, Sharma et al. 2017; E with cap="max" is N(30-33).
    """

    n_iter_: int
    objective_: float
    h_: float

    # --- three ways to learn -----------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from X, of shape (n_samples, n_features), dense or sparse, and two classes y."""
        X, y = self._check_training_data(X, y)
        self._begin()
        held = self._held_out(y)
        order = self._rng.permutation(np.flatnonzero(~held))  # rows are shuffled once, batches at each pass
        validation = (X[held], y[held]) if held.any() else None
        X, y = X[order], y[order]
        self._fit_maps(X[:MAP_ROWS], y[:MAP_ROWS])
        blocks: Any = ArrayStream(X, y, BLOCK).map(self._features)
        kept = len(y) * self._width() * 8 <= CACHE
        if kept:
            blocks = [(_joined(blocks, len(y)), y)]
        self._descend(blocks, validation)
        if kept:
            Z, y = blocks[0]
            self.h_, self.objective_ = self._energy(y * (Z @ self.coef_[0] + self.intercept_[0]))
        return self

    def fit_stream(self, stream: Iterable[Block], classes: Any = None) -> Self:
        """Learn from blocks (X, y) that are read again at each pass: see :mod:`mcmteach.large_scale.streams`.

        Parameters
        ----------
        stream : anything that can be iterated more than once and gives pairs (X, y); rows in random order. The feature
            map is fitted to the first block, which with early_stopping also is the validation part
        classes : the two labels. Where they are left out, the stream is read once to find them
        """
        first = _first_of(stream)
        labels = _found_classes(stream) if classes is None else classes
        X, y = self._first_block(*first, labels)
        self._fit_maps(X[:MAP_ROWS], y[:MAP_ROWS])
        self._descend(_Checked(self, stream, skip=bool(self.early_stopping)), (X, y) if self.early_stopping else None)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from one more block of rows, in one pass over it.

        The first call must name all ``classes``, and the feature map is fitted to its block: give it a few thousand rows
        in random order. ``early_stopping`` and ``max_iter`` play no part here.
        """
        if not hasattr(self, "_descent"):
            if classes is None:
                raise InvalidInputError(
                    "classes must be passed on the first call to partial_fit: a later block may hold a class that this one "
                    "does not."
                )
            X, y = self._first_block(X, y, classes)
            self._fit_maps(X[:MAP_ROWS], y[:MAP_ROWS])
            self.n_iter_ = 0
        else:
            if classes is not None and not np.array_equal(np.unique(classes), self.classes_):
                raise InvalidInputError(
                    f"classes is {list(classes)}, and the first call to partial_fit said {self.classes_.tolist()}."
                )
            X, y = self._next_block(X, y)
            self._descent.horizon = np.inf  # after a fit: there is more to come
        for Z, part in ArrayStream(*self._shuffled(X, y), BLOCK).map(self._features):
            self._descent_on(Z).run(Z, part, self.batch_size, self._rng)
        self.h_, self.objective_ = self._descent.end_pass()
        self.n_iter_ += 1
        self._take_plane()
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """f(x) = w·z(x) + b for each row of X: its sign is the class."""
        return self._plane_on(self._check_new_data(X))

    def objective(self, X: Any, y: Any) -> float:
        """E on other data, which the penalties do not depend on."""
        return self._energy(self._signs(y, X) * self.decision_function(X))[1]

    # --- the descent ---------------------------------------------------------------------------------------------------

    def _descend(self, blocks: Any, validation: Block | None) -> None:
        """Passes over blocks of features (or, from a stream, of rows) until there are enough of them."""
        history, scores, best = [], [], (-1.0, np.empty(0), 0.0)
        for n_iter in self._passes():
            for Z, y in blocks:
                self._descent_on(Z).run(Z, y, self.batch_size, self._rng)
            self.h_, E = self._descent.end_pass()
            history.append(E)
            self._take_plane()
            if validation is not None:
                f = self._plane_on(validation[0])
                scores.append(float(np.mean((f > 0) == (validation[1] > 0))))
                if scores[-1] > best[0]:
                    best = (scores[-1], *self._descent.plane())
            self.n_iter_ = n_iter
            if self._stalled(scores):
                break
        self.objectives_ = np.array(history)
        self.objective_ = history[-1]
        if validation is not None:
            self.validation_scores_ = np.array(scores)
            self._set_plane(best[1], best[2])
        if not self.n_nonzero_:
            self._warn_constant()

    def _warn_constant(self) -> None:
        warnings.warn(
            f"All coefficients are zero: the machine answers {self.classes_[int(self.intercept_[0] > 0)]} whatever is asked. "
            f"Take a smaller sparsity (it is {self.sparsity:g}) or a larger C (it is {self.C:g}).",
            ConstantClassifierWarning,
            stacklevel=4,
        )

    def _passes(self) -> Iterator[int]:
        """1, 2, … as far as max_iter goes; what "auto" means is known after the first pass."""
        last = 1 if self.max_iter == "auto" else whole(self.max_iter, "max_iter", 1)
        n = 0
        with _progress_bar(bool(self.verbose)) as show:
            while n < last:
                n += 1
                yield n
                if n == 1:
                    if self.max_iter == "auto":
                        last = max(PASSES, -(-STEPS // self._descent.t))
                    self._descent.horizon = last * self._descent.t + 1.0
                show(n, last)

    def _stalled(self, scores: list[float]) -> bool:
        """Whether the last few passes brought nothing on the validation part."""
        wait = self.n_iter_no_change
        return len(scores) > wait and max(scores[-wait:]) <= max(scores[:-wait])

    def _descent_on(self, Z: Any) -> Descent:
        if not hasattr(self, "_descent"):
            self._descent = Descent(self._settings, Z)
        return self._descent

    def _take_plane(self) -> None:
        w, b = self._descent.plane()
        if not (np.isfinite(w).all() and np.isfinite(b)):
            raise InvalidInputError("The descent met features that are not finite. Look at what feature_map gives.")
        self._set_plane(w, b)
        self.t_ = self._descent.t

    def _set_plane(self, w: np.ndarray, b: float) -> None:
        self.coef_, self.intercept_ = w[None, :], np.array([b])
        self.n_nonzero_ = int(np.count_nonzero(w))

    # --- features ------------------------------------------------------------------------------------------------------

    def _fit_maps(self, X: Any, y: np.ndarray) -> None:
        """Fit the feature map, and the whitening of what it gives."""
        D = whole(self.n_components, "n_components", 1)
        self.gamma_ = self._gamma(X)
        self.feature_map_ = make_feature_map(self.feature_map, self.gamma_, D, X.shape[0], self._rng)
        self.whitening_ = None
        if self.feature_map_ is not None:
            self.feature_map_.fit(X, y)
            if not_negative(self.whiten, "whiten") > 0:
                self.whitening_ = Whitening(self.whiten).fit(dense(self.feature_map_.transform(X)))

    def _features(self, X: Any) -> Any:
        """z(x) for the rows of X: dense, unless they are the given features, sparse and very many."""
        if self.feature_map_ is None:
            return X if sp.issparse(X) and X.shape[1] > WIDE else dense(X)
        Z = dense(self.feature_map_.transform(X))
        return Z if self.whitening_ is None else self.whitening_.transform(Z)

    def _width(self) -> int:
        if self.whitening_ is not None:
            return self.whitening_.axes_.shape[1]
        return self.n_features_in_ if self.feature_map_ is None else self.n_components

    def _gamma(self, X: Any) -> float:
        if isinstance(self.gamma, str) and self.gamma in ("scale", "auto"):
            variance = (X**2).mean() - X.mean() ** 2 if self.gamma == "scale" else 1.0
            return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
        if isinstance(self.gamma, str):
            raise InvalidInputError(f"gamma must be a number > 0, 'scale' or 'auto', and is {self.gamma!r}.")
        return positive(self.gamma, "gamma")

    # --- checks ----------------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Check the parameters before anything is computed, and forget the last descent."""
        self.__dict__.pop("_descent", None)
        if self.cap not in ("max", "mean"):
            raise InvalidInputError(f"cap must be 'max' or 'mean', and is {self.cap!r}.")
        self._settings = Settings(
            C=positive(self.C, "C"),
            cap=self.cap,
            sparsity=not_negative(self.sparsity, "sparsity"),
            ridge=not_negative(self.ridge, "ridge"),
            eta0=positive(self.eta0, "eta0"),
            average=switch(self.average, "average"),
        )
        for name in ("batch_size", "n_iter_no_change", *(() if self.max_iter == "auto" else ("max_iter",))):
            whole(getattr(self, name), name, 1)
        if not 0 < positive(self.validation_fraction, "validation_fraction") < 1:
            raise InvalidInputError(
                f"validation_fraction must lie between 0 and 1, and is {self.validation_fraction!r}."
            )
        self._rng = as_generator(self.random_state)

    def _held_out(self, y: np.ndarray) -> np.ndarray:
        """True for samples of the validation part: a share of each class, but never all of it."""
        held = np.zeros(len(y), dtype=bool)
        if self.early_stopping:
            for label in (-1.0, 1.0):
                rows = self._rng.permutation(np.flatnonzero(y == label))
                held[rows[: min(len(rows) - 1, round(self.validation_fraction * len(rows)))]] = True
            if not held.any():
                raise InvalidInputError(
                    f"There are too few samples ({len(y)}) to keep a share of {self.validation_fraction:g} for validation. "
                    "Take early_stopping=False."
                )
        return held

    def _first_block(self, X: Any, y: Any, classes: Any) -> Block:
        """Check the first of several blocks and take note of its shape."""
        X, names = self._check_training_rows(X, y)
        found = np.unique(_as_classes(classes))
        if len(found) != 2:
            raise InvalidInputError(
                f"Only binary classification is supported, and there are {len(found)} classes: {found.tolist()[:5]}. "
                "Two are needed."
            )
        self._begin()
        self._remember(X, names)
        self.classes_ = found
        return X, self._signs(y, X)

    def _next_block(self, X: Any, y: Any) -> Block:
        """Check a further block against the first one."""
        _compare_names(_feature_names(X), getattr(self, "feature_names_in_", None), type(self).__name__)
        X, _ = self._check_training_rows(X, y)
        if X.shape[1] != self.n_features_in_:
            raise InvalidInputError(
                f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features as "
                "input: that is what the first block had."
            )
        return X, self._signs(y, X)

    def _signs(self, y: Any, X: Any) -> np.ndarray:
        return class_signs(_one_each(_as_classes(y), X, "label"), self.classes_)

    def _shuffled(self, X: Any, y: np.ndarray) -> Block:
        order = self._rng.permutation(len(y))
        return X[order], y[order]

    # --- what was reached --------------------------------------------------------------------------------------------------

    def _plane_on(self, X: Any) -> np.ndarray:
        w, b = self.coef_[0], self.intercept_[0]
        return np.concatenate([self._features(X[i : i + BLOCK]) @ w + b for i in range(0, X.shape[0], BLOCK)])

    def _energy(self, t: np.ndarray) -> tuple[float, float]:
        """The cap and E, from t_i = y_i f_i."""
        w = self.coef_[0]
        h = np.abs(t).mean() if self.cap == "mean" else max(1.0, t.max())
        slack = np.maximum(0.0, 1 - t).mean()
        E = h + self.C * slack + self.sparsity * np.abs(w).sum() + self.ridge / 2 * (w @ w)
        return float(h), float(E)


class _Checked:
    """The features of a stream's blocks, each block checked against the first one and its rows shuffled."""

    def __init__(self, machine: LargeScaleMCMClassifier, stream: Iterable[Block], skip: bool):
        self.machine, self.stream, self.skip = machine, stream, skip

    def __iter__(self) -> Iterator[Block]:
        found = False
        for X, y in islice(self.stream, int(self.skip), None):
            found = True
            yield from self._parts(*self.machine._next_block(X, y))
        if not found:
            raise InvalidInputError(
                "The stream has one block only, and early_stopping keeps the first for validation. Take smaller blocks."
            )

    def _parts(self, X: Any, y: np.ndarray) -> Iterator[Block]:
        yield from ArrayStream(*self.machine._shuffled(X, y), BLOCK).map(self.machine._features)


def _joined(blocks: Iterable[Block], rows: int) -> Any:
    """The features of all blocks as one matrix, which is filled as they come: nothing is there twice."""
    Z: Any = None
    parts, at = [], 0
    for part, _ in blocks:
        if sp.issparse(part):
            parts.append(part)
            continue
        Z = np.empty((rows, part.shape[1])) if Z is None else Z
        Z[at : at + len(part)] = part
        at += len(part)
    return sp.vstack(parts, format="csr") if parts else Z


def _first_of(stream: Iterable[Block]) -> Block:
    """The first block of what must be a stream of blocks that can be read again."""
    if not isinstance(stream, Iterable) or isinstance(stream, Iterator):
        once = "can be read once only (it is an iterator), and several passes are needed"
        raise InvalidInputError(
            f"The stream {once if isinstance(stream, Iterator) else f'is {stream!r}'}. Give a CSVStream, SvmlightStream, "
            "ArrayStream or a list of blocks, or call partial_fit for each block."
        )
    first = next(iter(stream), None)
    if first is None:
        raise InvalidInputError("The stream is empty: it gave no block of rows to learn from.")
    if not isinstance(first, tuple | list) or len(first) != 2:
        raise InvalidInputError(f"A block is a pair (X, y), and the stream gave a {type(first).__name__} that is none.")
    return first[0], first[1]


def class_signs(y: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """-1 and +1 for the first and the second class."""
    unknown = y[~np.isin(y, classes)]
    if len(unknown):
        raise InvalidInputError(f"y holds the label {unknown.tolist()[0]!r}, and the classes are {classes.tolist()}.")
    return np.where(y == classes[1], 1.0, -1.0)


def _found_classes(stream: Iterable[Block]) -> np.ndarray:
    """The labels that a stream holds, from reading it once."""
    found: np.ndarray = np.unique(np.concatenate([np.unique(_as_classes(y)) for _, y in stream]))
    if len(found) < 2:
        raise InvalidInputError(
            f"The stream holds one class only ({found[0]}), and two are needed to learn a difference."
        )
    return found


@contextmanager
def _progress_bar(verbose: bool) -> Iterator[Callable[[int, int], None]]:
    """A function (pass, passes) -> None that shows how far the descent is. An early stop ends the bar where it is."""
    if not verbose:
        yield lambda n, last: None
    elif find_spec("tqdm") is None:
        yield lambda n, last: print(f"pass {n} of at most {last}")
    else:
        from tqdm.auto import tqdm

        with tqdm(unit="pass") as bar:

            def show(n: int, last: int) -> None:
                bar.total = last
                bar.update()

            yield show
