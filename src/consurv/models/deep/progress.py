"""What a user sees of training: a bar where rich is installed, else log lines."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress"]

Report = Callable[[int, int, float, float], None]

_LOGGER = logging.getLogger("consurv")
_LOG_EVERY = 10  # epochs


@contextmanager
def progress(verbose: bool) -> Iterator[Report]:
    """Yield a function that is told epoch, last epoch and the two losses.

    Parameters
    ----------
    verbose : bool
        Without it the function does nothing.

    Examples
    --------
    >>> with progress(False) as report:
    ...     report(0, 100, 1.2, 1.3)
    """
    if not verbose:
        yield lambda epoch, total, trained, validated: None
        return
    try:
        from rich.progress import Progress
    except ImportError:
        yield _log
        return
    with Progress() as bar:
        task = bar.add_task("training")

        def advance(epoch: int, total: int, trained: float, validated: float) -> None:
            said = f"training loss {trained:.4f}, validation loss {validated:.4f}"
            bar.update(task, completed=epoch + 1, total=total, description=said)

        yield advance


def _log(epoch: int, total: int, trained: float, validated: float) -> None:
    if epoch % _LOG_EVERY == 0:
        _LOGGER.info(
            "epoch %d of at most %d: training loss %.4f, validation loss %.4f",
            epoch,
            total,
            trained,
            validated,
        )
