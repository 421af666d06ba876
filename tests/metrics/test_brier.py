"""The Brier score against a plain loop over Graf's formula, and facts."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import CalibrationWarning, InvalidInput
from consurv.metrics import CensoringCurve, brier_score, integrated_brier_score
from consurv.outcome import Outcome


def make(n=200, seed=0, decimals=None):
    """Exponential times, about 45 % censored, and the true curves."""
    rng = np.random.default_rng(seed)
    scale = np.exp(rng.normal(1.5, 0.6, n))
    time, censoring = rng.exponential(scale), rng.exponential(1.2 * scale)
    observed = np.minimum(time, censoring)
    if decimals is not None:
        observed = np.ceil(observed * 10**decimals) / 10**decimals
    grid = np.linspace(0.2, 12, 40)
    curves = SurvivalCurves(grid, np.exp(-grid / scale[:, None]))
    return Outcome(observed, time <= censoring), curves


def graf(y, curves, times, train, *, side="left"):
    """One subject and one time after the other."""
    g = CensoringCurve(train)
    survival = curves.survival_at(times)
    look = g.survival_before if side == "left" else g.survival_at
    scores = []
    for m, t in enumerate(times):
        total = 0.0
        for i, (event, time) in enumerate(y):
            if time > t:
                total += (1 - survival[i, m]) ** 2 / g.survival_at([t])[0]
            elif event:
                total += survival[i, m] ** 2 / look([time])[0]
        scores.append(total / len(y))
    return np.array(scores)


class TestBrierScore:
    @pytest.mark.parametrize("decimals", [None, 0])
    @pytest.mark.parametrize("side", ["left", "right"])
    def test_equals_grafs_formula(self, decimals, side):
        y, curves = make(120, decimals=decimals)
        train, _ = make(300, seed=1, decimals=decimals)
        times = np.array([0.0, 0.5, 1.0, 2.5, 4.0, 7.0])
        result = brier_score(y, curves, times, y_train=train, weights=side)
        np.testing.assert_allclose(
            result.scores, graf(y, curves, times, train, side=side), rtol=1e-12
        )
        assert float(result) == pytest.approx(result.scores.mean(), rel=1e-15)

    def test_hand_worked_with_a_tie(self):
        # G falls at 2 after the event there: 1 − 1/3. At t = 2: the event counts
        # 0.6² / G(2⁻) = 0.36, the two later ones 0.4² / (2/3) each; n = 4.
        y = ([1, 0, 1, 1], [2.0, 2.0, 3.0, 4.0])
        curves = SurvivalCurves([2.0], [[0.6]] * 4, "step")
        left = brier_score(y, curves, 2.0)
        assert float(left) == pytest.approx((0.36 + 2 * 0.16 * 1.5) / 4, rel=1e-14)
        right = brier_score(y, curves, 2.0, weights="right")
        assert float(right) == pytest.approx((0.54 + 2 * 0.16 * 1.5) / 4, rel=1e-14)

    def test_is_the_mean_squared_error_without_censoring(self):
        y, curves = make()
        y = Outcome(y.time, np.ones(len(y)))
        survival = curves.survival_at([3.0])[:, 0]
        wanted = np.mean((survival - (y.time > 3)) ** 2)
        assert float(brier_score(y, curves, 3.0)) == pytest.approx(wanted, rel=1e-13)

    def test_a_coin_scores_a_quarter_without_censoring(self):
        curves = SurvivalCurves([1.0, 3.0], [[0.5, 0.5]] * 3, "step")
        result = brier_score(([1, 1, 1], [1.0, 2.0, 3.0]), curves, [1.0, 1.5])
        assert result.scores.tolist() == [0.25, 0.25]

    def test_times_are_sorted_and_made_distinct_with_their_scores(self):
        y, curves = make()
        result = brier_score(y, curves, [4.0, 1.0, 4.0])
        assert result.times.tolist() == [1.0, 4.0]
        assert result.scores[1] == float(brier_score(y, curves, 4.0))

    @pytest.mark.parametrize("interpolation", ["linear", "step", "pchip"])
    def test_at_the_nodes_it_is_the_same_with_and_without_interpolating(
        self, interpolation
    ):
        y, curves = make()
        shared = SurvivalCurves(curves.times, curves.survival, interpolation)
        own = SurvivalCurves(
            np.tile(curves.times, (len(y), 1)), curves.survival, interpolation
        )
        nodes = shared.times[[0, 3, 9, 20]]
        np.testing.assert_allclose(
            brier_score(y, shared, nodes).scores,
            brier_score(y, own, nodes).scores,
            rtol=1e-13,
        )

    def test_curves_in_single_precision_are_scored_in_double(self):
        y, curves = make()
        single = SurvivalCurves(curves.times, curves.survival.astype(np.float32))
        times = curves.times[[3, 9]]
        np.testing.assert_allclose(
            brier_score(y, single, times).scores,
            brier_score(y, curves, times).scores,
            rtol=1e-6,
        )


class TestIntegratedBrierScore:
    def test_a_clairvoyant_without_censoring_scores_zero(self):
        time = np.array([1.0, 2.0, 2.0, 5.0])
        curves = SurvivalCurves(time[:, None], np.zeros((4, 1)), "step")
        y = Outcome(time, np.ones(4))
        assert float(integrated_brier_score(y, curves)) == 0.0
        assert float(integrated_brier_score(y, curves, times=1000)) == 0.0

    def test_is_the_trapezoid_over_equal_steps_from_zero_to_the_last_time(self):
        y, curves = make()
        train = Outcome(np.append(y.time, 50.0), np.append(y.event, True))
        result = integrated_brier_score(y, curves, y_train=train, times=7)
        times = np.linspace(0, y.time.max(), 7)
        np.testing.assert_array_equal(result.times, times)
        scores = brier_score(y, curves, times, y_train=train).scores
        np.testing.assert_array_equal(result.scores, scores)
        wanted = (scores.sum() - (scores[0] + scores[-1]) / 2) / 6
        assert float(result) == pytest.approx(wanted, rel=1e-13)

    def test_given_times_are_the_grid_and_the_window(self):
        y, curves = make()
        result = integrated_brier_score(y, curves, times=[2.0, 1.0, 4.0])
        s = result.scores
        wanted = ((s[0] + s[1]) / 2 + (s[1] + s[2])) / 3
        assert float(result) == pytest.approx(wanted, rel=1e-13)

    def test_row_order_does_not_matter(self):
        y, curves = make()
        order = np.random.default_rng(3).permutation(len(y))
        assert float(integrated_brier_score(y[order], curves[order])) == pytest.approx(
            float(integrated_brier_score(y, curves)), rel=1e-13
        )

    def test_the_true_curves_beat_biased_ones(self):
        y, curves = make(2000)
        times = np.linspace(0, 10, 50)
        scores = [
            float(
                integrated_brier_score(
                    y,
                    SurvivalCurves(curves.times * stretch, curves.survival),
                    times=times,
                )
            )
            for stretch in (0.4, 0.7, 1.0, 1.5, 3.0)
        ]
        assert np.argmin(scores) == 2
        assert scores[0] > scores[1]
        assert scores[4] > scores[3]

    def test_weights_make_up_for_censoring(self):
        # The censored sample estimates the score of the uncensored one.
        rng = np.random.default_rng(5)
        n = 20_000
        scale = np.exp(rng.normal(1, 0.5, n))
        time, censoring = rng.exponential(scale), rng.exponential(6.0, n)
        grid = np.linspace(0.1, 8, 60)
        curves = SurvivalCurves(grid, np.exp(-grid / scale[:, None]))
        y = Outcome(np.minimum(time, censoring), time <= censoring)
        full = integrated_brier_score(Outcome(time, np.ones(n)), curves, times=grid)
        weighted = integrated_brier_score(y, curves, times=grid)
        assert float(weighted) == pytest.approx(float(full), rel=0.02)

    @pytest.mark.parametrize("factor", [2.0**30, 2.0**-30])
    def test_the_unit_of_time_changes_nothing(self, factor):
        y, curves = make()
        scaled = SurvivalCurves(curves.times * factor, curves.survival)
        result = integrated_brier_score(Outcome(y.time * factor, y.event), scaled)
        assert float(result) == float(integrated_brier_score(y, curves))

    def test_blocks_add_up(self):
        y, curves = make(3000)
        times = np.linspace(0, 8, 100)
        whole = brier_score(y, curves, times, y_train=y).scores
        parts = [
            brier_score(y[s], curves[s], times, y_train=y).scores
            for s in (slice(0, 1000), slice(1000, 3000))
        ]
        np.testing.assert_allclose(whole, (parts[0] + 2 * parts[1]) / 3, rtol=1e-12)

    def test_the_same_curves_on_own_grids_give_the_same_number(self):
        y, curves = make()
        own = SurvivalCurves(np.tile(curves.times, (len(y), 1)), curves.survival)
        assert float(integrated_brier_score(y, own)) == pytest.approx(
            float(integrated_brier_score(y, curves)), rel=1e-13
        )

    def test_a_kaplan_meier_stands_for_the_training_outcomes(self):
        y, curves = make()
        train, _ = make(300, seed=1)
        assert integrated_brier_score(
            y, curves, y_train=KaplanMeier(train), times=[1, 2]
        ) == integrated_brier_score(y, curves, y_train=train, times=[1, 2])

    @settings(max_examples=50)
    @given(
        st.lists(
            st.tuples(st.integers(1, 6), st.booleans()), min_size=2, max_size=12
        ).filter(lambda rows: any(e for _, e in rows))
    )
    def test_is_never_nan(self, rows):
        time, event = (np.array(column) for column in zip(*rows, strict=True))
        curves = SurvivalCurves([3.0], np.linspace(0, 1, len(time))[:, None])
        assume(CensoringCurve((event, time)).is_positive_at(time).any())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CalibrationWarning)
            result = integrated_brier_score((event, time), curves, times=11)
        assert np.isfinite(result.scores).all()
        assert 0 <= float(result) < np.inf


class TestWhereTheWeightsEnd:
    train = Outcome([1.0, 2.0, 4.0, 5.0], [1, 0, 1, 0])
    curves = SurvivalCurves([10.0], np.full((3, 1), 0.1))

    def test_default_window_ends_at_the_last_time_with_weights_and_warns_once(self):
        y = Outcome([1.0, 4.5, 7.0], [1, 1, 1])
        with pytest.warns(CalibrationWarning, match="1 of 3 subjects") as caught:
            result = integrated_brier_score(y, self.curves, y_train=self.train)
        assert len(caught) == 1
        assert "falls to 0 at 5" in str(caught[0].message)
        assert caught[0].filename == __file__
        assert result.times[-1] == 4.5
        assert np.isfinite(float(result))

    def test_an_event_where_g_falls_to_zero_is_beyond(self):
        y = Outcome([1.0, 4.5, 5.0], [1, 1, 1])
        with pytest.warns(CalibrationWarning, match="1 of 3 subjects"):
            integrated_brier_score(y, self.curves, y_train=self.train)

    def test_a_censoring_there_is_not(self):
        y = Outcome([1.0, 4.5, 5.0], [1, 1, 0])
        result = integrated_brier_score(y, self.curves, y_train=self.train)
        assert result.times[-1] == 4.5

    def test_given_times_beyond_are_left_out_with_one_warning(self):
        y = Outcome([1.0, 4.5, 7.0], [1, 1, 1])
        with pytest.warns(CalibrationWarning, match="2 of 4 times") as caught:
            result = brier_score(
                y, self.curves, [1.0, 3.0, 5.0, 6.0], y_train=self.train
            )
        assert len(caught) == 1
        assert caught[0].filename == __file__
        assert result.times.tolist() == [1.0, 3.0]

    def test_training_outcomes_that_end_with_an_event_end_the_window_too(self):
        train = Outcome([1.0, 2.0, 4.0], [1, 0, 1])
        y = Outcome([1.0, 3.0, 7.0], [1, 1, 0])
        with pytest.warns(CalibrationWarning, match="training outcomes end at 4"):
            result = integrated_brier_score(y, self.curves, y_train=train)
        assert result.times[-1] == 3.0

    def test_a_censored_subject_past_the_end_needs_no_weight_on_a_grid_inside(self):
        y = Outcome([1.0, 4.5, 7.0], [1, 1, 0])
        result = integrated_brier_score(
            y, self.curves, y_train=self.train, times=[1.0, 2.0, 4.0]
        )
        expected = graf(y, self.curves, result.times, self.train)
        np.testing.assert_allclose(result.scores, expected, rtol=1e-13)

    def test_no_time_left_is_an_error(self):
        y = Outcome([1.0, 4.5, 7.0], [1, 1, 0])
        with pytest.raises(InvalidInput, match=r"none of the 2 times has weights.*6:"):
            brier_score(y, self.curves, [6.0, 7.0], y_train=self.train)
        late = Outcome([7.0, 8.0, 9.0], [1, 1, 0])
        with pytest.raises(InvalidInput, match="no time in y has weights"):
            integrated_brier_score(late, self.curves, y_train=self.train)

    def test_one_time_left_is_an_error_for_the_integral(self):
        y = Outcome([1.0, 4.5, 7.0], [1, 1, 0])
        with pytest.raises(InvalidInput, match="one time to integrate over, 1;"):
            integrated_brier_score(y, self.curves, y_train=self.train, times=[1, 9])


class TestRefusals:
    y, curves = make(20)

    @pytest.mark.parametrize("times", [1, 0, True, 2.5, None, "many"])
    def test_refuses_a_number_of_times_that_is_none(self, times):
        with pytest.raises(InvalidInput, match=r"times=.* must be a whole number >= 2"):
            integrated_brier_score(self.y, self.curves, times=times)

    @pytest.mark.parametrize(
        ("times", "said"),
        [
            ([], "times is empty"),
            ([-1.0, 2.0], "negative"),
            ([np.nan, 2.0], "NaN"),
            ([np.inf, 2.0], "infinite"),
            (["a", "b"], "text"),
            (np.ma.array([1.0, 2.0], mask=[0, 1]), "masked"),
            (np.array(["2020-01-01"], "datetime64[D]"), "dates"),
            ([[1.0, 2.0]], "1-dimensional"),
        ],
    )
    @pytest.mark.parametrize("metric", [brier_score, integrated_brier_score])
    def test_refuses_times_that_are_none(self, metric, times, said):
        with pytest.raises(InvalidInput, match=said):
            metric(self.y, self.curves, times=times)

    def test_refuses_an_unknown_side(self):
        for metric in (brier_score, integrated_brier_score):
            with pytest.raises(InvalidInput, match="weights='both' is not valid"):
                metric(self.y, self.curves, times=[1, 2], weights="both")

    def test_refuses_training_outcomes_without_an_event(self):
        with pytest.raises(InvalidInput, match="y_train has no event"):
            integrated_brier_score(self.y, self.curves, y_train=([0, 0], [1.0, 2.0]))

    def test_refuses_outcomes_without_an_event(self):
        with pytest.raises(InvalidInput, match="y has no event"):
            integrated_brier_score(
                Outcome(self.y.time, np.zeros(20)), self.curves, y_train=self.y
            )

    def test_one_subject_has_a_score_of_its_own(self):
        curves = SurvivalCurves([4.0], [[0.0]])
        assert float(brier_score(([1], [2.0]), curves, 1.0)) == 0.0625
