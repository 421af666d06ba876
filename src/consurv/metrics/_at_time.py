"""What the metrics at one time share: the time, and what was observed until then."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from consurv._checks import Float
from consurv._params import Between, check_params
from consurv._warnings import warn
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.outcome import Outcome

__all__ = ["check_time", "observed_survival"]


def check_time(time: float) -> None:
    """Refuse what is not one time, finite and > 0."""
    check_params({"time": time}, {"time": Between(0, np.inf)})


def observed_survival(
    y: Outcome, parts: Sequence[slice], time: float
) -> tuple[Float, Float]:
    """Return the Kaplan–Meier estimate of S(time) in each part, and its variance.

    It is the plain step curve: 1 in a part without an event, and past the last
    observation of a part, if that was a censoring, the value that it had there. The
    extension to a finite end is left out, because the fall would be made up and not
    observed. One `CalibrationWarning` says in how many parts this happened. The
    variance is Greenwood's, S² Σ d / (n (n − d)) over the times of events; it is 0
    where S is 0 or 1.

    Parameters
    ----------
    y : Outcome
    parts : sequence of slices
    time : float

    Returns
    -------
    survival, variance : array of shape (len(parts),)

    Examples
    --------
    >>> y = Outcome(time=[1, 2, 3, 4], event=[1, 0, 0, 0])
    >>> observed_survival(y, [slice(0, 2), slice(2, 4)], 2.0)
    (array([0.5, 1. ]), array([0.125, 0.   ]))
    """
    estimates = [_plain_kaplan_meier(y[part], time) for part in parts]
    survival, variance = np.array(estimates).T
    last = np.array([y.time[part].max() for part in parts])
    unseen = int(np.count_nonzero((last < time) & (survival > 0)))
    if unseen:
        warn(
            f"in {unseen} of {len(parts)} groups nobody was under observation until "
            f"time {time:g}; they keep the Kaplan–Meier value of their last "
            "observation, which is too high if events would have followed",
        )
    return survival, variance


def _plain_kaplan_meier(y: Outcome, time: float) -> tuple[float, float]:
    if y.n_events == 0:
        return 1.0, 0.0
    km = KaplanMeier(y)
    place = np.searchsorted(km.event_times, time, side="right")
    survival = float(km.event_survival[place])
    # Only the last event can leave nobody, and then S is 0 and the sum not needed.
    until = (km.events > 0) & (km.times <= time) & (km.events < km.at_risk)
    at_risk, events = km.at_risk[until], km.events[until]
    return survival, survival**2 * float((events / (at_risk - events) / at_risk).sum())
