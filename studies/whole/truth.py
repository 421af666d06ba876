"""Laws of T given x to train on: simulated ones, and ones in the image of real data.

A semi-synthetic truth has the features of real subjects. Boosted trees, fitted to their
times and to their censoring times, give the laws that both are drawn from.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from scipy import special

from consurv import Outcome
from consurv._checks import Float
from consurv.datasets import TableEncoder
from consurv.models import XGBSurvivalAFT
from studies.bed.laws import LAWS, Law
from studies.bed.setting import Setting
from studies.bed.world import N_TEST, World
from studies.harm.sources import DATASETS, load

__all__ = ["Truth", "truth_of"]


@dataclass(frozen=True)
class Truth:
    """What is true, of whom it is judged, and who is drawn to train on.

    Attributes
    ----------
    law : Law
    x_test : ndarray of shape (N_TEST, m)
    horizon : float
        Curves are compared up to it.
    rows : ndarray of shape (k, m) or None
        Real subjects to draw features from; None where they are simulated.
    censoring : Law or None
        Of C given x, beside *rows*.
    world : World or None
        The simulation, where there are no *rows*.
    end : float
        As in the bed.
    """

    law: Law
    x_test: Float
    horizon: float
    rows: Float | None = None
    censoring: Law | None = None
    world: World | None = None
    end: float = np.inf

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Float, Outcome]:
        """Return features and outcomes of *n* subjects."""
        if self.world is not None:
            self.world.setting = replace(self.world.setting, n=n)
            x, outcome, _ = self.world.sample(rng)
            return x, outcome
        assert self.rows is not None
        assert self.censoring is not None
        x = self.rows[rng.integers(len(self.rows), size=n)]
        time, limit = (
            law.q(rng.uniform(1e-12, 1, size=(n, 1)), x)[:, 0]
            for law in (self.law, self.censoring)
        )
        return x, Outcome(np.minimum(time, limit), time <= limit)


@lru_cache(maxsize=4)
def truth_of(name: str) -> Truth:
    """Return the truth ``law.censoring`` of the bed, or that of a dataset.

    Examples
    --------
    >>> truth_of("weibull.indep40").x_test.shape
    (1000, 4)
    """
    if name in DATASETS:
        return _from_data(name)
    law, _, censoring = name.partition(".")
    world = World(Setting(law, censoring, "right", 100))
    return Truth(LAWS[law], world.x_test, world.horizon, world=world, end=world.end)


def _from_data(name: str) -> Truth:
    X, y, impute = load(name)
    x = np.asarray(TableEncoder(impute=impute).fit_transform(X), dtype=np.float64)
    law = _boosted(x, y)
    censoring = _boosted(x, Outcome(y.time, ~y.event))
    rng = np.random.default_rng(0)
    order = rng.permutation(len(x))
    test = x[order[: len(x) // 3]]
    test = test[rng.integers(len(test), size=N_TEST)]
    time = law.q(rng.uniform(1e-12, 1, size=(N_TEST, 1)), test)[:, 0]
    rows = x[order[len(x) // 3 :]]
    # Nobody can be judged much later than anybody is seen.
    horizon = min(float(np.quantile(time, 0.95)), float(y.time.max()))
    return Truth(law, test, horizon, rows, censoring)


def _boosted(x: Float, y: Outcome) -> Law:
    """Return the law of boosted trees, log T = f(x) + scale · logistic."""
    model = XGBSurvivalAFT(
        distribution="logistic",
        n_estimators=100,
        max_depth=3,
        early_stopping_rounds=None,
        n_jobs=1,
        random_state=0,
    ).fit(x, y)
    scale = model.scale_

    def location(x: Float) -> Float:
        return model._margin(x)[:, None]

    def q(u: Float, x: Float) -> Float:
        times: Float = np.exp(location(x) - scale * special.logit(u))
        return times

    def s(t: Float, x: Float) -> Float:
        with np.errstate(divide="ignore"):
            return np.asarray(special.expit((location(x) - np.log(t)) / scale))

    return Law(q, s)
