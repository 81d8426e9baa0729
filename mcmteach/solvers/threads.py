"""BLAS on one thread while the fast solver runs, from any number of threads of Python at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import Any

_lock = threading.Lock()
_inside: list[Any] = []  # one entry per thread that is inside: the limiter for the first, None for the others


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread where threadpoolctl (it comes with scikit-learn) can arrange that.

    The matrices are small: threads that wait for each other on a busy machine made this twenty times slower. The limit is
    one of the whole process. So the first to enter sets it, and the last to leave restores what was there before.
    """
    if find_spec("threadpoolctl") is None:
        yield
        return
    with _lock:
        _inside.append(None if _inside else _controller().limit(limits=1, user_api="blas"))
    try:
        yield
    finally:
        with _lock:
            if len(_inside) > 1:
                _inside.pop()
            else:
                _inside.pop().restore_original_limits()


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
