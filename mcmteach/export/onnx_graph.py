"""A fitted machine as ONNX, for the many runtimes that read it. Needs the extra ``onnx``.

Only operators of the plain standard are used (MatMul, Exp, …), none of the ML extension, in single precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mcmteach.errors import missing
from mcmteach.export.formula import Bumps, Formula, formula_of, in_single_precision
from mcmteach.validation import FloatArray

OPSET = 17  # of 2022: old enough for the runtimes in use


def to_onnx(machine: Any, name: str = "machine") -> Any:
    """An ONNX model that predicts as a fitted machine or pipeline does: whatever :func:`mcmteach.to_c` accepts.

    Its input is ``x``, float32 of shape (rows, features). Its outputs are ``decision``, the values f of shape (rows, outputs),
    and ``label``, the class of each row (text or whole numbers; of a regression machine the answer).

    Returns
    -------
    onnx.ModelProto. Write it with ``onnx.save(model, path)``.
    """
    try:
        import onnx
    except ImportError:
        raise missing("This needs onnx.", "onnx") from None
    formula = in_single_precision(formula_of(machine))
    graph = _Graph(onnx.helper, onnx.numpy_helper)
    graph.decision(formula)
    kind = graph.label(formula)
    float32, tensor = onnx.TensorProto.FLOAT, onnx.helper.make_tensor_value_info
    made = onnx.helper.make_graph(
        graph.nodes,
        name,
        [tensor("x", float32, ["rows", formula.n_features])],
        [tensor("decision", float32, ["rows", len(formula.coef)]), tensor("label", kind, ["rows"])],
        graph.constants,
    )
    opset = onnx.helper.make_opsetid("", OPSET)
    model = onnx.helper.make_model(made, producer_name="mcmteach", opset_imports=[opset], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return model


class _Graph:
    """Nodes and constants, collected one after the other; each method returns the name of its result."""

    def __init__(self, helper: Any, numpy_helper: Any):
        self.helper, self.numpy_helper = helper, numpy_helper
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, values: Any) -> str:
        array = np.asarray(values)
        array = array.astype(np.float32) if array.dtype == np.float64 else array
        name = f"c{len(self.constants)}"
        self.constants.append(self.numpy_helper.from_array(array, name))
        return name

    def node(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        output = output or f"n{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(operator, list(inputs), [output], **attributes))
        return output

    def decision(self, formula: Formula) -> str:
        x = "x"
        if not np.isnan(formula.fill).all():
            x = self.node("Where", self.node("IsNaN", x), self.constant(np.nan_to_num(formula.fill)), x)
        # distances are computed from products, so the vectors' mean becomes the origin: less is lost where they cancel
        vectors = formula.vectors
        origin = vectors.mean(axis=0) if formula.kernel == "rbf" and len(vectors) else np.zeros(formula.n_features)
        shifted = self.node("Sub", x, self.constant(formula.mean + formula.scale * origin))
        z = self.node("Mul", shifted, self.constant(1 / formula.scale))
        values = self.kernel_values(formula, z, origin)
        bumps = formula.bumps
        if bumps is not None:
            c = self.factor(bumps, z, origin)
            if bumps.beside is not None:
                beside = self.node("Mul", c, self.constant(bumps.beside[None, :]))
                c = self.node("Add", beside, self.constant(np.float32(1)))
            values = self.node("Mul", values, c)
        sums = self.node("MatMul", values, self.constant(formula.coef.T))
        return self.node("Add", sums, self.constant(formula.intercept), output="decision")

    def kernel_values(self, formula: Formula, z: str, origin: FloatArray) -> str:
        if formula.kernel == "linear":
            return z
        if formula.kernel == "rbf":
            return self.gaussians(z, formula.vectors - origin, formula.gamma)
        products = self.node("MatMul", z, self.constant(formula.gamma * formula.vectors.T))
        base = self.node("Add", products, self.constant(np.float32(formula.coef0)))
        value = base
        for _ in range(formula.degree - 1):
            value = self.node("Mul", value, base)
        return value

    def gaussians(self, z: str, centres: FloatArray, gamma: float) -> str:
        """exp(-gamma |z - v|^2) by |z|^2 - 2 z·v + |v|^2, which rounding must not make negative."""
        square = self.node("ReduceSumSquare", z, axes=[1], keepdims=1)
        cross = self.node("MatMul", z, self.constant(-2 * centres.T))
        distances = self.node("Add", self.node("Add", cross, square), self.constant((centres**2).sum(axis=1)))
        return self.node("Exp", self.node("Mul", self.node("Relu", distances), self.constant(np.float32(-gamma))))

    def factor(self, bumps: Bumps, z: str, origin: FloatArray) -> str:
        """c(z), of shape (rows, 1)."""
        bump = self.gaussians(z, bumps.cores - origin, bumps.gamma)
        weighted = self.node("MatMul", bump, self.constant(bumps.alpha[1:, None]))
        return self.node("Add", weighted, self.constant(bumps.alpha[:1]))

    def label(self, formula: Formula) -> int:
        """The output "label", and its type."""
        outputs = len(formula.coef)
        if not formula.classes:
            self.node("Reshape", "decision", self.constant(np.array([-1])), output="label")
            return int(self.helper.np_dtype_to_tensor_dtype(np.dtype(np.float32)))
        scores = "decision"
        zero = self.constant(np.float32(0))
        if formula.votes:
            first, second = np.zeros((2, outputs, len(formula.classes)))
            for k, (i, j) in enumerate(formula.pairs):
                first[k, i] = second[k, j] = 1
            won = self.node("Cast", self.node("Greater", scores, zero), to=1)
            # a pair that is won counts for its first class, else for its second
            scores = self.node("MatMul", won, self.constant(first - second))
            scores = self.node("Add", scores, self.constant(second.sum(axis=0)))
        elif outputs == 1:
            # class 0 has a column of zeros: it wins where f <= 0
            scores = self.node("Concat", self.node("Mul", scores, zero), scores, axis=1)
        index = self.node("ArgMax", scores, axis=1, keepdims=0)
        labels = np.array(formula.classes)
        stored = {"U": object, "i": np.int64, "u": np.int64}.get(labels.dtype.kind, labels.dtype)
        table = self.constant(labels.astype(stored))
        self.node("Gather", table, index, output="label")
        return int(self.constants[-1].data_type)
