"""An answer that runs elsewhere: a teacher's test sees its form, and whether it changes its arguments."""

import time

import numpy as np
import pytest

from mcmteach.checks import find_task
from mcmteach.classroom.remote import Remote, WrongForm
from mcmteach.classroom.student import pack


class Elsewhere:
    """A submission that gives the same answer to everything."""

    def __init__(self, result, changed=()):
        self.answer = {"result": pack(result), "changed": list(changed), "borrowed": []}

    now = staticmethod(time.monotonic)

    def call(self, ask, seconds):
        return self.answer


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (Elsewhere(np.zeros((0, 1))), "an array of shape"),
        (Elsewhere(0.5, [[0, pack(np.zeros(2))]]), "changes its arguments"),
        (Elsewhere(0.5), ""),
        (Elsewhere(None), "nothing"),
    ],
)
def test_a_teachers_test_is_not_fooled_by_an_empty_array_or_by_changed_data(answer, complaint):
    function, y, f = Remote(answer, "1.1", None), np.array([1.0, -1.0]), np.array([2.0, 3.0])
    function.go_on_strictly(find_task("1.1"))
    if not complaint:
        assert function(y, f) == 0.5
    else:
        with pytest.raises(WrongForm, match=complaint):
            function(y, f)
        assert y.tolist() == [1, -1]


def test_two_values_may_come_as_a_list():
    function = Remote(Elsewhere([np.zeros(1), 0.0]), "3.3", None)
    function.go_on_strictly(find_task("3.3"))
    assert len(function(np.ones((2, 1)), np.array([1.0, -1.0]), np.ones(1), 0.0, 1.0)) == 2
