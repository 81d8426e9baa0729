r"""The Minimal Complexity Machine for data of any size, on explicit features. P section 5.

What it minimises, and how, is at the head of :mod:`mcmteach.large_scale.descent`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, islice
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from mcmteach.base import Classifier
from mcmteach.errors import ConstantClassifierWarning, InvalidInputError, warn
from mcmteach.kernels import as_gamma
from mcmteach.large_scale.descent import Objective, StochasticDescent, descend
from mcmteach.large_scale.feature_maps import Features, Whitening, as_generator, fit_features, make_feature_map
from mcmteach.large_scale.streams import ArrayStream, Block
from mcmteach.validation import (
    FloatArray,
    MatrixLike,
    as_classes,
    as_weights,
    compare_feature_names,
    compare_n_features,
    not_negative,
    one_per_row,
    positive,
    switch,
    whole,
)

BLOCK_ROWS = 8192  # rows that are mapped at a time
MAP_ROWS = 10_000  # rows that a feature map is fitted to, at most
BUFFER_ROWS = 1000  # partial_fit keeps the first rows until there are this many …
FIRST_STEPS = 100  # … and passes over them until it has taken this many steps
CACHE_BYTES = 2**28  # the features of all samples are kept where they need no more than this


class LargeScaleMachine(Classifier):
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
        class_weight: Mapping[Any, float] | str | None = None,
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
        self.class_weight = class_weight


class LargeScaleMCMClassifier(LargeScaleMachine):
    r"""An MCM that learns from batches: \(\min\; \mathrm{cap} + \frac CM\sum_i q_i + s\|w\|_1 + \frac\rho2\|w\|^2\).

    Here f(x) = w·z(x) + b on explicit features z(x), and q_i = max(0, 1 - y_i f_i); :mod:`mcmteach.large_scale.descent` says
    more.
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
    cap : what takes the place of h of N(30-33). "max" is the paper's, max(1, max_i y_i f_i): the least h that N(31) and
        N(32) allow, so that with ridge 0 the minimum is that of N(30-33), with C/M for its C. "mean" is the public code's,
        the mean of |f_i|: every sample pushes it down, those on the wrong side too, so this is another machine
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
    random_state : seed (a number gives the same machine each time), None, or one of numpy's generators
    verbose : show a progress bar (tqdm, where it is installed)
    class_weight : {label: weight}, or "balanced": as in MCMClassifier

    Attributes
    ----------
    classes_ : the two labels; a positive ``decision_function`` means ``classes_[1]``
    coef_, intercept_ : w, shape (1, n_mapped_features), and b, shape (1,)
    n_nonzero_ : how many coordinates of w are not 0
    h_, objective_ : the cap and E on the training data (after ``partial_fit``, for streams and where the features of all
        samples are too many to keep: as they were met in the course of the last pass)
    objectives_ : E as it was met in the course of each pass
    validation_scores_ : accuracy on the validation part after each pass (with early_stopping)
    n_iter_, t_ : passes and steps
    gamma_, feature_map_, whitening_ : the width, the fitted map and its whitening (None where there is none)
    features_ : both in one: ``features_.transform(X)`` is z(x)
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

    features_: Features
    feature_map_: Any
    whitening_: Whitening | None
    _descent: StochasticDescent
    _first_rows: list[Block] | None

    # --- three ways to learn -----------------------------------------------------------------------------------------

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from X, of shape (n_samples, n_features), dense or sparse, and two classes y.

        In the objective a sample of weight 2 is the sample twice, and one of weight 0 none. The descent meets it half as
        often, so that the machine itself differs as it does for another ``random_state``.
        """
        X, labels = self._check_training_data(X, y)
        weights = self._sample_weights((labels > 0).astype(int), sample_weight, self.class_weight)
        if weights is not None:
            X, labels, weights = X[weights > 0], labels[weights > 0], weights[weights > 0]
            labels = labels * (weights / weights.mean())
        self._begin()
        held = self._held_out(labels)
        order = self._rng.permutation(np.flatnonzero(~held))  # rows are shuffled once, batches at each pass
        validation = (X[held], labels[held]) if held.any() else None
        X, signs = X[order], labels[order]
        self._fit_features(X, signs)
        blocks: Any = ArrayStream(X, signs, BLOCK_ROWS, self.features_.transform)
        kept = len(signs) * self.features_.transform(X[:1]).shape[1] * 8 <= CACHE_BYTES
        if kept:
            blocks = [(_joined(blocks, len(signs)), signs)]
        self._descend(blocks, validation)
        if kept:
            Z = blocks[0][0]
            t = np.sign(signs) * (Z @ self.coef_[0] + self.intercept_[0])
            self.h_, self.objective_ = self._objective.on(t, self.coef_[0], np.abs(signs))
        return self

    def fit_stream(self, stream: Iterable[Block], classes: ArrayLike | None = None) -> Self:
        """Learn from blocks (X, y) that are read again at each pass: see :mod:`mcmteach.large_scale.streams`.

        Parameters
        ----------
        stream : anything that can be iterated more than once and gives pairs (X, y); rows in random order. The feature
            map is fitted to the first block, which with early_stopping also is the validation part
        classes : the two labels. Where they are left out, the stream is read once to find them
        """
        first = _first_of(stream)
        X, y = self._first_block(*first, _found_classes(stream) if classes is None else classes)
        self._fit_features(X, y)
        self._descend(_Checked(self, stream, skip=bool(self.early_stopping)), (X, y) if self.early_stopping else None)
        return self

    def partial_fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from one more block of rows, in one pass over it.

        The first call must name all ``classes``. A feature map that was fitted to a few rows is a poor one, so the first
        1000 rows are kept, and whenever their number has doubled the machine starts anew on all of them, with as many
        passes as make 100 steps. Blocks may be of any size, down to single rows, in random order. ``early_stopping`` and
        ``max_iter`` play no part here. Weights should be 1 on average over all blocks; rows of weight 0 are left out.
        """
        X, y = self._next_block(X, y, classes, sample_weight)
        X, y = self._with_first_rows(X[y != 0], y[y != 0])
        passes = 1 if hasattr(self, "_descent") else -(-FIRST_STEPS * self.batch_size // len(y))
        for Z, part in chain.from_iterable(self.mapped_blocks(X, y) for _ in range(max(1, passes))):
            if not hasattr(self, "_descent"):
                self._descent = self._start(Z)
            self._descent.run(Z, part, self.batch_size, self._rng)
        self.h_, self.objective_ = self._descent.end_pass()
        self.n_iter_ += 1
        self._set_plane(*self._descent.plane())
        self.t_ = self._descent.t
        return self

    def decision_function(self, X: MatrixLike) -> FloatArray:
        """f(x) = w·z(x) + b for each row of X: its sign is the class."""
        return self._values(self._check_new_data(X), self.coef_[0], self.intercept_[0])

    def objective(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """E on other data, with the same plane and so the same penalties."""
        t = self._signs(y, X) * self.decision_function(X)
        weights = None if sample_weight is None else as_weights(sample_weight, len(t))
        present = slice(None) if weights is None else weights > 0
        return self._objective.on(t[present], self.coef_[0], None if weights is None else weights[present])[1]

    # --- the blocks of a stream ------------------------------------------------------------------------------------------

    def check_block(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Block:
        """A further block of rows, checked against the first one, with labels -1 and +1, each times its weight."""
        compare_feature_names(X, getattr(self, "feature_names_in_", None), type(self).__name__)
        X, _ = self._check_training_rows(X, y)
        compare_n_features(X, self.n_features_in_, type(self).__name__)
        return X, self._signed_weights(y, X, sample_weight)

    def mapped_blocks(self, X: MatrixLike, y: FloatArray) -> Iterator[Block]:
        """The features of the rows of a checked block, shuffled, in blocks that are small enough to be mapped at once."""
        order = self._rng.permutation(len(y))
        yield from ArrayStream(X[order], y[order], BLOCK_ROWS, self.features_.transform)

    # --- helpers -----------------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Check the parameters before anything is computed, and forget the last descent."""
        self.__dict__.pop("_descent", None)
        self._is_compact, self._first_rows = False, None
        if self.cap not in ("max", "mean"):
            raise InvalidInputError(f"cap must be 'max' or 'mean'; got {self.cap!r}.")
        self._objective = Objective(
            positive(self.C, "C"), self.cap, not_negative(self.sparsity, "sparsity"), not_negative(self.ridge, "ridge")
        )
        eta0, average = positive(self.eta0, "eta0"), switch(self.average, "average")
        self._start = partial(StochasticDescent, self._objective, eta0=eta0, average=average)
        for name in ("batch_size", "n_iter_no_change", *(() if self.max_iter == "auto" else ("max_iter",))):
            whole(getattr(self, name), name, 1)
        if not 0 < positive(self.validation_fraction, "validation_fraction") < 1:
            raise InvalidInputError(f"validation_fraction must lie between 0 and 1; got {self.validation_fraction!r}.")
        self._rng = as_generator(self.random_state)

    def _held_out(self, y: FloatArray) -> NDArray[np.bool_]:
        """True for samples of the validation part: a share of each class, but never all of it."""
        held = np.zeros(len(y), dtype=bool)
        if self.early_stopping:
            for label in (-1.0, 1.0):
                rows = self._rng.permutation(np.flatnonzero(np.sign(y) == label))
                held[rows[: min(len(rows) - 1, round(self.validation_fraction * len(rows)))]] = True
            if not held.any():
                raise InvalidInputError(
                    f"There are too few samples ({len(y)}) to keep a share of {self.validation_fraction:g} for validation. "
                    "Take early_stopping=False."
                )
        return held

    def _first_block(
        self, X: MatrixLike, y: ArrayLike, classes: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Block:
        """Check the first of several blocks and store its shape."""
        X, names = self._check_training_rows(X, y)
        found = np.unique(as_classes(classes))
        if len(found) != 2:
            raise InvalidInputError(
                f"Only binary classification is supported, but there are {len(found)} classes: {found.tolist()[:5]}. "
                "Two are needed."
            )
        self._begin()
        self._remember(X, names)
        self.classes_ = found
        return X, self._signed_weights(y, X, sample_weight)

    def _next_block(
        self, X: MatrixLike, y: ArrayLike, classes: ArrayLike | None, sample_weight: ArrayLike | None
    ) -> Block:
        """Check a block that ``partial_fit`` is given, the first one or a later one."""
        if getattr(self, "_is_compact", False):
            raise InvalidInputError("After compact() a machine can predict, but not continue learning. Fit it again.")
        if not hasattr(self, "_descent"):
            if classes is None:
                raise InvalidInputError(
                    "classes must be passed on the first call to partial_fit: a later block may hold a class that this one "
                    "does not."
                )
            block = self._first_block(X, y, classes, sample_weight)
            self.n_iter_, self._mapped_rows, self._first_rows = 0, 0, []
            return block
        if classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise InvalidInputError(
                f"classes is {np.asarray(classes).tolist()}, and the first call to partial_fit said {self.classes_.tolist()}."
            )
        block = self.check_block(X, y, sample_weight)
        self._descent.horizon = np.inf  # after a fit: there is more to come
        return block

    def _signed_weights(self, y: ArrayLike, X: MatrixLike, sample_weight: ArrayLike | None = None) -> FloatArray:
        """Labels -1 and +1, each times its row's weight, for a block, which need not hold both classes."""
        signs = self._signs(y, X)
        weights = 1.0 if sample_weight is None else as_weights(sample_weight, len(signs))
        if self.class_weight is None:
            return signs * weights
        if isinstance(self.class_weight, str):
            raise InvalidInputError(
                f"class_weight={self.class_weight!r} needs all samples at once, but a block is only a part. Give a "
                "dictionary {label: weight}."
            )
        return signs * weights * self._class_factors(self.class_weight, np.empty(0))[(signs > 0).astype(int)]

    def _with_first_rows(self, X: MatrixLike, y: FloatArray) -> Block:
        """The rows to learn from: those of the block, or all so far if their number has doubled since the maps were fitted."""
        if self._first_rows is None:
            return X, y
        self._first_rows.append((X, y))
        rows = sum(len(labels) for _, labels in self._first_rows)
        if rows >= min(2 * self._mapped_rows, BUFFER_ROWS):
            parts, signs = zip(*self._first_rows, strict=True)
            X, y = (sp.vstack if sp.issparse(X) else np.vstack)(parts), np.concatenate(signs)
            self._fit_features(X, y)
            self._mapped_rows = rows
            self.__dict__.pop("_descent", None)
        if rows >= BUFFER_ROWS:
            self._first_rows = None
        return X, y

    def _fit_features(self, X: MatrixLike, y: FloatArray) -> None:
        """Fit the feature map and its whitening to the first rows."""
        X, y = X[:MAP_ROWS], y[:MAP_ROWS]
        D = whole(self.n_components, "n_components", 1)
        weights = np.abs(y)
        self.gamma_ = as_gamma(self.gamma, X, None if (weights == 1).all() else weights)
        unfitted = make_feature_map(self.feature_map, self.gamma_, D, X.shape[0], self._rng)
        self.features_ = fit_features(unfitted, X, np.sign(y), self.whiten)
        self.feature_map_, self.whitening_ = self.features_

    def _descend(self, blocks: Iterable[Block], validation: Block | None) -> None:
        """Learn the plane from blocks of features."""

        def accuracy(w: FloatArray, b: float) -> float:
            X, y = validation or (None, np.empty(0))
            return float(np.average((self._values(X, w, b) > 0) == (y > 0), weights=np.abs(y)))

        found = descend(
            blocks, self._start, self.batch_size, self.max_iter, self._rng, accuracy if validation else None,
            self.n_iter_no_change, bool(self.verbose),
        )  # fmt: skip
        self._descent, self.t_, self.n_iter_ = found.descent, found.descent.t, found.n_iter
        self.h_, self.objectives_, self.objective_ = found.h, found.objectives, float(found.objectives[-1])
        self._set_plane(found.w, found.b)
        if validation:
            self.validation_scores_ = found.scores
        if not self.n_nonzero_:
            warn(
                f"All coefficients are zero: the machine answers {self.classes_[int(found.b > 0)]} whatever is asked. "
                f"Take a smaller sparsity (it is {self.sparsity:g}) or a larger C (it is {self.C:g}).",
                ConstantClassifierWarning,
            )

    def _drop_what_training_needed(self) -> None:
        """The state of the descent, and the whitening, which is folded into the plane."""
        self.__dict__.pop("_descent", None)
        self._is_compact, self._first_rows = True, None
        self._set_plane(*self.features_.fold(self.coef_[0], float(self.intercept_[0])))
        self.features_ = Features(self.feature_map_, None)
        self.whitening_ = None

    def _set_plane(self, w: FloatArray, b: float) -> None:
        self.coef_, self.intercept_ = w[None, :], np.array([b])
        self.n_nonzero_ = int(np.count_nonzero(w))

    def _values(self, X: MatrixLike, w: FloatArray, b: float) -> FloatArray:
        """w·z(x) + b at the rows of X, which are mapped in blocks."""
        parts = (X[i : i + BLOCK_ROWS] for i in range(0, X.shape[0], BLOCK_ROWS))
        return np.concatenate([self.features_.transform(part) @ w + b for part in parts])

    def _signs(self, y: ArrayLike, X: MatrixLike) -> FloatArray:
        return class_signs(one_per_row(as_classes(y), X, "label"), self.classes_)


class _Checked:
    """The features of a stream's blocks, each block checked against the first one and its rows shuffled."""

    def __init__(self, machine: LargeScaleMCMClassifier, stream: Iterable[Block], skip: bool):
        self.machine, self.stream, self.skip = machine, stream, skip

    def __iter__(self) -> Iterator[Block]:
        found = False
        for X, y in islice(self.stream, int(self.skip), None):
            found = True
            yield from self.machine.mapped_blocks(*self.machine.check_block(X, y))
        if not found:
            raise InvalidInputError(
                "The stream has one block only, and early_stopping keeps the first for validation. Take smaller blocks."
            )


def _joined(blocks: Iterable[Block], rows: int) -> Any:
    """The features of all blocks as one matrix, which is filled block by block: no feature is in memory twice."""
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
        once = "can be read once only (it is an iterator), but several passes are needed"
        raise InvalidInputError(
            f"The stream {once if isinstance(stream, Iterator) else f'is {stream!r}'}. Give an ArrayStream, a list of blocks "
            "or another iterable that starts anew each time, or call partial_fit for each block."
        )
    first = next(iter(stream), None)
    if first is None:
        raise InvalidInputError("The stream is empty: it gave no block of rows to learn from.")
    if not isinstance(first, tuple | list) or len(first) != 2:
        raise InvalidInputError(f"A block is a pair (X, y), but the stream gave a {type(first).__name__}.")
    return first[0], first[1]


def class_signs(y: NDArray[Any], classes: NDArray[Any]) -> FloatArray:
    """-1 and +1 for the first and the second class."""
    unknown = y[~np.isin(y, classes)]
    if len(unknown):
        raise InvalidInputError(f"y holds the label {unknown.tolist()[0]!r}, but the classes are {classes.tolist()}.")
    return np.where(y == classes[1], 1.0, -1.0)


def _found_classes(stream: Iterable[Block]) -> NDArray[Any]:
    """The labels that a stream holds, from reading it once."""
    found: NDArray[Any] = np.unique(np.concatenate([np.unique(as_classes(y)) for _, y in stream]))
    if len(found) < 2:
        raise InvalidInputError(
            f"The stream holds one class only ({found[0]}), but two are needed to learn a difference."
        )
    return found
