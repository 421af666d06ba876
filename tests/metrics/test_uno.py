"""Uno's concordance index against a loop over pairs, and facts."""

from __future__ import annotations

import numpy as np
import pytest

from consurv.curves.curves import SurvivalCurves
from consurv.errors import CalibrationWarning, InvalidInput
from consurv.metrics import (
    CensoringCurve,
    concordance_index,
    uno_concordance_index,
)
from consurv.outcome import Outcome


def predicting(medians):
    return SurvivalCurves.from_percentile_times(np.asarray(medians)[:, None], [0.5])


def make(n=80, seed=0, levels=None):
    """Outcomes with many ties, and medians that go with them."""
    rng = np.random.default_rng(seed)
    scale = np.exp(rng.normal(1.5, 0.7, n))
    time, censoring = rng.exponential(scale), rng.exponential(6, n)
    y = Outcome(np.ceil(np.minimum(time, censoring)), time <= censoring)
    return y, np.ceil(scale) if levels is None else np.ceil(scale / levels)


def brute_force(y, median, train, tau=np.inf, side="right", tied="half"):
    g = CensoringCurve(train)
    look = g.survival_at if side == "right" else g.survival_before
    above = below = 0.0
    for i in range(len(y)):
        known = y.time[i] <= g.t_max and look([y.time[i]])[0] > 0
        if not (y.event[i] and y.time[i] < tau and known):
            continue
        weight = look([y.time[i]])[0] ** -2
        for j in range(len(y)):
            later = y.time[j] > y.time[i]
            if later or (y.time[j] == y.time[i] and not y.event[j]):
                if median[i] == median[j] and tied == "drop":
                    continue
                below += weight
                above += weight * (
                    0.5 if median[i] == median[j] else median[i] < median[j]
                )
    return above / below


class TestUnoConcordanceIndex:
    @pytest.mark.parametrize("side", ["left", "right"])
    @pytest.mark.parametrize("tied", ["half", "drop"])
    @pytest.mark.parametrize("tau", [None, 4.0])
    def test_equals_a_loop_over_pairs(self, side, tied, tau):
        y, median = make()
        train = Outcome(
            [*make(200, seed=1)[0].time, 99.0], [*make(200, seed=1)[0].event, True]
        )
        result = uno_concordance_index(
            y,
            predicting(median),
            y_train=train,
            tau=tau,
            weights=side,
            tied_risks=tied,
        )
        wanted = brute_force(y, median, train, tau or np.inf, side, tied)
        assert float(result) == pytest.approx(wanted, rel=1e-12)

    def test_hand_worked(self):
        # G is 1 at the first event and 2/3 at the second: weights 1 and 9/4. The
        # first forms 3 pairs, 2 of them right; the second 1 pair, wrong.
        y = Outcome([1.0, 2.0, 3.0, 4.0], [1, 0, 1, 0])
        train = Outcome([1.0, 2.0, 3.0, 4.0], [1, 0, 1, 1])
        result = uno_concordance_index(y, predicting([3, 4, 5, 2.0]), y_train=train)
        assert float(result) == pytest.approx(2 / (3 + 9 / 4), rel=1e-14)
        assert result.n_pairs == 4
        assert result.tau == np.inf

    def test_is_harrells_index_without_censoring(self):
        y, median = make()
        y = Outcome(y.time, np.ones(len(y)))
        curves = predicting(median)
        assert float(uno_concordance_index(y, curves)) == pytest.approx(
            float(concordance_index(y, curves)), rel=1e-13
        )

    def test_a_clairvoyant_scores_one_and_its_opposite_zero(self):
        time = np.array([1.0, 2.0, 3.0, 5.0])
        y = Outcome(time, [1, 0, 1, 1])
        assert float(uno_concordance_index(y, predicting(time))) == 1.0
        assert float(uno_concordance_index(y, predicting(1 / time))) == 0.0

    def test_row_order_does_not_matter(self):
        y, median = make()
        order = np.random.default_rng(3).permutation(len(y))
        first = float(uno_concordance_index(y, predicting(median)))
        second = float(uno_concordance_index(y[order], predicting(median[order])))
        assert first == pytest.approx(second, rel=1e-13)

    def test_ranks_by_the_mean_or_the_survival_at_a_time_on_request(self):
        y = Outcome([1.0, 2.0], [1, 1])
        # The medians are in the right order, the means and the late survival are not.
        curves = SurvivalCurves([1.0, 2.0, 100.0], [[0.5, 0.4, 0], [0.6, 0.1, 0]])
        assert float(uno_concordance_index(y, curves)) == 1.0
        assert float(uno_concordance_index(y, curves, risk="mean")) == 0.0
        assert float(uno_concordance_index(y, curves, risk=50.0)) == 0.0

    def test_censoring_that_depends_on_nothing_does_not_move_it(self):
        rng = np.random.default_rng(8)
        n = 6000
        scale = np.exp(rng.normal(1, 0.8, n))
        time, censoring = rng.exponential(scale), rng.exponential(3, n)
        curves = predicting(scale)
        full = uno_concordance_index(Outcome(time, np.ones(n)), curves, tau=5.0)
        y = Outcome(np.minimum(time, censoring), time <= censoring)
        censored = uno_concordance_index(y, curves, tau=5.0)
        assert float(censored) == pytest.approx(float(full), abs=0.012)

    def test_with_tied_censorings_the_left_limit_makes_up_for_them(self):
        rng = np.random.default_rng(9)
        n = 40_000
        scale = np.exp(rng.normal(0.5, 1.2, n))
        time = np.ceil(rng.exponential(scale))
        censoring = rng.integers(1, 7, n)
        curves = predicting(scale)
        full = uno_concordance_index(Outcome(time, np.ones(n)), curves, tau=5.0)
        y = Outcome(np.minimum(time, censoring), time <= censoring)
        left = uno_concordance_index(y, curves, tau=5.0, weights="left")
        right = uno_concordance_index(y, curves, tau=5.0)
        assert float(left) == pytest.approx(float(full), abs=0.003)
        assert abs(float(right) - float(full)) > 2 * abs(float(left) - float(full))


