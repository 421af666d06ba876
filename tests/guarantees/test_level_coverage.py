"""What moving levels (CiPOT) guarantees; where it is better or worse than shifts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from consurv import (
    ConformalSurvival,
    Outcome,
    SurvivalCurves,
    conformal_levels,
)
from consurv.conformal.quantile.search import rank

LEVELS = np.array([0.05, 0.25, 0.5, 0.75, 0.9, 0.95])
GRID = np.arange(1, 20) / 20


@pytest.mark.slow
class TestCoverage:
    """P(T ≥ q'(ρ)) = k/(N + 1) exactly; a rank one too high is off by 1/(N + 1)."""

    @pytest.mark.parametrize("n", [19, 30, 99])
    @pytest.mark.filterwarnings("ignore::consurv.errors.CalibrationWarning")
    def test_through_the_function_itself(self, n):
        # S(T|x) = V² with V uniform, whatever x: the coverage of a new subject given
        # ρ* is √ρ*, with mean k/(N + 1) and variance p(1 − p)/(N + 2).
        repetitions = 4_000
        everyone, rng = np.ones(n, dtype=bool), np.random.default_rng(n)
        mean = np.zeros(len(LEVELS))
        for _ in range(repetitions):
            moved = conformal_levels(rng.random(n) ** 2, LEVELS, everyone)
            mean += np.sqrt(moved) / repetitions
        wanted = np.array([min(rank(level, n), n) for level in LEVELS]) / (n + 1)
        error = np.sqrt(wanted * (1 - wanted) / (n + 2) / repetitions)
        assert (np.abs(mean - wanted) < 4 * error).all()
        assert (12 * error < 1 / (n + 1)).all()  # the next rank is far away

    @pytest.mark.filterwarnings("ignore::consurv.errors.CalibrationWarning")
    def test_through_the_whole_estimator(self):
        # The model says uniform on (0, 2·scale(x)); true times are 2·scale(x)·V². So
        # P(T ≥ q'|x) = 1 − √(q'/(2·scale)).
        n, repetitions = 19, 600
        rng = np.random.default_rng(0)

        def model(X):
            ends = 2 * np.exp(X[:, :1])
            return SurvivalCurves(ends, np.zeros_like(ends))

        mean = np.zeros(len(LEVELS))
        new = np.array([[0.7]])
        for _ in range(repetitions):
            X = rng.normal(size=(n, 1))
            y = Outcome(2 * np.exp(X[:, 0]) * rng.random(n) ** 2, np.ones(n))
            post = ConformalSurvival(model, percentiles=LEVELS, adjustment="level")
            times = post.conformalize(X, y).predict_quantile(new, LEVELS)[0]
            mean += (1 - np.sqrt(times / (2 * np.exp(0.7)))) / repetitions
        wanted = np.array([min(rank(level, n), n) for level in LEVELS]) / (n + 1)
        error = np.sqrt(wanted * (1 - wanted) / (n + 2) / repetitions)
        assert (np.abs(mean - wanted) < 4 * error).all()
        assert (4 * error < 1 / (n + 1)).all()


def conditional_error(sigma, model_sigma, model_shift, seed):
    """Worst |P(T ≥ q'(ρ)|x) − ρ| over x and ρ, for shifts and for levels.

    log T is normal around 3 with the standard deviation sigma(x); the model has
    model_sigma(x) and adds model_shift to the time.
    """
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 1, (4000, 1))
    time = np.exp(3 + sigma(X[:, 0]) * rng.normal(size=4000))
    y = Outcome(time, np.ones(4000))
    z = norm.ppf(np.linspace(0.0005, 0.9995, 400))

    def model(X):
        return SurvivalCurves(
            model_shift + np.exp(3 + model_sigma(X[:, :1]) * z),
            np.tile(norm.sf(z), (len(X), 1)),
        )

    x = np.linspace(0, 1, 11)[:, None]
    worst = {}
    for kind in ("time", "level"):
        post = ConformalSurvival(model, adjustment=kind).conformalize(X, y)
        q = np.maximum(post.predict_quantile(x, GRID), 1e-300)
        attained = norm.sf((np.log(q) - 3) / sigma(x))
        worst[kind] = np.abs(attained - GRID).max()
    return worst


class TestConditionalCalibration:
    """Both guarantees are averages over subjects. What single subjects get depends on
    how the model is wrong: alike in probability, or alike in time."""

    def test_levels_win_where_all_curves_are_too_narrow_in_proportion(self):
        # Spread 0.1 … 1.1 in log time, the model's 0.6 times that. S(T|x) has one law
        # for all x, so moved levels are right for each; one shift in time is far too
        # much for the narrow curves and too little for the wide ones.
        worst = conditional_error(
            lambda x: 0.1 + x, lambda x: 0.6 * (0.1 + x), 0.0, seed=0
        )
        # The conformal set's own error: 0.5/√4000 = 0.008 at a level, 19 of them.
        assert worst["level"] < 0.03
        assert worst["time"] > 5 * worst["level"]

    def test_shifts_win_where_all_times_are_late_by_the_same(self):
        # The same data, and a model that is right but for 5 units of time.
        worst = conditional_error(lambda x: 0.1 + x, lambda x: 0.1 + x, 5.0, seed=0)
        # The error of the shift, made by the wide curves, weighs more on narrow ones.
        assert worst["time"] < 0.1
        assert worst["level"] > 5 * worst["time"]


@pytest.mark.slow
def test_censored_subjects_follow_the_raw_or_the_adjusted_model():
    """The paper's rule leaves part of a common error where subjects are censored,
    because it believes the raw model about them; the self-consistent rule does not."""
    rng = np.random.default_rng(0)
    off = {}
    for rule in ("uniform", "self-consistent"):
        squares = []
        for _ in range(20):
            true, limit = rng.weibull(1.5, 1500), rng.exponential(1.2, 1500)
            y = Outcome(np.minimum(true, limit), true <= limit)
            survival = np.exp(-((y.time / 1.5) ** 1.5))  # times are 1.5 times too long
            moved = conformal_levels(survival, GRID, y.event, censoring=rule)
            attained = moved ** (1.5**1.5)  # P(T ≥ q(ρ*))
            squares.append(np.mean((attained - GRID) ** 2))
        off[rule] = 1000 * np.mean(squares)
    assert off["self-consistent"] < 0.5
    assert off["uniform"] > 2
