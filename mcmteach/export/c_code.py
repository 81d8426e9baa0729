r"""A fitted machine as C: one header, C99, no malloc, that answers as Python does.

The numbers of :class:`mcmteach.export.formula.Formula` become constant arrays, in single precision or, to save flash memory,
as whole numbers of 8 or 16 bits with a step per feature. All arithmetic is done in single precision.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.errors import InvalidInputError
from mcmteach.export.formula import Bumps, Formula, formula_of, in_single_precision
from mcmteach.validation import FloatArray, as_matrix, whole

STORED_AS = {
    "float32": ("float", 0),
    "int8": ("int8_t", 127),
    "int16": ("int16_t", 32767),
}  # C type, largest whole number
#: exp(r) for |r| <= ln(2) / 2 by its interpolation at six Chebyshev points, lowest power first
EXP_COEFFICIENTS = np.polynomial.Chebyshev.interpolate(np.exp, 5, [-0.34658, 0.34658]).convert(
    kind=np.polynomial.Polynomial
).coef  # fmt: skip
EXP_ERROR = 5e-7  # relative, all rounding in single precision included


def to_c(machine: Any, dtype: str = "float32", name: str = "machine", exp: str = "library") -> str:
    """The text of a C header that predicts as a fitted machine or pipeline does.

    Parameters
    ----------
    machine : MCMClassifier, ConformalMCMClassifier, MCMRegressor, the machine of a risk certificate; scikit-learn's SVC and SVR
        (a number for gamma), LogisticRegression and other linear machines; a OneVsRestClassifier of one of these, or a
        Pipeline of SimpleImputer, StandardScaler and one of these; a machine of :func:`mcmteach.load_model`
    dtype : how vectors and coefficients are stored: "float32", "int16" or "int8" (a quarter of the flash memory; answers
        near the boundary may change: count them on your own data before you trust them)
    name : begins every name in the file, so that several machines can live in one program
    exp : "library" calls ``expf``. "polynomial" brings a polynomial of degree 5 instead, with a relative error below
        ``EXP_ERROR``: smaller and faster where ``expf`` computes in double precision, as that of newlib does

    Returns
    -------
    The header. ``NAME_predict(x)`` gives the index of the class (of a regression machine, the answer), ``NAME_decision(x, f)``
    writes the values f.

    Examples
    --------
    >>> from mcmteach import MCMClassifier
    >>> machine = MCMClassifier(gamma=2.0).fit([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1])
    >>> header = to_c(machine, name="xor")
    >>> [line for line in header.splitlines() if line.startswith("#define XOR_")][1:]
    ['#define XOR_FEATURES 2', '#define XOR_VECTORS 2', '#define XOR_OUTPUTS 1', '#define XOR_CLASSES 2']
    """
    if dtype not in STORED_AS:
        raise InvalidInputError(f"dtype must be one of {', '.join(STORED_AS)}; got {dtype!r}.")
    if not re.fullmatch(r"[A-Za-z]\w*", name):
        raise InvalidInputError(f"name must be a C identifier (letters, digits, _; a letter first); got {name!r}.")
    if exp not in ("library", "polynomial"):
        raise InvalidInputError(f"exp must be 'library' or 'polynomial'; got {exp!r}.")
    formula = in_single_precision(formula_of(machine))
    parts = [formula.vectors, formula.coef, formula.intercept, formula.mean, formula.scale]
    if not all(np.isfinite(part).all() for part in parts):
        raise InvalidInputError(
            "The machine holds numbers that are not finite, and C would compute with them. Fit it again."
        )
    return _Header(_stored(formula, dtype), formula, dtype, name, exp).text()


def c_self_test(machine: Any, X: ArrayLike, name: str = "machine", dtype: str = "float32") -> str:
    """A C program that asks the exported machine about the rows of X and compares with Python: it returns 0 if all agree.

    A decision value may differ by 1e-5 of the sum of the absolute terms. What Python computes has its vectors and
    coefficients rounded as ``dtype`` says: see :func:`rounded`.

    Examples
    --------
    >>> from mcmteach import MCMClassifier
    >>> machine = MCMClassifier(gamma=2.0).fit([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1])
    >>> "int main(void)" in c_self_test(machine, [[0, 0], [1, 0]], name="xor")
    True
    """
    formula = rounded(formula_of(machine), dtype)
    rows: FloatArray = as_matrix(X, missing=True)
    rows = rows.astype(np.float32).astype(np.float64)
    f = formula.decision_function(rows).reshape(len(rows), -1)
    room = 1e-5 * formula.sizes(rows)
    upper = name.upper()
    table = ",\n".join(f"    {{{', '.join(map(_number, row))}}}" for row in rows)
    wanted = ",\n".join(f"    {{{', '.join(map(_number, row))}}}" for row in f)
    allowed = ", ".join(map(_number, room))
    return f"""/* {name}.h asked about {len(rows)} rows, beside the answers of Python. Returns how many values differ. */
