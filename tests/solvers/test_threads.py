"""The limit on BLAS's threads, from many threads of Python at once."""

import threading

import pytest

from mcmteach.solvers.threads import one_blas_thread

threadpoolctl = pytest.importorskip("threadpoolctl")


def blas_threads():
    return [lib["num_threads"] for lib in threadpoolctl.threadpool_info() if lib["user_api"] == "blas"]


def test_eight_threads_leave_blas_as_they_found_it():
    with threadpoolctl.threadpool_limits(2, "blas"):
        before = blas_threads()
        all_inside, seen = threading.Barrier(8), []

        def work(k):
            with one_blas_thread():
                all_inside.wait()  # all have entered before the first leaves
                seen.append(blas_threads())

        workers = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert seen == [[1] * len(before)] * 8
        assert blas_threads() == before


def test_an_error_inside_restores_the_limit_too():
    with threadpoolctl.threadpool_limits(2, "blas"):
        before = blas_threads()
        with pytest.raises(ZeroDivisionError), one_blas_thread():
            raise ZeroDivisionError
        assert blas_threads() == before
