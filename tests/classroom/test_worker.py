"""The worker that judges a submission; what comes of hostile ones is in test_sandbox."""

from mcmteach.classroom.course import read_exercise
from mcmteach.classroom.worker import Bench, Marks, Rules
from tests.classroom.test_grade import SOURCE


def test_a_cell_of_the_teachers_that_stops_is_said():
    bench = Bench(read_exercise(SOURCE), None, Marks(), Rules())
    assert bench.run("import numpy as np") == "" and bench.run("missing + 1") == "NameError"
