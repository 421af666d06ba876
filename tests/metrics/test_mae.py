"""Mean absolute errors against hand-worked numbers, refits and facts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import trapezoid

from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import InvalidInput
from consurv.metrics import mae_hinge, mae_margin, mae_po
from consurv.outcome import Outcome

METRICS = [mae_po, mae_margin, mae_hinge]


def predicting(medians):
    """Curves with the given medians, means too."""
    q = np.asarray(medians, dtype=float)[:, None] * [0.5, 1.0, 1.5]
    return SurvivalCurves.from_percentile_times(q, [0.75, 0.5, 0.25])


def make(n=60, seed=0, whole=True):
    rng = np.random.default_rng(seed)
    time, censoring = rng.exponential(6, n), rng.exponential(7, n)
    observed = np.minimum(time, censoring)
    observed = np.ceil(observed) if whole else observed
    return Outcome(observed, time <= censoring)


def line_mean(times, survival):
    """Area below straight lines through the nodes and down the line to the end."""
    times, survival = np.append(0, times), np.append(1, survival)
    if survival[-1] > 0:
        times = np.append(times, times[-1] / (1 - survival[-1]))
        survival = np.append(survival, 0)
    return trapezoid(survival, times)


class TestHandWorked:
    # Training KM: 1 to 2, ½ to 6, 0. θ = 2 + 2 = 4.
    train = Outcome([2.0, 6.0], [1, 1])
    y = Outcome([3.0, 4.0, 5.0], [1, 0, 1])
    curves = predicting([4.0, 7.0, 5.0])

    def test_mae_po(self):
        # With a censoring at 4: S = 2/3 from 2, 0 from 6: θ₊ = 2 + 8/3; the
        # pseudo-observation is 3 · 14/3 − 2 · 4 = 6, its weight 1 − ½.
        result = mae_po(self.y, self.curves, y_train=self.train)
        np.testing.assert_allclose(result.targets, [3, 6, 5], rtol=1e-14)
        np.testing.assert_allclose(result.weights, [1, 0.5, 1], rtol=1e-14)
        assert float(result) == pytest.approx((1 + 0.5 * 1 + 0) / 2.5, rel=1e-14)

    def test_mae_po_without_weights(self):
        result = mae_po(self.y, self.curves, y_train=self.train, weighted=False)
        assert float(result) == pytest.approx(2 / 3, rel=1e-14)

    def test_mae_margin(self):
        # E[T | T > 4] = 6.
        result = mae_margin(self.y, self.curves, y_train=self.train)
        np.testing.assert_allclose(result.targets, [3, 6, 5], rtol=1e-14)
        assert float(result) == pytest.approx(0.6, rel=1e-14)

    def test_mae_hinge(self):
        # The censored one is predicted later than 4: no error, full weight.
        assert float(mae_hinge(self.y, self.curves)) == pytest.approx(1 / 3, rel=1e-14)
        early = predicting([4.0, 1.5, 5.0])
        assert float(mae_hinge(self.y, early)) == pytest.approx(3.5 / 3, rel=1e-14)

    def test_tau_bounds_predictions_and_targets(self):
        result = mae_po(self.y, self.curves, y_train=self.train, tau=4.5)
        np.testing.assert_allclose(result.targets, [3, 4.5, 4.5], rtol=1e-14)
        assert float(result) == pytest.approx(1 / 2.5, rel=1e-14)

    def test_the_mean_may_stand_for_the_median(self):
        skewed = SurvivalCurves([2.0, 10.0], [[0.5, 0.0]] * 3)
        assert skewed.median()[0] == 2.0
        assert skewed.mean()[0] == 3.5
        for point, wanted in (("median", (1 + 0.5 * 4 + 3) / 2.5), ("mean", 1.3)):
            result = mae_po(self.y, skewed, y_train=self.train, point=point)
            assert float(result) == pytest.approx(wanted, rel=1e-13)


class TestFacts:
    @pytest.mark.parametrize("metric", METRICS)
    def test_a_clairvoyant_without_censoring_makes_no_error(self, metric):
        time = np.array([1.0, 2.0, 2.0, 5.0])
        curves = SurvivalCurves(time[:, None], np.zeros((4, 1)), "step")
        assert float(metric(Outcome(time, np.ones(4)), curves)) == 0.0

    @pytest.mark.parametrize("metric", METRICS)
    def test_without_censoring_all_are_the_plain_mean_absolute_error(self, metric):
        y = Outcome([1.0, 4.0, 9.0], [1, 1, 1])
        assert float(metric(y, predicting([2.0, 4.0, 5.0]))) == pytest.approx(5 / 3)

    @pytest.mark.parametrize("metric", METRICS)
    def test_row_order_does_not_matter(self, metric):
        y, curves = make(), predicting(np.linspace(1, 9, 60))
        order = np.random.default_rng(1).permutation(60)
        assert float(metric(y[order], curves[order])) == pytest.approx(
            float(metric(y, curves)), rel=1e-12
        )

    @pytest.mark.parametrize("metric", METRICS)
    @pytest.mark.parametrize("factor", [2.0**30, 2.0**-30])
    def test_the_unit_of_time_changes_the_unit_only(self, metric, factor):
        y, medians = make(), np.linspace(1, 9, 60)
        scaled = metric(Outcome(y.time * factor, y.event), predicting(medians * factor))
        assert float(scaled) == float(metric(y, predicting(medians))) * factor

    @pytest.mark.parametrize("metric", [mae_po, mae_margin])
    def test_predictions_ever_further_away_are_ever_worse(self, metric):
        y, train = make(500), make(2000, seed=1)
        errors = [
            float(metric(y, predicting(np.full(500, m)), y_train=train))
            for m in (0.5, 2.0, 4.2, 12.0, 30.0)
        ]
        assert np.argmin(errors) == 2
        assert errors[0] > errors[1]
        assert errors[4] > errors[3]

    def test_hinge_never_minds_a_late_prediction_of_the_censored(self):
        y = Outcome([2.0, 3.0], [1, 0])
        assert float(mae_hinge(y, predicting([2.0, 1e6]))) == 0.0

    def test_surrogates_estimate_the_error_without_censoring(self):
        rng = np.random.default_rng(7)
        n = 20_000
        time, censoring = rng.exponential(6, n), rng.uniform(0, 60, n)
        y = Outcome(np.minimum(time, censoring), time <= censoring)
        curves = predicting(np.full(n, 25.0))  # later than nearly all of them
        plain = float(mae_po(Outcome(time, np.ones(n)), curves))
        weighted = float(mae_po(y, curves, y_train=y, weighted=False))
        assert weighted == pytest.approx(plain, rel=0.02)

    @pytest.mark.parametrize("metric", METRICS)
    def test_shared_and_own_grids_give_the_same_number(self, metric):
        y = make()
        grid = np.linspace(0.5, 12, 24)
        survival = np.exp(-grid / np.linspace(2, 9, 60)[:, None])
        shared = SurvivalCurves(grid, survival)
        own = SurvivalCurves(np.tile(grid, (60, 1)), survival)
        assert float(metric(y, shared)) == pytest.approx(
            float(metric(y, own)), rel=1e-13
        )


class TestSurrogates:
    @pytest.mark.parametrize("whole", [True, False])
    def test_pseudo_observations_equal_a_refit_for_each_subject(self, whole):
        y, train = make(40, whole=whole), make(50, seed=1, whole=whole)
        result = mae_po(y, predicting(np.ones(40)), y_train=train)
        theta = KaplanMeier(train).mean()
        for i in np.flatnonzero(~y.event):
            added = KaplanMeier(Outcome.concatenate([train, y[int(i)]])).mean()
            assert result.targets[i] == pytest.approx(51 * added - 50 * theta, rel=1e-9)

    def test_without_training_outcomes_the_subjects_are_members(self):
        y = make(40)
        result = mae_po(y, predicting(np.ones(40)))
        theta = KaplanMeier(y).mean()
        for i in np.flatnonzero(~y.event):
            others = KaplanMeier(y[np.arange(40) != i]).mean()
            assert result.targets[i] == pytest.approx(
                40 * theta - 39 * others, rel=1e-9
            )

    def test_a_kaplan_meier_stands_for_the_training_outcomes(self):
        y, train, curves = make(), make(seed=1), predicting(np.ones(60))
        for metric in (mae_po, mae_margin):
            assert metric(y, curves, y_train=KaplanMeier(train)) == metric(
                y, curves, y_train=train
            )

    def test_a_censoring_past_all_training_times_counts_fully_at_itself(self):
        train = Outcome([1.0, 2.0], [1, 1])
        y = Outcome([1.0, 9.0], [1, 0])
        result = mae_margin(y, predicting([1.0, 9.0]), y_train=train)
        assert result.targets[1] == 9.0
        assert result.weights[1] == 1.0

    def test_a_censoring_before_all_events_has_no_weight(self):
        y = Outcome([1.0, 9.0], [0, 1])
        result = mae_po(y, predicting([1.0, 9.0]), y_train=y)
        assert result.weights.tolist() == [0, 1]
        assert float(result) == 0.0


class TestTrapezoidArea:
    @pytest.mark.parametrize("whole", [True, False])
    @pytest.mark.parametrize("seed", range(4))
    def test_pseudo_observations_equal_a_refit_with_lines_between_events(
        self, whole, seed
    ):
        y = make(30, seed=seed, whole=whole)
        train = make(25, seed=10 + seed, whole=whole)
        result = mae_po(y, predicting(np.ones(30)), y_train=train, area="trapezoid")

        def nodes(km, places):
            # Event times of the training sample, and the last time of all.
            times = np.union1d(places, [km.t_max])
            return line_mean(times, km.survival_at(times))

        km = KaplanMeier(train)
        for i in np.flatnonzero(~y.event):
            added = KaplanMeier(Outcome.concatenate([train, y[int(i)]]))
            places = np.union1d(km.event_times, [km.t_max])
            wanted = 26 * nodes(added, places) - 25 * nodes(km, km.event_times)
            assert result.targets[i] == pytest.approx(wanted, rel=1e-10, abs=1e-10)

    def test_conditional_means_lie_below_the_exact_ones(self):
        y, train, curves = make(), make(seed=1), predicting(np.ones(60))
        exact = mae_margin(y, curves, y_train=train).targets
        lines = mae_margin(y, curves, y_train=train, area="trapezoid").targets
        assert (lines <= exact + 1e-12).all()
        assert (lines >= y.time).all()

    def test_a_censoring_that_nobody_outlives_stays_where_it_is(self):
        train = Outcome([1.0, 2.0], [1, 1])
        y = Outcome([1.0, 2.0, 9.0], [1, 0, 0])
        result = mae_margin(
            y, predicting([1.0, 9.0, 9.0]), y_train=train, area="trapezoid"
        )
        assert result.targets.tolist() == [1.0, 2.0, 9.0]

    def test_of_pseudo_observations_needs_training_outcomes(self):
        with pytest.raises(InvalidInput, match="give y_train, or use area='step'"):
            mae_po(make(), predicting(np.ones(60)), area="trapezoid")


class TestRefusals:
    y = Outcome([1.0, 2.0, 3.0], [1, 0, 1])

    @pytest.mark.parametrize("metric", METRICS)
    @pytest.mark.parametrize("point", ["median", "mean"])
    def test_names_how_many_curves_never_come_down(self, metric, point):
        curves = SurvivalCurves([5.0], [[0.2], [1.0], [1.0]])
        with pytest.raises(
            InvalidInput, match=f"predicted {point} is infinite for 2 of 3.*row 1.*tau"
        ):
            metric(self.y, curves, point=point)

    @pytest.mark.parametrize("metric", METRICS)
    def test_tau_is_a_way_out(self, metric):
        curves = SurvivalCurves([5.0], [[0.2], [1.0], [1.0]])
        assert np.isfinite(float(metric(self.y, curves, tau=3.0)))

    @pytest.mark.parametrize("metric", METRICS)
    @pytest.mark.parametrize("tau", [0, -1.0, np.inf, np.nan, True, "late"])
    def test_refuses_a_tau_that_is_no_time(self, metric, tau):
        with pytest.raises(InvalidInput, match=r"tau=.* is not valid"):
            metric(self.y, predicting([1, 2, 3]), tau=tau)

    @pytest.mark.parametrize("metric", METRICS)
    def test_refuses_an_unknown_point(self, metric):
        with pytest.raises(InvalidInput, match="point='mode' is not valid"):
            metric(self.y, predicting([1, 2, 3]), point="mode")

    @pytest.mark.parametrize("metric", [mae_po, mae_margin])
    def test_refuses_an_unknown_area(self, metric):
        with pytest.raises(InvalidInput, match="area='simpson' is not valid"):
            metric(self.y, predicting([1, 2, 3]), area="simpson")
        with pytest.raises(InvalidInput, match="weighted='yes' is not valid"):
            metric(self.y, predicting([1, 2, 3]), weighted="yes")

    @pytest.mark.parametrize("metric", [mae_po, mae_margin])
    def test_refuses_training_outcomes_without_an_event(self, metric):
        with pytest.raises(InvalidInput, match="y_train has no event"):
            metric(self.y, predicting([1, 2, 3]), y_train=([0, 0], [1.0, 2.0]))

    @pytest.mark.parametrize("metric", METRICS)
    def test_refuses_outcomes_without_an_event(self, metric):
        with pytest.raises(InvalidInput, match="y has no event"):
            metric(([0, 0], [1.0, 2.0]), predicting([1, 2]))
