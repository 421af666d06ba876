"""Simulated data whose true survival curves are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from consurv._checks import Float
from consurv._params import AtLeast, Between, OneOf, check_params, make_rng
from consurv._registry import resolve
from consurv.datasets.seer import SEER
from consurv.datasets.simulated import LAST_MONTH, SimulatedDataset, weibull_times
from consurv.outcome import Outcome

__all__ = ["make_seer_like", "make_weibull"]

Seed = int | np.random.Generator | None

_SEER_FEATURES = {"brain": 10, "liver": 14, "stomach": 14}


def make_weibull(
    n: int,
    *,
    n_features: int = 5,
    effect: float = 1.0,
    censoring: float = 0.4,
    dependent_censoring: bool = False,
    shape: float = 1.5,
    scale: float = 10.0,
    random_state: Seed = None,
) -> SimulatedDataset:
    """Simulate a Weibull model with proportional hazards.

    Features are independent and standard normal; their log risk has the standard
    deviation *effect*, and each feature has half the weight of the one before, with
    the other sign. Censoring is at random or, if it is dependent, earlier for
    subjects at high risk: given the features it is still independent of the time of
    the event, but the Kaplan-Meier curve is too high.

    Parameters
    ----------
    n : int
    n_features : int
    effect : float
        0 makes the features useless.
    censoring : float
        Share of the subjects that are censored, in [0, 1), to within 1/n.
    dependent_censoring : bool
        Whether censoring depends on the features.
    shape, scale : float
        Of the Weibull law at log risk 0.
    random_state : int or Generator, optional

    Raises
    ------
    InvalidInput
        If a parameter is out of its range.

    Examples
    --------
    >>> data = make_weibull(1000, censoring=0.3, random_state=0)
    >>> data
    SimulatedDataset(n=1000, features=5, censored=30.00%)
    >>> data.true_curves(data.X).median().shape
    (1000,)
    """
    check_params(
        {
            "n": n,
            "n_features": n_features,
            "effect": effect,
            "censoring": censoring,
            "dependent_censoring": dependent_censoring,
            "shape": shape,
            "scale": scale,
        },
        {
            "n": AtLeast(1),
            "n_features": AtLeast(1),
            "effect": AtLeast(0, real=True),
            "censoring": (OneOf(0, 0.0), Between(0, 1)),
            "shape": Between(0, np.inf),
            "scale": Between(0, np.inf),
            "dependent_censoring": OneOf(True, False),
        },
    )
    rng = make_rng(random_state)
    values = rng.standard_normal((n, n_features))
    weights = _weights(n_features, effect)
    log_risk = values @ weights
    time = weibull_times(rng.exponential(size=n), log_risk, shape, scale)
    waiting = _waiting(rng, log_risk, dependent_censoring) ** (1 / shape)
    limit = _share_limit(time / waiting, censoring) * waiting
    return SimulatedDataset(
        X=pd.DataFrame(values, columns=[f"x{i}" for i in range(n_features)]),
        y=_observed(time, limit),
        true_time=time,
        coefficients=weights,
        centre=np.zeros(n_features),
        shape=shape,
        scale=scale,
    )


def make_seer_like(
    site: str, *, dependent_censoring: bool = False, random_state: Seed = None
) -> SimulatedDataset:
    """Simulate data of the size of SEER-brain, -liver or -stomach.

    They have the same number of subjects and features and the same censoring, whole
    months from 1 to 227, and a risk that falls with time. Age and sex come first; the
    other features are grades from 0 to 3. Nothing in them comes from SEER.

    Parameters
    ----------
    site : {"brain", "liver", "stomach"}
    dependent_censoring : bool
        Whether censoring depends on the features; see `make_weibull`.
    random_state : int or Generator, optional

    Examples
    --------
    >>> make_seer_like("brain", random_state=0)
    SimulatedDataset(n=73703, features=10, censored=40.12%)
    """
    facts = resolve(SEER, site, "SEER site")
    check_params(
        {"dependent_censoring": dependent_censoring},
        {"dependent_censoring": OneOf(True, False)},
    )
    n, n_features = facts.n, _SEER_FEATURES[site.lower()]
    rng = make_rng(random_state)
    X = _patients(rng, n, n_features - 2)
    spread = np.array([12.0, 0.5, *[1.0] * (n_features - 2)])
    coefficients = np.abs(_weights(n_features, effect=1.0)) / spread
    centre = np.array([65.0, 0.5, *[1.5] * (n_features - 2)])
    log_risk = (X.to_numpy(np.float64) - centre) @ coefficients
    shape, scale = 0.7, 30.0
    month = np.ceil(weibull_times(rng.exponential(size=n), log_risk, shape, scale))
    # A subject is censored in month k = ceil(limit) if the event comes in a later one,
    # which means limit <= month - 1.
    waiting = _waiting(rng, log_risk, dependent_censoring)
    ratio = np.where(month > LAST_MONTH, np.inf, (month - 1) / waiting)
    limit = np.ceil(_share_limit(ratio, facts.censored / 100) * waiting)
    return SimulatedDataset(
        X=X,
        y=_observed(month, np.clip(limit, 1, LAST_MONTH)),
        true_time=month,
        coefficients=coefficients,
        centre=centre,
        shape=shape,
        scale=scale,
        whole_months=True,
    )


def _weights(n_features: int, effect: float) -> Float:
    weights = (-0.5) ** np.arange(n_features, dtype=np.float64)
    scaled: Float = effect * weights / np.linalg.norm(weights)
    return scaled


def _patients(rng: np.random.Generator, n: int, n_grades: int) -> pd.DataFrame:
    age = np.clip(np.round(rng.normal(65, 12, n)), 18, 100)
    grades = rng.integers(0, 4, (n, n_grades))
    names = [f"grade_{i + 1}" for i in range(n_grades)]
    X = pd.DataFrame(grades, columns=names)
    X.insert(0, "age", age)
    X.insert(1, "sex", rng.integers(0, 2, n))
    return X


def _waiting(rng: np.random.Generator, log_risk: Float, dependent: bool) -> Float:
    """Return times of censoring up to a common factor."""
    waiting = rng.exponential(size=len(log_risk))
    return waiting * np.exp(-log_risk) if dependent else waiting


def _share_limit(ratio: Float, share: float) -> float:
    """Return the factor c for which that share of the subjects has ratio > c."""
    n_events = len(ratio) - round(share * len(ratio))
    bounds = np.concatenate([[0], np.sort(ratio), [np.inf]])
    below, above = bounds[n_events], bounds[n_events + 1]
    return float((below + above) / 2 if np.isfinite(above) else 2 * below)


def _observed(time: Float, limit: Float) -> NDArray[Any]:
    event = time <= limit
    outcome = Outcome(time=np.minimum(time, limit), event=event)
    return outcome.to_structured()
