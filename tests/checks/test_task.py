"""What a task does with its inputs: shortest first, public without a seed, away from those with one."""

import numpy as np

from mcmteach.checks.task import Task
from tests.checks.catalogue import ALL, each_task


def drawing(rng):
    return [(np.array([1.0, -0.0]), 2.5), (rng.integers(0, 100, 3).astype(float), 1.0)]


TASK = Task(
    key="kernels.9",
    title="",
    reference=lambda a, b: a.sum() + b,
    inputs=drawing,
    mistakes={"no b": (lambda a, b: a.sum(), "")},
    hints=("", "", ""),
    called="total",
)


def test_the_number_comes_from_the_table_and_arguments_from_the_reference():
    assert TASK.number == "6.9" and TASK.arguments == ["a", "b"]


def test_a_call_is_shown_as_one_would_type_it():
    assert TASK.show_call((np.array([[1.0, -0.0], [0.1, 1e-9]]), 2)) == "total(a=[[1, 0], [0.1, 1e-09]], b=2)"
    assert (
        eval(TASK.show_call((1 / 3, 2)), {"total": lambda a, b: a}) == 1 / 3
        or abs(eval(TASK.show_call((1 / 3, 2)), {"total": lambda a, b: a}) - 1 / 3) < 1e-15
    )


def test_hidden_inputs_depend_on_the_seed_alone_and_are_never_public():
    public = [TASK.show_call(call) for call in TASK.calls()]
    one, again, other = ([TASK.show_call(call) for call in TASK.calls(seed)] for seed in (1, 1, 2))
    assert one == again != other
    assert len(one) == 3 and not set(one) & set(public)


@each_task
def test_inputs_come_shortest_first(task):
    lengths = [len(task.show_call(call)) for call in task.calls()]
    assert lengths == sorted(lengths) and lengths[0] <= 110
    assert len(task.calls(3)) >= 10


def test_the_first_inputs_are_small_whole_numbers():
    """What a beginner is shown: two by two, and nothing like 0.904837418035960."""
    assert (
        ALL["measuring_separability.2"]
        .show_call(ALL["measuring_separability.2"].calls()[0])
        .startswith("scatter_matrices(K=[[2, 1], [1, 3]]")
    )
