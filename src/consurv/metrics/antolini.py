"""Antolini's time-dependent concordance index."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from consurv._checks import Float, Index
from consurv._params import OneOf, check_params
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.metrics._inputs import check_inputs
from consurv.metrics.facts import Metric
from consurv.metrics.results import MetricResult
from consurv.outcome import Outcome

__all__ = ["ANTOLINI", "AntoliniConcordanceResult", "antolini_concordance_index"]

# Events and subjects compared at a time: a block of probabilities fits in the cache.
_EVENTS, _SUBJECTS = 256, 512


@dataclass(frozen=True, eq=False)
class AntoliniConcordanceResult(MetricResult):
    """What :func:`antolini_concordance_index` returns; ``float()`` is the index.

    Attributes
    ----------
    value : float
        (n_concordant + the ties that count) / the pairs that count.
    n_concordant, n_discordant, n_tied : int
        Comparable pairs whose survival at the time of the first event is lower for
        the subject who had it, higher, or the same.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([2.0, 4.0], [[0.3, 0.2], [0.5, 0.4], [0.6, 0.1]])
    >>> found = antolini_concordance_index(([1, 1, 0], [1.0, 4.0, 5.0]), curves)
    >>> found
    AntoliniConcordanceResult(value=0.6667, n_concordant=2, n_discordant=1, n_tied=0)
    """

    n_concordant: int
    n_discordant: int
    n_tied: int


def antolini_concordance_index(
    y: Any,
    curves: SurvivalCurves,
    *,
    tied_risks: Literal["half", "drop", "discordant"] = "half",
) -> AntoliniConcordanceResult:
    """Share of the comparable pairs whose curves are in the right order at the event.

    Subjects i and j are comparable as in :func:`concordance_index`: i had the event and
    t_i < t_j, or j was censored at t_i. The pair is concordant if
    S(t_i | x_i) < S(t_i | x_j). Where curves do not cross, this is Harrell's index for
    any risk score that they imply.

    All pairs are looked at, which costs O(n · events) evaluations of curves, in blocks
    whose memory does not grow with n: about a minute for 10⁵ subjects.

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    curves : SurvivalCurves
        The predicted curves of the same n subjects.
    tied_risks : {"half", "drop", "discordant"}
        Comparable pairs with exactly equal probabilities count one half, do not count,
        or count as wrong, as the published formula has it.

    Returns
    -------
    AntoliniConcordanceResult

    Raises
    ------
    InvalidInput
        If no pair is comparable, the lengths differ or an option is unknown.

    References
    ----------
    Antolini, Boracchi and Biganzoli (2005), Statistics in Medicine 24.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([2.0, 4.0], [[0.3, 0.2], [0.5, 0.4], [0.6, 0.1]])
    >>> result = antolini_concordance_index(([1, 1, 0], [1.0, 4.0, 5.0]), curves)
    >>> result.n_concordant, result.n_discordant
    (2, 1)
    """
    outcome = check_inputs(y, curves)
    check_params(
        {"tied_risks": tied_risks},
        {"tied_risks": OneOf("half", "drop", "discordant")},
    )
    less, tied, pairs = _count(outcome, curves)
    counted = pairs - (tied if tied_risks == "drop" else 0)
    if counted == 0:
        raise InvalidInput(
            f"all {pairs} comparable pairs have equal probabilities and "
            "tied_risks='drop' leaves none of them; use tied_risks='half'"
            if pairs
            else f"y has no comparable pair among its {len(outcome)} subjects: none is "
            f"known to have outlived one of the {outcome.n_events} with an event"
        )
    halves = tied if tied_risks == "half" else 0
    return AntoliniConcordanceResult(
        value=(2 * less + halves) / (2 * counted),
        n_concordant=less,
        n_discordant=pairs - less - tied,
        n_tied=tied,
    )


class _Events(NamedTuple):
    """Some events in order of time, their own probabilities, and who outlives them."""

    time: Float
    own: Float
    behind: Index


def _count(y: Outcome, curves: SurvivalCurves) -> tuple[int, int, int]:
    """Count the concordant, tied and comparable pairs."""
    # In this order the subjects comparable with an event are all those behind the
    # events of its time.
    order = np.lexsort((~y.event, y.time))
    time, event, curves = y.time[order], y.event[order], curves[order]
    place = np.flatnonzero(event)
    behind = place[np.searchsorted(time[place], time[place], side="right") - 1] + 1
    own = curves.survival_at_observed(time)[place]
    less = tied = 0
    for start in range(0, len(place), _EVENTS):
        part = slice(start, start + _EVENTS)
        events = _Events(time[place[part]], own[part], behind[part])
        for rows in _row_blocks(events.behind, len(y)):
            smaller, equal = _compare(curves[rows], rows, events)
            less, tied = less + smaller, tied + equal
    return less, tied, int((len(y) - behind).sum())


def _row_blocks(behind: Index, n: int) -> Iterator[slice]:
    """Yield the rows behind the first event, cut where all are behind the last."""
    for start, stop in ((behind[0], behind[-1]), (behind[-1], n)):
        for first in range(start, stop, _SUBJECTS):
            yield slice(first, min(first + _SUBJECTS, stop))


def _compare(curves: SurvivalCurves, rows: slice, events: _Events) -> tuple[int, int]:
    """Count the pairs of some rows and events in which the event's own S is lower."""
    survival = curves.survival_at(events.time)
    less, equal = events.own < survival, events.own == survival
    if rows.start < events.behind[-1]:
        comparable = np.arange(rows.start, rows.stop)[:, None] >= events.behind
        less &= comparable
        equal &= comparable
    return int(np.count_nonzero(less)), int(np.count_nonzero(equal))


ANTOLINI = Metric(
    "antolini_c_index",
    "Antolini's C-index",
    "ranking of subjects at the times of events; 0.5 is chance, 1 perfect",
    antolini_concordance_index,
    higher_is_better=True,
    highest=1.0,
)
