"""What a simulation returns: subjects, outcomes and the truth behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from consurv._checks import Float, as_floats
from consurv.curves import SurvivalCurves
from consurv.datasets.table import pick_columns
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["LAST_MONTH", "SimulatedDataset", "weibull_times"]

LAST_MONTH = 227  # of SEER's 2000-2018 follow-up

# Where the true curves have their nodes: dense, and denser still at both ends.
_ENDS = np.geomspace(1e-7, 0.05, 110, endpoint=False)
_LEVELS = np.concatenate([_ENDS, np.linspace(0.05, 0.95, 181), 1 - _ENDS])


@dataclass(frozen=True, eq=False, repr=False)
class SimulatedDataset:
    """Simulated subjects, with what a real dataset hides.

    The time T of the event has S(t | x) = exp(-(t / scale)^shape · exp(η)), where the
    log risk η is linear in the features; with *whole_months*, T is rounded up.

    Attributes
    ----------
    X : DataFrame of shape (n, m)
    y : array of shape (n,)
        Outcomes, structured (event, time).
    true_time : array of shape (n,)
        The times of the events, those behind the censoring too.
    coefficients, centre : array of shape (m,)
        η = (x - centre) · coefficients.
    shape, scale : float
    whole_months : bool

    Examples
    --------
    >>> from consurv.datasets import make_weibull
    >>> data = make_weibull(200, censoring=0.25, random_state=0)
    >>> bool((data.true_time >= data.y["time"]).all())
    True
    >>> truth = data.true_curves(data.X[:2])
    >>> truth.survival_at([1.0]).shape
    (2, 1)
    """

    X: pd.DataFrame
    y: NDArray[Any]
    true_time: Float
    coefficients: Float
    centre: Float
    shape: float
    scale: float
    whole_months: bool = False

    def __len__(self) -> int:
        return len(self.y)

    @property
    def outcome(self) -> Outcome:
        """The outcomes as an `Outcome`."""
        return Outcome.of(self.y)

    @property
    def censored(self) -> float:
        """Share of the subjects that are censored."""
        return float(1 - self.y["event"].mean())

    def log_risk(self, X: Any) -> Float:
        """Return η of the subjects in *X*, which has the columns of ``self.X``."""
        if isinstance(X, pd.DataFrame):
            X = pick_columns(X, self.X.columns.tolist(), "the table of features")
        values = as_floats(X, "X", ndim=2)
        if values.shape[1] != len(self.centre):
            raise InvalidInput(
                f"X has {values.shape[1]} columns where the simulation has "
                f"{len(self.centre)} features"
            )
        result: Float = (values - self.centre) @ self.coefficients
        return result

    def true_curves(self, X: Any) -> SurvivalCurves:
        """Return the true survival curves of the subjects in *X*.

        They are right to 1e-4: linear between 401 percentile times of each subject.
        With whole months they are exact steps up to month 227.
        """
        log_risk = self.log_risk(X)[:, np.newaxis]
        if self.whole_months:
            months = np.arange(1, LAST_MONTH + 1)
            hazard = (months / self.scale) ** self.shape * np.exp(log_risk)
            return SurvivalCurves(months, np.exp(-hazard), "step")
        times = weibull_times(-np.log(_LEVELS), log_risk, self.shape, self.scale)
        return SurvivalCurves.from_percentile_times(times, _LEVELS)

    def __repr__(self) -> str:
        return (
            f"SimulatedDataset(n={len(self)}, features={self.X.shape[1]}, "
            f"censored={self.censored:.2%})"
        )


def weibull_times(hazard: Any, log_risk: Float, shape: float, scale: float) -> Float:
    """Return when the cumulative hazard at a log risk reaches *hazard*.

    Examples
    --------
    >>> weibull_times(4.0, np.zeros(1), shape=2.0, scale=10.0)
    array([20.])
    """
    times: Float = scale * (hazard * np.exp(-log_risk)) ** (1 / shape)
    return times