#include "{name}.h"

#define ROWS {len(rows)}
static const float x[ROWS][{upper}_FEATURES] = {{
{table}
}};
static const float wanted[ROWS][{upper}_OUTPUTS] = {{
{wanted}
}};
static const float room[ROWS] = {{{allowed}}};

int main(void) {{
    int wrong = 0;
    for (int i = 0; i < ROWS; i++) {{
        float f[{upper}_OUTPUTS];
        {name}_decision(x[i], f);
        for (int j = 0; j < {upper}_OUTPUTS; j++) {{
            if (fabsf(f[j] - wanted[i][j]) > room[i]) wrong++;
        }}
    }}
    return wrong > 99 ? 99 : wrong;
}}
"""


def rounded(formula: Formula, dtype: str | int) -> Formula:
    """The formula with its vectors and coefficients as they are stored: compare its answers with those of the original.

    ``dtype`` is one of :func:`to_c`, or a number of bits, 2 or more, to see what shorter numbers would do.

    Examples
    --------
    >>> from mcmteach import MCMClassifier
    >>> X, y = np.random.default_rng(0).normal(size=(60, 2)), np.tile([-1, 1], 30)
    >>> exact = formula_of(MCMClassifier(gamma=1.0, sparsity=0.1).fit(X, y))
    >>> int(np.sum(rounded(exact, "int8").predict(X) != exact.predict(X)))  # labels that change, of 60
    1
    """
    stored = _stored(formula, dtype)
    return formula._replace(
        vectors=stored.vectors * stored.step + stored.origin, coef=stored.coef * stored.coef_step[:, None]
    )


class _Stored(NamedTuple):
    """Vectors and coefficients as they are written: whole numbers and their steps, or the numbers themselves (step 1)."""

    vectors: FloatArray
    origin: FloatArray  #: of each feature, in units of z
    step: FloatArray
    coef: FloatArray
    coef_step: FloatArray  #: of each output


def _stored(formula: Formula, dtype: str | int) -> _Stored:
    top = STORED_AS[dtype][1] if isinstance(dtype, str) else (1 << (whole(dtype, "bits", 2) - 1)) - 1
    n = formula.n_features
    if not top:
        return _Stored(formula.vectors, np.zeros(n), np.ones(n), formula.coef, np.ones(len(formula.coef)))
    origin, step, vectors = np.zeros(n), np.ones(n), formula.vectors
    if len(vectors):
        low, high = vectors.min(axis=0), vectors.max(axis=0)
        # the dot product of a polynomial kernel needs its zero to stay where it is
        origin = (low + high) / 2 if formula.kernel == "rbf" else np.zeros(n)
        reach = np.abs(vectors - origin).max(axis=0)
        step = np.where(reach > 0, reach / top, 1.0)
        vectors = np.rint((vectors - origin) / step)
    largest = np.abs(formula.coef).max(axis=1, initial=0.0)
    # coefficients that are small whole numbers, as a risk certificate's are, stay what they are
    exact = (formula.coef == np.rint(formula.coef)).all(axis=1) & (largest <= top)
    coef_step = np.where((largest > 0) & ~exact, largest / top, 1.0)
    return _Stored(vectors, origin, step, np.rint(formula.coef / coef_step[:, None]), coef_step)


class _Header:
    """The text, piece by piece."""

    def __init__(self, stored: _Stored, formula: Formula, dtype: str, name: str, exp: str):
        self.stored, self.formula, self.dtype, self.name, self.upper = stored, formula, dtype, name, name.upper()
        self.ctype = STORED_AS[dtype][0]
        uses_exp = len(formula.vectors) > 0 and (formula.kernel == "rbf" or formula.bumps is not None)
        self.polynomial = exp == "polynomial" and uses_exp
        self.expf = f"{name}_exp" if self.polynomial else "expf"

    def text(self) -> str:
        return "\n".join(
            [
                self.head(),
                self.sizes(),
                self.numbers(),
                self.exponential(),
                self.functions(),
                f"#endif /* {self.upper}_H */",
                "",
            ]
        )

    def head(self) -> str:
        formula = self.formula
        classes = "; ".join(f"{i} = {_comment(label)}" for i, label in enumerate(formula.classes))
        says = "the index of the class of" if classes else "the answer for"
        return f"""/* {self.name}.h: written by mcmteach (to_c). Do not edit: export the machine again.
 *
 * Kernel: {formula.kernel}; {formula.n_features} features; numbers stored as {self.dtype}.
 * {f"Classes: {classes}." if classes else "It answers with a number."}
 * {self.name}_predict(x) gives {says} x[{self.upper}_FEATURES], in the units of the training data.
 */
