"""Hints on where answers come from: alike but for names, like a known one, odd words; and not what is too short."""

from mcmteach.classroom.similarity import FAIRNESS, find_hints, hints_page

LOOP = """
def count_mistakes(X, y):
    w, b, n, go = np.zeros(X.shape[1]), 0.0, 0, True
    while go:
        go = False
        for x_p, y_p in zip(X, y):
            if y_p * (w @ x_p + b) <= 0:
                w, b, n, go = w + y_p * x_p, b + y_p, n + 1, True
    return n
"""
RENAMED = LOOP.replace("x_p", "one").replace("go", "again").replace("w,", "weights,").replace("    ", "  ")
OTHER = """
def count_mistakes(X, y):
    A = np.column_stack([X, np.ones(len(X))]) * y[:, None]
    u, mistakes, i, quiet = np.zeros(A.shape[1]), 0, 0, 0
    while quiet < len(A):
        quiet += 1
        if A[i] @ u <= 0:
            u, mistakes, quiet = u + A[i], mistakes + 1, 0
        i = (i + 1) % len(A)
    return mistakes
"""


def test_alike_but_for_names_is_seen_and_what_is_different_is_not():
    code = {"ada": {"2.4": LOOP}, "ben": {"2.4": RENAMED}, "cem": {"2.4": OTHER}, "dora": {"2.1": "def f(X):\n    return X"},
            "eve": {"2.1": "def f(X):\n    return X"}}  # fmt: skip
    (hint,) = find_hints(code, {})
    assert hint.students == ("ada", "ben") and hint.task == "2.4"


def test_what_is_like_the_solution_or_looks_odd_is_said_and_nobody_is_blamed():
    code = {"ada": {"2.4": LOOP}, "ben": {"2.4": RENAMED}, "cem": {"2.4": "import sys\nsys.setprofile(None)"}}
    hints = find_hints(code, {"the solution": {"2.4": LOOP}})
    assert [(h.students, h.what) for h in hints] == [
        (("ada",), "like the solution"), (("ben",), "like the solution"), (("cem",), "mentions setprofile")]  # fmt: skip
    assert FAIRNESS.split(".")[0] in hints_page(hints)
