"""BLAS on one thread while the fast solver runs, from any number of threads of Python at once."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import Any

_limiting = threading.Lock()  # held by the thread that has set the limit


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread where threadpoolctl (it comes with scikit-learn) can arrange that.

    The matrices are small: threads that wait for each other on a busy machine made this twenty times slower. The limit is
    one of the whole process. So one thread of Python at a time sets it, and the same one restores what was there before:
    if each did, one would take another's limit for what was there before, and leave it behind.
    """
    controller = _controller()
    if controller is None or not _limiting.acquire(blocking=False):
        yield
        return
    try:
        with controller.limit(limits=1, user_api="blas"):
            yield
    finally:
        _limiting.release()


@cache
def _controller() -> Any:
    if find_spec("threadpoolctl") is None or sys.platform == "emscripten":  # in a browser BLAS has one thread only
        return None
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