#ifndef {self.upper}_H
#define {self.upper}_H

#include <math.h>
#include <stdint.h>
{"#include <string.h>" + chr(10) if self.polynomial else ""}"""

    def sizes(self) -> str:
        formula = self.formula
        counts = {
            "FEATURES": formula.n_features, "VECTORS": len(formula.vectors), "OUTPUTS": len(formula.coef),
            "CLASSES": len(formula.classes),
        }  # fmt: skip
        return "".join(f"#define {self.upper}_{what} {count}\n" for what, count in counts.items())

    def numbers(self) -> str:
        formula, stored = self.formula, self.stored
        texts = []
        if self.moved():
            # z in the steps of the stored vectors: (x - mean) / scale, less the origin, divided by the step
            texts.append(self.array("mean", "float", formula.mean + formula.scale * stored.origin))
            texts.append(self.array("rate", "float", 1 / (formula.scale * stored.step)))
        if not np.isnan(formula.fill).all():
            texts.append(self.array("fill", "float", np.where(np.isnan(formula.fill), 0.0, formula.fill)))
        if len(formula.vectors):
            texts.append(self.array("vector", self.ctype, stored.vectors))
        if self.weighted():
            weight = formula.gamma * (stored.step**2)
            texts.append(self.array("weight", "float", weight))
        if formula.coef.size:
            texts.append(self.array("coef", self.ctype, stored.coef))
        if formula.bumps is not None:
            texts.append(self.bump_numbers(formula.bumps))
        return "\n".join(texts)

    def bump_numbers(self, bumps: Bumps) -> str:
        cores = (bumps.cores - self.stored.origin) / self.stored.step
        arrays = {"core": cores, "alpha": bumps.alpha, "core_weight": bumps.gamma * self.stored.step**2}
        if bumps.beside is not None:
            arrays["beside"] = bumps.beside
        return "\n".join(self.array(what, "float", values) for what, values in arrays.items() if values.size)

    def moved(self) -> bool:
        """Whether x needs to be shifted and scaled."""
        formula, stored = self.formula, self.stored
        plain = not (formula.mean.any() or stored.origin.any())
        return not (plain and (formula.scale == 1).all() and (stored.step == 1).all())

    def weighted(self) -> bool:
        """Whether each feature has a weight of its own in a kernel: else gamma stands in the code."""
        return len(self.formula.vectors) > 0 and not (self.stored.step == 1).all()

    def array(self, what: str, ctype: str, values: FloatArray) -> str:
        show = _number if ctype == "float" else (lambda v: str(int(v)))
        sizes = "".join(f"[{size}]" for size in values.shape)
        rows = [", ".join(map(show, row)) for row in np.atleast_2d(values)]
        body = f"{{{rows[0]}}}" if values.ndim == 1 else "{\n" + ",\n".join(f"    {{{row}}}" for row in rows) + "\n}"
        return f"static const {ctype} {self.name}_{what}{sizes} = {body};"

    # --- code --------------------------------------------------------------------------------------------------------

    def functions(self) -> str:
        return f"""
/* The values f of x: one for two classes or a number, else one per {"pair of classes" if self.formula.votes else "class"}. */
static inline void {self.name}_decision(const float *x, float *f) {{
{self.prepare()}{self.sums()}}}

/* {"The index of the class of x." if self.formula.classes else "The answer for x."} */
static inline {"int" if self.formula.classes else "float"} {self.name}_predict(const float *x) {{
    float f[{self.upper}_OUTPUTS];
    {self.name}_decision(x, f);
{self.choice()}}}
"""

    def exponential(self) -> str:
        if not self.polynomial:
            return ""
        c = [_number(float(value)) for value in EXP_COEFFICIENTS.real]
        sum_of_powers = f"{c[0]} + r * ({c[1]} + r * ({c[2]} + r * ({c[3]} + r * ({c[4]} + r * {c[5]}))))"
        return f"""
