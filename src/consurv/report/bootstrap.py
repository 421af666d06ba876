"""Metrics before and after calibration, with bootstrap intervals."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from consurv._checks import Float, check_same_length
from consurv._params import AtLeast, Between, Constraints, check_params, make_rng
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.metrics.evaluate import Evaluation, evaluate
from consurv.metrics.registry import METRICS
from consurv.outcome import Outcome

__all__ = ["Comparison", "Estimate", "compare"]

# Subjects in a replicate; it bounds the time whatever the number of subjects.
MAX_SUBJECTS = 2000
_MIN_REPLICATES = 20
_RULES: Constraints = {
    "n_bootstrap": AtLeast(_MIN_REPLICATES),
    "coverage": Between(0, 1),
}


@dataclass(frozen=True)
class Estimate:
    """A number with its interval, which is NaN where it is not known.

    Examples
    --------
    >>> Estimate(-0.2, -0.3, -0.1).is_below(0), Estimate(-0.2, -0.5, 0.1).is_below(0)
    (True, False)
    """

    value: float
    low: float
    high: float

    def is_below(self, bound: float) -> bool:
        """Say whether the whole interval lies below *bound*."""
        return self.high < bound

    def is_above(self, bound: float) -> bool:
        """Say whether the whole interval lies above *bound*."""
        return self.low > bound

    @property
    def has_interval(self) -> bool:
        """Whether the interval is known."""
        return bool(np.isfinite(self.low) and np.isfinite(self.high))


@dataclass(frozen=True)
class Comparison:
    """What :func:`compare` returns.

    Attributes
    ----------
    raw, calibrated : Evaluation
        The metrics with all their details.
    estimates : dict of str to (raw, calibrated, change)
        By the name of the metric; change is calibrated minus raw.
    n_replicates : int
        Replicates that could be evaluated.
    n_drawn : int
        Subjects in each of them.
    """

    raw: Evaluation
    calibrated: Evaluation
    estimates: Mapping[str, tuple[Estimate, Estimate, Estimate]]
    n_replicates: int
    n_drawn: int


def compare(
    y: Any,
    raw: SurvivalCurves,
    calibrated: SurvivalCurves,
    *,
    y_train: Any = None,
    tau: float | None = None,
    n_bootstrap: int = 200,
    coverage: float = 0.95,
    random_state: int | None = 0,
) -> Comparison:
    """Evaluate raw and calibrated curves, and how far chance moves the numbers.

    Each replicate draws subjects with replacement, the same for both kinds of curves,
    and evaluates them anew; models, training outcomes and the raw risk that groups
    them stay as they are. D-cal and
    its like grow in a replicate, because it repeats subjects, so the interval is the
    value plus the quantiles of the replicates about their own mean, cut off where the
    metric ends.

    With n > 2,000 subjects a replicate draws m = 2,000 of them and deviations are
    multiplied by √(m/n). This is right for means and their like. Of squared distances
    near 0, whose deviations shrink faster, it makes the interval too wide.

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    raw, calibrated : SurvivalCurves
        Of the same n subjects.
    y_train, tau
        As in :func:`~consurv.metrics.evaluate`.
    n_bootstrap : int
        Number of replicates, at least 20.
    coverage : float
        Of the intervals.
    random_state : int, optional
        Seed of the draws.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = Outcome(time=rng.exponential(size=100), event=np.ones(100))
    >>> t = np.linspace(0.1, 9)
    >>> good, short = (SurvivalCurves(t, np.exp(-t / m)[None]) for m in (1, 0.3))
    >>> rows = np.zeros(100, dtype=int)
    >>> result = compare(y, short[rows], good[rows], n_bootstrap=20)
    >>> result.estimates["d_calibration"][2].is_below(0)
    True
    """
    check_params({"n_bootstrap": n_bootstrap, "coverage": coverage}, _RULES)
    outcome = Outcome.of(y)
    n = len(outcome)
    check_same_length(y=n, raw=len(raw), calibrated=len(calibrated))
    risk = -raw.median()  # both are compared in the same groups
    both = [
        evaluate(outcome, curves, y_train=y_train, tau=tau, risk=risk)
        for curves in (raw, calibrated)
    ]
    values = np.array([_numbers(result) for result in both])
    m = min(n, MAX_SUBJECTS)
    rng = make_rng(random_state)
    replicates = []
    for _ in range(n_bootstrap):
        rows = rng.integers(0, n, m)
        found = _replicate(outcome, (raw, calibrated), rows, y_train, tau, risk)
        if found is not None:
            replicates.append(found)
    spread = _spread(np.array(replicates), coverage) * np.sqrt(m / n)
    return Comparison(
        raw=both[0],
        calibrated=both[1],
        estimates=_estimates(list(both[0].as_dict()), values, spread),
        n_replicates=len(replicates),
        n_drawn=m,
    )


def _numbers(result: Evaluation) -> list[float]:
    return list(result.as_dict().values())


def _replicate(
    y: Outcome,
    curves: tuple[SurvivalCurves, SurvivalCurves],
    rows: Any,
    y_train: Any,
    tau: float | None,
    risk: Float,
) -> Float | None:
    """Return the metrics of some rows (2, metrics), or None if they have none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said once, of all subjects together
        try:
            parts = [
                evaluate(y[rows], part[rows], y_train=y_train, tau=tau, risk=risk[rows])
                for part in curves
            ]
        except InvalidInput:  # as without an event among the subjects drawn
            return None
    return np.array([_numbers(part) for part in parts])


def _spread(replicates: Float, coverage: float) -> Float:
    """Return the quantiles of deviations (2, 3, metrics); NaN if there are too few."""
    if len(replicates) < _MIN_REPLICATES:
        return np.full((2, 3, 1), np.nan)
    changes = replicates[:, 1:] - replicates[:, :1]
    all_three = np.concatenate([replicates, changes], axis=1)
    deviations = all_three - all_three.mean(axis=0)
    tail = (1 - coverage) / 2
    return np.asarray(np.quantile(deviations, [tail, 1 - tail], axis=0))


def _estimates(
    names: list[str], values: Float, spread: Float
) -> dict[str, tuple[Estimate, Estimate, Estimate]]:
    centre = np.concatenate([values, values[1:] - values[:1]])
    low, high = centre + spread
    # A metric stays in its range; a change may be anything.
    low[:2] = np.maximum(low[:2], 0.0)
    high[:2] = np.minimum(high[:2], [METRICS[name].highest for name in names])
    found = {}
    for j, name in enumerate(names):
        own = [
            Estimate(*map(float, (centre[i, j], low[i, j], high[i, j])))
            for i in range(3)
        ]
        found[name] = (own[0], own[1], own[2])
    return found
