"""Progress of steps that take long: a bar where rich is installed, else log lines."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["listening", "steps"]

Report = Callable[[int, int], None]

_LOGGER = logging.getLogger("consurv")
_listener: ContextVar[Report | None] = ContextVar("progress", default=None)


@contextmanager
def listening(report: Report) -> Iterator[None]:
    """Let *report* be told how many steps are done, and of how many.

    For those who draw a bar of their own, as the command does.
    """
    token = _listener.set(report)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def steps(what: str, total: int, verbose: bool) -> Iterator[Callable[..., None]]:
    """Yield a function to be called after each of *total* steps, or after some.

    Parameters
    ----------
    what : str
        What a step is, for the bar or the log.
    total : int
    verbose : bool
        Without it only a listener is told.

    Examples
    --------
    >>> with listening(lambda done, total: print(done, "of", total)):
    ...     with steps("folds", 2, verbose=False) as advance:
    ...         advance()
    0 of 2
    1 of 2
    """
    listener = _listener.get()
    done = 0
    with _shown(what, verbose and listener is None) as show:
        report = listener or show

        def advance(by: int = 1) -> None:
            nonlocal done
            done += by
            report(done, total)

        report(done, total)
        yield advance


@contextmanager
def _shown(what: str, wanted: bool) -> Iterator[Report]:
    if not wanted:
        yield lambda done, total: None
        return
    try:
        from rich.progress import Progress
    except ImportError:
        yield lambda done, total: _LOGGER.info("%s: %d of %d", what, done, total)
        return
    # On stderr, because results may go to stdout.
    from rich.console import Console

    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task(what)
        yield lambda done, total: bar.update(task, completed=done, total=total)