/* exp(t) for t <= 0, by 2^n exp(r) with |r| <= ln(2) / 2: relative error below {EXP_ERROR:g}; 0 below -87. */
static inline float {self.expf}(float t) {{
    if (!(t > -87.0f)) return 0.0f;
    const int32_t n = (int32_t)(t * 1.44269504f - 0.5f);
    /* t - n ln(2), with ln(2) in two parts: n times the first of them is exact */
    const float r = (t - (float)n * 0.693359375f) + (float)n * 2.12194440e-4f;
    const float p = {sum_of_powers};
    const uint32_t bits = (uint32_t)(n + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}}
"""

    def choice(self) -> str:
        if not self.formula.classes:
            return "    return f[0];\n"
        if self.formula.votes:
            votes = "".join(f"    votes[f[{k}] > 0.0f ? {i} : {j}]++;\n" for k, (i, j) in enumerate(self.formula.pairs))
            return f"    int votes[{self.upper}_CLASSES] = {{0}};\n{votes}{self.largest('votes')}"
        if len(self.formula.coef) == 1:
            return "    return f[0] > 0.0f;\n"
        return self.largest("f")

    def largest(self, of: str) -> str:
        return f"""    int best = 0;
    for (int j = 1; j < {self.upper}_CLASSES; j++) {{
        if ({of}[j] > {of}[best]) best = j;
    }}
    return best;
"""

    def prepare(self) -> str:
        if not self.formula.coef.size:
            return "    (void)x; /* a constant machine */\n"
        name, fill = self.name, not np.isnan(self.formula.fill).all()
        if not self.moved() and not fill:
            return "    const float *z = x;\n"
        value = f"isnan(x[j]) ? {name}_fill[j] : x[j]" if fill else "x[j]"
        if self.moved():
            value = f"(({value}) - {name}_mean[j]) * {name}_rate[j]"
        return f"""    float z[{self.upper}_FEATURES];
    for (int j = 0; j < {self.upper}_FEATURES; j++) z[j] = {value};
"""

    def sums(self) -> str:
        formula = self.formula
        start = "".join(f"    f[{j}] = 0.0f;\n" for j in range(len(formula.coef)))
        inner = self.linear() if formula.kernel == "linear" else self.kernel() if len(formula.vectors) else ""
        bumps = formula.bumps if len(formula.vectors) else None
        factor = "" if bumps is None else self.factor(bumps)
        times = " * c" if bumps is not None and bumps.beside is None else ""
        ends = [
            f"    f[{j}] = f[{j}]{times} * {_number(step)} + {_number(b)};\n"
            for j, (step, b) in enumerate(zip(self.stored.coef_step, formula.intercept, strict=True))
        ]
        return start + factor + inner + "".join(ends)

    def linear(self) -> str:
        return f"""    for (int i = 0; i < {self.upper}_FEATURES; i++) {{
        for (int j = 0; j < {self.upper}_OUTPUTS; j++) f[j] += {self.coef()} * z[i];
    }}
"""

    def kernel(self) -> str:
        upper, bumps = self.upper, self.formula.bumps
        beside = "" if bumps is None or bumps.beside is None else f" * (1.0f + c * {self.name}_beside[i])"
        return f"""    for (int i = 0; i < {upper}_VECTORS; i++) {{
        float s = 0.0f;
        for (int j = 0; j < {upper}_FEATURES; j++) {{
{self.term()}        }}
        const float k = {self.value()}{beside};
        for (int j = 0; j < {upper}_OUTPUTS; j++) f[j] += {self.coef()} * k;
    }}
"""

    def coef(self) -> str:
        return f"{self.name}_coef[j][i]" if self.ctype == "float" else f"(float){self.name}_coef[j][i]"

    def term(self) -> str:
        """What a feature adds to the squared distance or to the dot product."""
        v = f"{self.name}_vector[i][j]" if self.ctype == "float" else f"(float){self.name}_vector[i][j]"
        if self.formula.kernel == "rbf":
            weight = f"{self.name}_weight[j] * " if self.weighted() else ""
            return f"            const float d = z[j] - {v};\n            s += {weight}d * d;\n"
        # z is measured in steps too, so the product of two needs the square of a step
        weight = f"{self.name}_weight[j] * " if self.weighted() else ""
        return f"            s += {weight}z[j] * {v};\n"

    def value(self) -> str:
        formula = self.formula
        gamma = "" if self.weighted() else f"{_number(formula.gamma)} * "
        if formula.kernel == "rbf":
            return f"{self.expf}(-{gamma}s)"
        base = f"({gamma}s + {_number(formula.coef0)})"
        return " * ".join([base] * formula.degree)

    def factor(self, bumps: Bumps) -> str:
        name, cores = self.name, len(bumps.cores)
        if not cores:
            return f"    const float c = {name}_alpha[0];\n"
        return f"""    float c = {name}_alpha[0];
    for (int i = 0; i < {cores}; i++) {{
        float s = 0.0f;
        for (int j = 0; j < {self.upper}_FEATURES; j++) {{
            const float d = z[j] - {name}_core[i][j];
            s += {name}_core_weight[j] * d * d;
        }}
        c += {name}_alpha[i + 1] * {self.expf}(-s);
    }}
"""


def _number(value: float) -> str:
    """A float constant of C with all the digits of single precision."""
    if np.isnan(value):
        return "NAN"
    text = f"{np.float32(value):.9g}"
    return (text if re.search(r"[.e]", text) else text + ".0") + "f"


def _comment(label: Any) -> str:
    """A label as part of a comment: it cannot end it, nor begin a new line."""
    return re.sub(r"[^\w .+-]", "?", str(label))[:60]
