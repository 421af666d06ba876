"""Pseudo-observations of the mean, for all subjects together.

Let θ be the mean of the extended Kaplan–Meier curve of N subjects and θ' that of
the sample with one subject removed (σ = −1) or added (σ = +1) at time x. With n at
risk and d events at an observed time, the factor of S there changes by the ratio

- 1 + σ·d / ((n + σ)(n − d)) at times before x, and at x for a censored subject;
- 1 − σ / (n + σ) at x for a subject with an event;
- 1 after x.

So θ' − θ is a prefix sum up to x, a suffix area times one number, and the change of
the tail triangle. It is formed from ``log1p`` and ``expm1`` of these ratios and never
as a difference of two means, because it is then multiplied by N + σ.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

if TYPE_CHECKING:
    from consurv.curves.kaplan_meier import KaplanMeier

__all__ = ["Change", "pseudo_observations"]

_Side = Literal["left", "right"]


class Change(IntEnum):
    """What happens to the sample; the value is σ."""

    REMOVE = -1
    ADD = 1


def pseudo_observations(km: KaplanMeier, y: Outcome, change: Change) -> Float:
    """Return θ + σ(N + σ)(θ' − θ) for each subject.

    This is Nθ − (N − 1)θ₋ᵢ for subjects taken from the sample and (N + 1)θ₊ᵢ − Nθ for
    subjects added to it. O(n log n) for all of them.

    Parameters
    ----------
    km : KaplanMeier
    y : Outcome
        The n subjects.
    change : Change

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> from consurv.curves.kaplan_meier import KaplanMeier
    >>> km = KaplanMeier(([1, 1], [2, 6]))
    >>> pseudo_observations(km, Outcome(time=[4], event=[0]), Change.ADD)
    array([6.])
    """
    # In ascending order look-ups stay in the cache, and the subjects who move the
    # end of the sample come last.
    # One subject can be added to any sample; only a whole one can be taken away.
    fractions = change is Change.REMOVE and km.at_risk.dtype.kind == "f"
    if y.weight is not None or fractions:
        raise InvalidInput(
            "pseudo-observations are differences that one subject makes, and have no "
            "plain meaning with weights; leave sample_weight out"
        )
    order = np.argsort(y.time)
    y = y[order]
    if change is Change.REMOVE:
        _check_members(km, y, order)
    table = _Table.of(km, change)
    rest = _first_to_move_the_end(km, y, change)
    result = np.empty(len(y))
    result[order[:rest]] = _difference(km, table, y[:rest], change)
    if rest < len(y):
        result[order[rest:]] = _difference_of_end(km, table, y[rest:], change)
    result *= change * (km.n + change)
    result += km.mean()
    return result


@dataclass(frozen=True)
class _Table:
    """Sums over the times of the sample; row k is the stretch before times[k].

    ``start`` is where the stretch begins and ``end`` where it ends, ``survival`` S on
    it, ``changed`` S' − S on it where x lies later, ``prefix`` the area of S' − S up
    to ``start``, ``suffix`` the area of S from ``end`` to t_max. ``log_ratio`` is log
    S'/S there, ``log_own`` the logarithm of the ratio at times[k] itself. There is one
    row more than there are times, for what comes after the last.
    """

    start: Float
    end: Float
    survival: Float
    changed: Float
    prefix: Float
    suffix: Float
    log_ratio: Float
    log_own: Float

    @classmethod
    def of(cls, km: KaplanMeier, change: Change) -> _Table:
        start = np.concatenate(([0.0], km.times))
        end = np.append(km.times, km.t_max)
        survival = np.concatenate(([1.0], km.survival))
        log_own = _log_ratios(km, change)
        log_ratio = np.concatenate(([0.0], np.cumsum(log_own)))
        changed = survival * np.expm1(log_ratio)
        length = end - start
        suffix = np.cumsum((survival * length)[::-1])[::-1]
        return cls(
            start=start,
            end=end,
            survival=survival,
            changed=changed,
            prefix=np.concatenate(([0.0], np.cumsum((changed * length)[:-1]))),
            suffix=np.append(suffix[1:], 0.0),
            log_ratio=log_ratio,
            log_own=np.append(log_own, 0.0),
        )


def _log_ratios(km: KaplanMeier, change: Change) -> Float:
    """Return the logarithm of the ratio of factors at each time, own event apart."""
    n, d = km.at_risk.astype(np.float64), km.events
    step = np.zeros(len(n))
    # Two cases have no ratio and are left to `_difference_of_end`: S is 0 where all
    # at risk die, and nobody remains when the last one at risk is removed.
    defined = (n > d) & (n + change > 0)
    np.divide(change * d, (n + change) * (n - d), out=step, where=defined)
    with np.errstate(divide="ignore"):  # log 0: without this subject all at risk die
        logs: Float = np.log1p(step)
    return logs


def _difference(km: KaplanMeier, table: _Table, y: Outcome, change: Change) -> Float:
    """Return θ' − θ for subjects whose coming or going leaves t_max where it is."""
    before = np.searchsorted(km.times, y.time, side="left")
    upto = np.searchsorted(km.times, y.time, side="right")
    own_event = np.log1p(-change / (km.at_risk[before] + float(change)))
    own_censoring = np.where(upto > before, table.log_own[before], 0.0)
    own = np.where(y.event, own_event, own_censoring)
    growth = np.expm1(table.log_ratio[before] + own)

    prefix = table.prefix[before] + table.changed[before] * (
        y.time - table.start[before]
    )
    rest = table.suffix[upto] + table.survival[upto] * (table.end[upto] - y.time)
    return prefix + growth * rest + _tail_growth(km, growth)


def _tail_growth(km: KaplanMeier, growth: Float) -> Float:
    """Return the change of the tail triangle when S(t_max) is multiplied by 1 + growth.

    The triangle t_max·s²/(2(1 − s)) is differenced by hand to keep its digits.
    """
    s, step = km.s_max, km.s_max * growth
    changed = s + step
    numerator = 0.5 * km.t_max * step * (s + changed - s * changed)
    return numerator / ((1.0 - s) * (1.0 - s - step))


def _first_to_move_the_end(km: KaplanMeier, y: Outcome, change: Change) -> int:
    """Return the row from which t_max moves, or S(t_max) = 0 may not stay 0."""
    if change is Change.REMOVE:
        side: _Side = "left" if km.at_risk[-1] == 1 else "right"
    else:
        side = "left" if km.s_max == 0 else "right"
    return int(np.searchsorted(y.time, km.t_max, side=side))


def _difference_of_end(
    km: KaplanMeier, table: _Table, y: Outcome, change: Change
) -> Float:
    """Return θ' − θ for the other subjects."""
    tail = _triangle(km.t_max, km.s_max)
    if change is Change.REMOVE:
        # The sample ends at the time before; S' there may be 0.
        t_max, s = table.start[-2], table.survival[-2] + table.changed[-2]
        lost = table.survival[-2] * (km.t_max - t_max)
        difference = table.prefix[-2] - lost + _triangle(t_max, s) - tail
        return np.full(len(y), difference)
    if km.s_max == 0:  # all d at risk die at t_max, the one who is added does not
        s = (table.survival[-2] + table.changed[-2]) / (km.events[-1] + 1)
    else:
        s = table.survival[-1] + table.changed[-1]
    tails = np.where(y.event, 0.0, _triangle(y.time, s))
    differences: Float = table.prefix[-1] + s * (y.time - km.t_max) + tails - tail
    return differences


def _triangle(t_max: Float | float, s_max: float) -> Float | float:
    """Return the area of the tail from t_max to t_max / (1 − s_max)."""
    return t_max * (0.5 * s_max * s_max / (1.0 - s_max))


def _check_members(km: KaplanMeier, y: Outcome, order: NDArray[np.intp]) -> None:
    """Refuse subjects that cannot be removed; *order* holds the caller's rows."""
    place = np.searchsorted(km.times, y.time, side="left")
    place = np.minimum(place, len(km.times) - 1)
    censored = -np.diff(km.at_risk, append=0) - km.events
    count = np.where(y.event, km.events[place], censored[place])
    strangers = np.flatnonzero((km.times[place] != y.time) | (count == 0))
    if strangers.size:
        first = strangers[np.argmin(order[strangers])]
        kind = "an event" if y.event[first] else "censored"
        raise InvalidInput(
            f"y has {strangers.size} subjects outside the Kaplan–Meier sample, the "
            f"first at row {order[first]}: time {y.time[first]:g}, {kind}; use "
            "outsider_pseudo_observations for them"
        )
    if km.n_events == 1 and y.event.any():
        raise InvalidInput(
            f"without the subject at time {km.event_times[0]:g} the Kaplan–Meier "
            "sample has no event, so its pseudo-observation does not exist; ask for "
            "the censored subjects only"
        )