class TestTruncation:
    train = Outcome([1.0, 2.0, 4.0, 5.0], [1, 0, 1, 0])

    def test_events_without_a_weight_are_left_out_with_one_warning(self):
        y = Outcome([1.0, 4.5, 5.0, 7.0, 8.0], [1, 1, 1, 1, 0])
        curves = predicting([1.0, 2.0, 9.0, 8.0, 7.0])
        with pytest.warns(CalibrationWarning, match="2 of 4 events.*time 5") as caught:
            result = uno_concordance_index(y, curves, y_train=self.train)
        assert len(caught) == 1
        assert caught[0].filename == __file__
        assert float(result) == 1.0
        assert result.n_events_left_out == 2

    def test_with_tau_before_them_there_is_nothing_to_warn_of(self):
        y = Outcome([1.0, 4.5, 5.0, 7.0, 8.0], [1, 1, 1, 1, 0])
        result = uno_concordance_index(
            y, predicting(y.time), y_train=self.train, tau=5.0
        )
        assert result.tau == 5.0
        assert result.n_events_left_out == 2

    def test_only_events_strictly_before_tau_count(self):
        y = Outcome([1.0, 2.0, 3.0], [1, 1, 1])
        assert uno_concordance_index(y, predicting(y.time), tau=2.0).n_pairs == 2
        assert uno_concordance_index(y, predicting(y.time), tau=2.1).n_pairs == 3


class TestRefusals:
    y = Outcome([1.0, 2.0, 3.0], [1, 0, 1])
    curves = predicting([1.0, 2.0, 3.0])

    @pytest.mark.parametrize("tau", [0, -2, np.inf, np.nan, True, "end"])
    def test_refuses_a_tau_that_is_no_time(self, tau):
        with pytest.raises(InvalidInput, match=r"tau=.* is not valid"):
            uno_concordance_index(self.y, self.curves, tau=tau)

    def test_refuses_unknown_options(self):
        with pytest.raises(InvalidInput, match="tied_risks='all' is not valid"):
            uno_concordance_index(self.y, self.curves, tied_risks="all")
        with pytest.raises(InvalidInput, match="weights='both' is not valid"):
            uno_concordance_index(self.y, self.curves, weights="both")

    def test_refuses_outcomes_without_a_pair_that_counts(self):
        with pytest.raises(InvalidInput, match="no comparable pair that counts"):
            uno_concordance_index(self.y, self.curves, tau=0.5)
        with pytest.raises(InvalidInput, match="no comparable pair that counts"):
            uno_concordance_index(([1], [2.0]), predicting([1.0]))

    def test_refuses_training_outcomes_without_an_event(self):
        with pytest.raises(InvalidInput, match="y_train has no event"):
            uno_concordance_index(self.y, self.curves, y_train=([0], [1.0]))
