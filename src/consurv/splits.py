"""Splits that keep the balance of events and times."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from consurv._params import Between, check_params
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["folds", "split"]

Rows = NDArray[np.intp]


def split(
    y: Any, fraction: float, random_state: int | np.random.Generator | None = None
) -> tuple[Rows, Rows]:
    """Split subjects in two, stratified on event and time together.

    Subjects are put in order of event and time, neighbours are shuffled, and every
    (1/fraction)-th is held out: both parts hold the same share of events at every
    stage of follow-up. O(n log n).

    Parameters
    ----------
    y : Outcome or anything that ``Outcome.of`` takes
    fraction : float
        Share of the subjects to hold out, in (0, 1).
    random_state : int or Generator, optional

    Returns
    -------
    kept, held : ndarray of int
        Row numbers, ascending and disjoint; together they are all rows.

    Raises
    ------
    InvalidInput
        If one part would be empty.

    Examples
    --------
    >>> y = Outcome(time=range(1, 11), event=[1, 0] * 5)
    >>> kept, held = split(y, 0.2, random_state=0)
    >>> len(kept), len(held), y[held].n_events
    (8, 2, 1)
    """
    check_params({"fraction": fraction}, {"fraction": Between(0, 1)})
    outcome, rng = Outcome.of(y), np.random.default_rng(random_state)
    n = len(outcome)
    order = _shuffled_strata(outcome, int(np.ceil(1 / fraction)), rng)
    quota = np.floor(np.arange(n + 1) * fraction + rng.random())
    held = order[np.diff(quota) > 0]
    kept = np.delete(np.arange(n), held)
    if not (held.size and kept.size):
        raise InvalidInput(
            f"{n} subjects are too few to hold out a share of {fraction:g}"
        )
    return kept, np.sort(held)


def folds(
    y: Any, n_folds: int, random_state: int | np.random.Generator | None = None
) -> Rows:
    """Assign each subject to a fold, stratified on event and time together.

    Parameters
    ----------
    y : Outcome or anything that ``Outcome.of`` takes
    n_folds : int
        At least 2.
    random_state : int or Generator, optional

    Returns
    -------
    ndarray of int of shape (n,)
        Fold numbers 0 … n_folds − 1; their sizes differ by at most one.

    Raises
    ------
    InvalidInput
        If there are fewer subjects than folds.

    Examples
    --------
    >>> y = Outcome(time=range(1, 7), event=[1, 0] * 3)
    >>> np.bincount(folds(y, 3, random_state=0))
    array([2, 2, 2])
    """
    outcome, rng = Outcome.of(y), np.random.default_rng(random_state)
    if not 2 <= n_folds <= len(outcome):
        raise InvalidInput(
            f"n_folds={n_folds} must lie between 2 and the number of subjects, "
            f"{len(outcome)}"
        )
    fold = np.empty(len(outcome), dtype=np.intp)
    order = _shuffled_strata(outcome, n_folds, rng)
    fold[order] = np.arange(len(outcome)) % n_folds
    return fold


def _shuffled_strata(outcome: Outcome, size: int, rng: np.random.Generator) -> Rows:
    """Order subjects by event and time, shuffled within runs of *size* neighbours."""
    order = np.lexsort((outcome.time, outcome.event))
    run = np.arange(len(outcome)) // size
    return order[np.argsort(run + rng.random(len(outcome)))]
