"""What the student's process sends over the channel: values as they were, and nonsense refused."""

import json

import numpy as np
import pytest

from mcmteach.classroom.student import pack, unpack


@pytest.mark.parametrize(
    "message",
    [{"array": [1, 2], "shape": [3], "dtype": "<f8"}, {"array": ["a"], "shape": [1], "dtype": "<f8"}, {"value": {}}, {},
     {"tuple": 3}, {"array": [1], "shape": [1], "dtype": "O"}],
)  # fmt: skip
def test_what_is_no_packed_value_is_refused(message):
    with pytest.raises((ValueError, KeyError, TypeError)):
        unpack(message)


def test_values_arrive_as_they_were():
    for value in (1, 2.5, True, None, "text", (1.0, [2, "x"]), ..., float("nan")):
        assert repr(unpack(json.loads(json.dumps(pack(value))))) == repr(value)
    for array in (np.zeros((0, 3)), np.arange(6).reshape(2, 3), np.array([True, False]), np.array(3.0)):
        back = unpack(json.loads(json.dumps(pack(array))))
        assert back.shape == array.shape and back.dtype == array.dtype and np.array_equal(back, array)
    assert type(unpack(pack({1, 2}))).__name__ == "set"
