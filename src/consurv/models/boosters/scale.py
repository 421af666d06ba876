"""Location and scale of log T without features, by maximum likelihood."""

from __future__ import annotations

import numpy as np
from scipy import optimize, stats

from consurv._checks import Float
from consurv.outcome import Outcome

__all__ = ["log_likelihood", "marginal_scale"]

_LAWS = {"normal": stats.norm, "logistic": stats.logistic, "extreme": stats.gumbel_l}
# Scales are kept to what trees can be grown with.
_NARROWEST, _WIDEST = 0.05, 20.0
# The likelihood of so many subjects, evenly spread over the times, will do.
_ENOUGH = 20_000


def log_likelihood(
    outcome: Outcome, location: Float | float, scale: float, distribution: str
) -> float:
    """Return the mean log likelihood of log T = location + scale · W.

    Examples
    --------
    >>> y = Outcome(time=[1, 1], event=[1, 0])
    >>> round(log_likelihood(y, 0.0, 1.0, "logistic"), 3)
    -1.04
    """
    law = _LAWS[distribution]
    z = (np.log(outcome.time) - location) / scale
    density = law.logpdf(z) - np.log(scale)
    return float(np.where(outcome.event, density, law.logsf(z)).mean())


def marginal_scale(outcome: Outcome, distribution: str) -> tuple[float, float]:
    """Return location and scale of the best law that is the same for everybody.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = Outcome(time=np.exp(3 + 0.5 * rng.normal(size=2000)), event=np.ones(2000))
    >>> location, scale = marginal_scale(y, "normal")
    >>> round(location, 1), round(scale, 1)
    (3.0, 0.5)
    """
    if len(outcome) > _ENOUGH:
        rows = np.linspace(0, len(outcome) - 1, _ENOUGH).astype(int)
        outcome = outcome[np.argsort(outcome.time, kind="stable")[rows]]
    log_time = np.log(outcome.time)
    centre, spread = float(log_time.mean()), float(log_time.std()) or 1.0

    def loss(x: Float) -> float:
        width = float(np.exp(np.clip(x[1], -5, 5)))
        return -log_likelihood(
            outcome, centre + spread * x[0], spread * width, distribution
        )

    found = optimize.minimize(loss, np.zeros(2), method="Nelder-Mead").x
    scale = spread * float(np.exp(np.clip(found[1], -5, 5)))
    location = centre + spread * float(found[0])
    return location, float(np.clip(scale, _NARROWEST, _WIDEST))
