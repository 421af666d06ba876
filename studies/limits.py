"""Bounds on a cell: its time and its threads."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits

__all__ = ["OutOfTime", "one_thread", "time_limit"]


class OutOfTime(BaseException):
    """The time of a cell is up."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `OutOfTime` inside the block once *seconds* have passed.

    It works in any thread, unlike a signal, and takes effect when the running call
    into a compiled library returns.

    Examples
    --------
    >>> with time_limit(10):
    ...     print("in time")
    in time
    """
    thread = ctypes.c_ulong(threading.get_ident())
    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
    lock, over = threading.Lock(), threading.Event()

    def interrupt() -> None:
        with lock:
            if not over.is_set():
                raise_in(thread, ctypes.py_object(OutOfTime))

    timer = threading.Timer(seconds, interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        over.set()
        timer.cancel()
        with lock:  # what was sent in the last moment must not hit later code
            raise_in(thread, None)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let compiled libraries work with one thread.

    Cells run side by side, and sums in another order would round differently: with
    one thread a cell gives the same numbers however many run at once.
    """
    torch = sys.modules.get("torch")
    before = torch.get_num_threads() if torch else 1
    with threadpool_limits(limits=1):
        if torch:
            torch.set_num_threads(1)
        try:
            yield
        finally:
            if torch:
                torch.set_num_threads(before)
