"""Splits that keep the balance of events, and of times where that is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from consurv._checks import Index
from consurv._params import AtLeast, Between, OneOf, check_params, make_rng
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = [
    "StratifiedSurvivalKFold",
    "Stratify",
    "folds",
    "split",
    "train_validation_test",
]

Stratify = Literal["event", "event+time"] | None
"""What splits are balanced in: events, events and times, or nothing.

Examples
--------
>>> y = Outcome(time=range(1, 101), event=[1, 0] * 50)
>>> for stratify in ("event", "event+time", None):
...     _, held = split(y, 0.2, random_state=0, stratify=stratify)
...     y[held].n_events
10
10
8
"""
_STRATIFY = OneOf("event", "event+time", None)


def split(
    y: Any,
    fraction: float,
    random_state: int | np.random.Generator | None = None,
    *,
    stratify: Stratify = "event",
) -> tuple[Index, Index]:
    """Split subjects in two, by default stratified on the event.

    Both parts then hold the same share of events; who among those with an event, and
    among those without, is held out is left to chance. O(n log n).

    Parameters
    ----------
    y : Outcome or anything that ``Outcome.of`` takes
    fraction : float
        Share of the subjects to hold out, in (0, 1).
    random_state : int or Generator, optional
    stratify : {"event", "event+time"} or None
        ``"event+time"`` puts subjects in order of event and time, shuffles neighbours
        and holds out every (1/fraction)-th, so that both parts are alike at every
        stage of follow-up: right for a set to stop training on, wrong for one to test
        or conformalize on, whose outcomes the training rows then foretell better than
        those of new subjects (the Kaplan–Meier curve has a D-calibration error below
        what chance leaves). None is plain random.

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
    check_params(
        {"fraction": fraction, "stratify": stratify},
        {"fraction": Between(0, 1), "stratify": _STRATIFY},
    )
    outcome, rng = Outcome.of(y), make_rng(random_state)
    n = len(outcome)
    order = _shuffled_strata(outcome, int(np.ceil(1 / fraction)), stratify, rng)
    quota = np.floor(np.arange(n + 1) * fraction + rng.random())
    held = order[np.diff(quota) > 0]
    kept = np.delete(np.arange(n), held)
    if not (held.size and kept.size):
        raise InvalidInput(
            f"{n} subjects are too few to hold out a share of {fraction:g}"
        )
    return kept, np.sort(held)


def folds(
    y: Any,
    n_folds: int,
    random_state: int | np.random.Generator | None = None,
    *,
    stratify: Stratify = "event",
) -> Index:
    """Assign each subject to a fold, by default stratified on the event.

    Parameters
    ----------
    y : Outcome or anything that ``Outcome.of`` takes
    n_folds : int
        At least 2.
    random_state : int or Generator, optional
    stratify : {"event", "event+time"} or None
        As in `split`.

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
    check_params({"stratify": stratify}, {"stratify": _STRATIFY})
    outcome, rng = Outcome.of(y), make_rng(random_state)
    if not AtLeast(2).accepts(n_folds) or n_folds > len(outcome):
        raise InvalidInput(
            f"n_folds={n_folds!r} must be a whole number between 2 and the number of "
            f"subjects, {len(outcome)}"
        )
    fold = np.empty(len(outcome), dtype=np.intp)
    order = _shuffled_strata(outcome, n_folds, stratify, rng)
    fold[order] = np.arange(len(outcome)) % n_folds
    return fold


def train_validation_test(
    y: Any,
    validation: float = 0.1,
    test: float = 0.1,
    random_state: int | np.random.Generator | None = None,
    *,
    stratify: Stratify = "event",
) -> tuple[Index, Index, Index]:
    """Split subjects in three, by default stratified on the event.

    Parameters
    ----------
    y : Outcome or anything that ``Outcome.of`` takes
    validation, test : float
        Shares of all subjects, in (0, 1); what remains is for training.
    random_state : int or Generator, optional
    stratify : {"event", "event+time"} or None
        As in `split`.

    Returns
    -------
    train, validation, test : ndarray of int
        Row numbers, ascending and disjoint; together they are all rows.

    Raises
    ------
    InvalidInput
        If nothing remains for training, or one part would be empty.

    Examples
    --------
    >>> y = Outcome(time=range(1, 21), event=[1, 0] * 10)
    >>> [len(rows) for rows in train_validation_test(y, random_state=0)]
    [16, 2, 2]
    """
    share = Between(0, 1)
    check_params(
        {"validation": validation, "test": test}, {"validation": share, "test": share}
    )
    if validation + test >= 1:
        raise InvalidInput(
            f"validation={validation:g} and test={test:g} leave nothing for training; "
            "their sum must be below 1"
        )
    outcome, rng = Outcome.of(y), make_rng(random_state)
    rest, tested = split(outcome, test, rng, stratify=stratify)
    trained, validated = split(
        outcome[rest], validation / (1 - test), rng, stratify=stratify
    )
    return rest[trained], rest[validated], tested


class StratifiedSurvivalKFold:
    """Cross-validation whose folds are balanced in events, and in times if asked.

    For ``cv=`` of scikit-learn's ``cross_val_score``, ``GridSearchCV`` and the like.
    Subjects are assigned to folds by `folds`.

    Parameters
    ----------
    n_splits : int
        Number of folds, at least 2.
    random_state : int or Generator, optional
        An int gives the same folds on every call.
    stratify : {"event", "event+time"} or None
        As in `split`.

    Examples
    --------
    >>> y = Outcome(time=range(1, 7), event=[1, 0] * 3).to_structured()
    >>> cv = StratifiedSurvivalKFold(3, random_state=0)
    >>> cv
    StratifiedSurvivalKFold(n_splits=3, random_state=0, stratify='event')
    >>> [len(test) for train, test in cv.split(np.zeros((6, 1)), y)]
    [2, 2, 2]
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        random_state: int | np.random.Generator | None = None,
        stratify: Stratify = "event",
    ) -> None:
        check_params(
            {"n_splits": n_splits, "stratify": stratify},
            {"n_splits": AtLeast(2), "stratify": _STRATIFY},
        )
        self.n_splits, self.random_state = n_splits, random_state
        self.stratify = stratify

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds."""
        return self.n_splits

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[Index, Index]]:
        """Yield the rows to train on and the rows to test on, fold by fold.

        Parameters
        ----------
        X : array-like of shape (n, m)
            Not used.
        y : Outcome or anything that ``Outcome.of`` takes
        groups : object
            Not used.
        """
        if y is None:
            raise InvalidInput("y is missing; the folds are balanced in its outcomes")
        fold = folds(y, self.n_splits, self.random_state, stratify=self.stratify)
        for number in range(self.n_splits):
            tested = fold == number
            yield np.flatnonzero(~tested), np.flatnonzero(tested)

    def __repr__(self) -> str:
        return (
            f"StratifiedSurvivalKFold(n_splits={self.n_splits}, "
            f"random_state={self.random_state!r}, stratify={self.stratify!r})"
        )


def _shuffled_strata(
    outcome: Outcome, size: int, stratify: Stratify, rng: np.random.Generator
) -> Index:
    """Order subjects so that every *size*-th is a sample of the kind asked for.

    By event and time they are shuffled within runs of *size* neighbours.
    """
    if stratify is None:
        return rng.permutation(len(outcome))
    if stratify == "event":
        return np.lexsort((rng.random(len(outcome)), outcome.event))
    order = np.lexsort((outcome.time, outcome.event))
    run = np.arange(len(outcome)) // size
    return order[np.argsort(run + rng.random(len(outcome)))]
