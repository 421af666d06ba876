"""Stage (b): tables, hazard ratios and their inverse; the order of medians."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import ndtri

from consurv import Outcome
from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import Blocks
from consurv.conformal.recalibration.counts import count
from consurv.conformal.recalibration.hazards import hazard_at
from consurv.conformal.recalibration.order import hold_order, kendall
from consurv.conformal.recalibration.poisson import fit_ratios
from consurv.conformal.recalibration.ratios import BORDERS, HazardRatios
from consurv.conformal.recalibration.risk import RiskScale, n_groups
from consurv.conformal.recalibration.shapes import FINE_LEVELS
from consurv.conformal.recalibration.survey import survey
from consurv.conformal.recalibration.time_map import TimeMap
from consurv.conformal.recalibration.windows import around


def samples_of(reading, y, parts=1):
    cut = np.array_split(np.arange(len(y)), parts)
    blocks = [Block(reading[rows], np.array([0.5]), y[rows]) for rows in cut]
    return survey(Blocks(blocks)).samples


def table(samples):
    l = np.concatenate([s.shapes.log_median for s in samples])  # noqa: E741
    risk, groups = RiskScale.of(l), n_groups(len(l))
    nothing = TimeMap(np.zeros(5), np.array([l.mean(), 0.0]))
    return count(samples, nothing, risk, groups), risk


def test_table_by_a_loop(readings):
    reading, y = readings(60, 0)
    samples = samples_of(reading, y)
    found, risk = table(samples)
    shapes = samples[0].shapes
    spread = around(shapes, samples[0].outcome.time, samples[0].grain.reach)
    events, exposure = np.zeros((6, 13)), np.zeros((6, 13))
    edges = ndtri(np.arange(1, 6) / 6)
    tops = [*BORDERS[1:], np.inf]
    for j in range(60):
        one = shapes.take(slice(j, j + 1))
        low, high = (
            np.exp(-hazard_at(one, np.log(t[j : j + 1]) - one.log_median)[0][0])
            for t in spread
        )
        g = int((edges <= risk.at(one.log_median)[0]).sum())
        points = [high + f * (low - high) for f in (1 / 6, 1 / 2, 5 / 6)]
        for s in points:
            h = -np.log(s)
            events[g, int((h >= BORDERS).sum()) - 1] += y.event[j] / 3
            for m in range(13):
                exposure[g, m] += max(min(h, tops[m]) - BORDERS[m], 0) / 3
    assert_allclose(found.events, events, atol=1e-12)
    assert_allclose(found.exposure, exposure, atol=1e-12)
    assert found.members.sum() == 60
    parts, _ = table(samples_of(reading, y, parts=5))
    assert_allclose(parts.exposure, exposure, atol=1e-12)


def test_an_event_on_a_drop_is_charged_to_all_of_it(readings):
    # A right model in whole units: as many events as expected, cell by cell.
    reading, y = readings(4000, 1, widths=0.0)
    reading[:, :-2] = np.ceil(reading[:, :-2] / 3) * 3
    y = Outcome(np.ceil(y.time / 3) * 3, y.event)
    found, _ = table(samples_of(reading, y))
    ratio = found.events.sum(axis=0) / found.exposure.sum(axis=0)
    assert_allclose(ratio[4:], 1, atol=0.25)


def test_where_the_follow_up_ends_events_have_their_exposure():
    """All follow-up ends just before a cell begins: what is spread into it agrees."""
    n, end = 2000, 0.999 * BORDERS[4]
    time = -np.log1p(-(np.arange(n) + 0.5) / n)
    y = Outcome(np.minimum(time, end), time <= end)
    right = [*-np.log(FINE_LEVELS), 0.0, np.inf]
    found, risk = table(samples_of(np.tile(right, (n, 1)), y))
    ratio = found.events.sum(axis=0)[:5] / found.exposure.sum(axis=0)[:5]
    assert found.events.sum(axis=0)[4] > 5
    assert_allclose(ratio, 1, atol=0.2)  # a hundred if the others are not spread
    assert fit_ratios(found, risk)[0].is_none


def test_hazards_and_their_inverse():
    rng = np.random.default_rng(2)
    risk = RiskScale.of(rng.normal(size=200))
    levels, slopes = rng.normal(scale=0.4, size=(2, 13))
    ratios = HazardRatios(BORDERS, levels, slopes, 0.2, risk)
    log_median = rng.normal(size=7)
    wanted = np.array([0.999, 0.9, 0.5, 0.1, 0.003])
    mapped = ratios.mapped(log_median, wanted)
    for p, level in enumerate(wanted):
        again = ratios.adjusted(log_median, mapped[:, p])
        assert_allclose(again, -np.log(level), rtol=1e-9)
    assert (np.diff(mapped, axis=1) > 0).all()
    # By hand: the sum over cells of ratio times length.
    z = risk.at(log_median[:1])[0]
    eta = np.exp(levels + slopes * z + 0.2 * (z * z - 1) / np.sqrt(2))
    lengths = np.clip(1.1 - BORDERS, 0, [*np.diff(BORDERS), np.inf])
    direct = ratios.adjusted(log_median[:1], np.array([1.1]))
    assert_allclose(direct, (eta * lengths).sum())


def test_finds_ratios_and_their_slope(readings):
    reading, y = readings(4000, 3)
    samples = samples_of(reading, y)
    found, risk = table(samples)
    doubled = 2.0 * np.exp(0.3 * found.score)[:, None]
    wrong = type(found)(
        found.events, found.exposure / doubled, found.members, found.scores
    )
    ratios, dof = fit_ratios(wrong, risk)
    seen = found.events.sum(axis=0) > 50
    assert_allclose(ratios.levels[seen], np.log(2), atol=0.15)
    assert_allclose(ratios.slopes[seen], 0.3, atol=0.12)
    assert 1.5 < dof < 8
    none, few = fit_ratios(found, risk)
    assert np.abs(none.levels[seen]).max() < 0.1
    assert few < dof


def test_one_median_for_all_has_no_slopes(readings):
    reading, y = readings(300, 4, stretch=2.0)
    reading[:] = reading[0]
    found, risk = table(samples_of(reading, y))
    assert len(risk.scores) == 1
    ratios, _ = fit_ratios(found, risk)
    assert not ratios.slopes.any()
    assert ratios.bend == 0
    assert (ratios.levels > 0.1).any()


class TestOrder:
    def test_the_weakest_guard_that_does(self):
        rng = np.random.default_rng(6)
        raw = rng.normal(size=400)
        for noise in (0.02, 0.2, 2.0):
            adjusted = raw + noise * rng.normal(size=400)
            guard = hold_order(raw, adjusted, 1.0)
            held = adjusted + guard.pull(raw, adjusted)
            assert kendall(held, raw) >= 0.99
            assert (np.diff(guard.log_medians) > 0).all()
            assert (np.diff(guard.targets) > 0).all()

    @pytest.mark.parametrize("n", [1, 2, 3, 5])
    def test_few_or_tied(self, n):
        raw = np.arange(n, dtype=float)
        assert kendall(raw[::-1] + guard_pull(raw), raw) >= 0.99
        assert hold_order(np.zeros(n), raw, 1.0).share == 0

    def test_where_order_is_lost_medians_are_drawn_to_their_mean(self):
        """Not to the middle between extremes, which would move all of them."""
        raw = np.linspace(0, 1, 400)
        adjusted = np.where(raw < 0.1, 4.0, 1.0) - raw
        guard = hold_order(raw, adjusted, 1.0)
        held = adjusted + guard.pull(raw, adjusted)
        assert kendall(held, raw) >= 0.99
        assert held.mean() == pytest.approx(adjusted.mean(), abs=0.05)

    def test_ties_in_part(self):
        raw = np.repeat(np.arange(5.0), 20)
        adjusted = np.random.default_rng(7).normal(size=100)
        guard = hold_order(raw, adjusted, 1.0)
        assert_array_equal(guard.share, 1.0)
        assert (np.diff(guard.log_medians) > 0).all()

    def test_which_of_the_tied_comes_first_does_not_matter(self):
        """Nor what another unit of time leaves of their being tied."""
        rng = np.random.default_rng(8)
        raw = np.round(rng.normal(size=2000), 1)
        adjusted = raw + 0.3 * rng.normal(size=2000)
        rows = rng.permutation(2000)
        roundings = rng.normal(scale=1e-15, size=2000)
        one = hold_order(raw, adjusted, 1.0)
        other = hold_order(raw[rows] + roundings, adjusted[rows], 1.0)
        assert one.share == other.share > 0
        assert_allclose(other.log_medians, one.log_medians, rtol=0, atol=1e-9)
        assert_allclose(other.targets, one.targets, rtol=0, atol=1e-9)


def guard_pull(raw):
    return hold_order(raw, raw[::-1], 1.0).pull(raw, raw[::-1]) if len(raw) > 1 else 0
