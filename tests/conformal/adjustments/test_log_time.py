"""Factors of percentile times: shifts of log time."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv import ConformalSurvival, Outcome
from consurv.conformal.adjustments import adjustment_kind
from consurv.conformal.censoring.rules import RULES
from consurv.conformal.parts.blocks import Block
from consurv.conformal.quantile.search import rank

LEVELS = np.arange(1, 20) / 20
KIND = adjustment_kind("log-time")


def data(n, seed, censored=True):
    rng = np.random.default_rng(seed)
    q = 9 * (-np.log(LEVELS)) ** 0.7 * rng.gamma(4, 0.25, (n, 1))
    time = 7 * rng.weibull(1.4, n) * rng.gamma(4, 0.25, n)
    limit = rng.exponential(12, n) if censored else np.full(n, np.inf)
    return q, Outcome(np.minimum(time, limit), time <= limit)


def find(q, y, rule="kaplan-meier", split=1):
    parts = np.array_split(np.arange(len(y)), split)
    blocks = [Block(q[rows], LEVELS, y[rows], proportional=True) for rows in parts]
    chosen = KIND.choose_rule(rule, None)
    return KIND.make(blocks, chosen, np.random.default_rng(0))


def test_without_censoring_it_is_the_quantile_of_ratios():
    q, y = data(99, 0, censored=False)
    found = find(q, y)
    for p, level in enumerate(LEVELS):
        ratios = np.sort(-y.time / q[:, p])
        assert found.factors[p] == -ratios[rank(level, 99) - 1]


# Rules that learn say which levels the events leave open.
@pytest.mark.filterwarnings("ignore:too few events")
@pytest.mark.parametrize("rule", sorted(RULES))
def test_is_the_quantile_that_its_definition_asks_for(rule):
    # With all percentile times 1 the factor is the quantile of the times themselves,
    # and a shift would be 1 less it.
    _, y = data(200, 1)
    ones = np.ones((200, 19))
    shift = adjustment_kind("time")
    block = Block(ones, LEVELS, y)
    by_shift = shift.make(
        [block], shift.choose_rule(rule, None), np.random.default_rng(0)
    )
    found = find(ones, y, rule)
    assert_array_equal(found.identified, by_shift.identified)
    kept = found.identified
    assert_allclose(found.factors[kept], (1 - by_shift.shifts)[kept], rtol=1e-9)


@pytest.mark.filterwarnings("ignore:too few events")
@pytest.mark.parametrize("rule", ["kaplan-meier", "auto", "margin", "local"])
def test_blocks_do_not_show(rule):
    q, y = data(300, 2)
    assert_allclose(
        find(q, y, rule, split=7).factors, find(q, y, rule).factors, rtol=1e-9
    )


@pytest.mark.parametrize("rule", ["kaplan-meier", "auto"])
@pytest.mark.parametrize("power", [30, -30])
def test_the_unit_of_time_changes_no_bit(rule, power):
    q, y = data(150, 3)
    unit = 2.0**power
    other = find(q * unit, Outcome(y.time * unit, y.event), rule)
    assert_array_equal(other.factors, find(q, y, rule).factors)


def test_mends_what_is_wrong_in_proportion_at_every_risk():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(4000, 1))
    scale = 10 * np.exp(X)
    time = (scale * rng.weibull(1.5, (4000, 1)))[:, 0]
    y = Outcome(time, np.ones(4000))
    times = np.geomspace(0.01, 400, 400)

    def model(X):  # times twice too long
        return times, np.exp(-((times / (20 * np.exp(X))) ** 1.5))

    factors = ConformalSurvival(model, adjustment="log-time").conformalize(X, y)
    shifts = ConformalSurvival(model, adjustment="time").conformalize(X, y)
    new = np.array([[-1.5], [0.0], [1.5]])
    truth = 10 * np.exp(new[:, 0]) * np.log(2) ** (1 / 1.5)
    assert_allclose(factors.predict_quantile(new, [0.5])[:, 0], truth, rtol=0.05)
    wrong = shifts.predict_quantile(new, [0.5])[:, 0] / truth
    assert wrong[0] < 0.5  # clipped away
    assert wrong[2] > 1.4
    assert factors.factors_ == pytest.approx(np.full(19, 0.5), rel=0.05)


def test_curves_that_drop_at_once_stay_and_no_time_falls_below_zero():
    q, y = data(100, 5)
    q[:10] = 0.0
    q[10, :4] = -1.0  # as a quantile regression may say
    X = np.arange(100)[:, None]

    class Raw:
        def percentile_times(self, X, levels):
            return q

    block = KIND.read(Raw(), (X, y), LEVELS, in_training=False)
    found = KIND.make([block], KIND.choose_rule("auto", None), np.random.default_rng())
    assert (found.factors > 0).all()
    curves = found.apply(q)
    assert curves.n_clipped == 0
    assert_array_equal(curves.median()[:10], np.zeros(10))
    assert (curves.times >= 0).all()


def test_endless_curves_stay_endless():
    q, y = data(100, 6)
    q[:5, 0] = np.inf
    with pytest.warns(UserWarning, match="5 subjects have infinite percentile times"):
        found = find(q, y)
    assert_array_equal(found.n_subjects[:2], [95, 100])
    assert np.isinf(found.apply(q).percentile_times([0.05])[:5]).all()
