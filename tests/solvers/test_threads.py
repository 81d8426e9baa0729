"""The limit on BLAS's threads, from many threads of Python at once."""

import threading
import time

import pytest

import mcmteach as mt
from mcmteach.solvers.threads import one_blas_thread

threadpoolctl = pytest.importorskip("threadpoolctl")


def blas_threads():
    return [lib["num_threads"] for lib in threadpoolctl.threadpool_info() if lib["user_api"] == "blas"]


def test_inside_blas_has_one_thread_and_afterwards_what_it_had():
    before = blas_threads()
    with one_blas_thread():
        assert set(blas_threads()) == {1}
        with one_blas_thread():
            assert set(blas_threads()) == {1}
        assert set(blas_threads()) == {1}
    assert blas_threads() == before
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        raise ZeroDivisionError
    assert blas_threads() == before


@pytest.mark.parametrize("first_leaves", ["first", "last"])
def test_eight_threads_leave_blas_as_they_found_it(first_leaves):
    before, all_inside = blas_threads(), threading.Barrier(8)

    def work(k):
        time.sleep(0.01 * k)
        with one_blas_thread():
            all_inside.wait()  # all have entered before the first leaves
            time.sleep(0.01 * (k if first_leaves == "first" else 8 - k))

    workers = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert blas_threads() == before


def test_eight_fits_at_once_leave_blas_as_they_found_it(moons):
    X, y = moons
    before = blas_threads()
    fits = [threading.Thread(target=mt.MCMClassifier(solver="highs").fit, args=(X, y)) for _ in range(8)]
    for fit in fits:
        fit.start()
    for fit in fits:
        fit.join()
    assert blas_threads() == before
