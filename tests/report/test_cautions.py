import warnings
from dataclasses import replace

import numpy as np
import pytest

from consurv import CalibrationWarning, ConformalSurvival, Outcome
from consurv.report.cautions import cautions
from consurv.report.predictions import predict_both


def titles(model, X, y):
    return [c.title for c in cautions(model, y, predict_both(model, X, y))]


@pytest.fixture
def model(simulate, right_model):
    return ConformalSurvival(right_model, adjustment="time").conformalize(
        *simulate(1000)
    )


def with_policy(model, policy):
    model._adjustment = replace(model.adjustment_, conformal_set=policy)
    return model


class TestOutcomes:
    def test_few_events_are_named(self, model, simulate):
        X, y = simulate(40, 1)
        first = cautions(model, y, predict_both(model, X, y))[0]
        assert first.title == "Few events"
        assert f"Only {y.n_events} of 40 subjects had the event" in first.text

    def test_heavy_censoring_is_named(self, model, simulate):
        X, y = simulate(1000, 1)
        y = Outcome(y.time, y.event & (np.arange(1000) % 4 == 0))
        found = cautions(model, y, predict_both(model, X, y))
        [caution] = [c for c in found if c.title == "Heavy censoring"]
        assert (
            f"{1 - y.n_events / 1000:.0%} of the subjects are censored" in caution.text
        )

    def test_many_events_are_not(self, model, simulate):
        found = titles(model, *simulate(1000, 1))
        assert "Few events" not in found
        assert "Heavy censoring" not in found


class TestIdentified:
    @pytest.mark.parametrize("kind", ["time", "log-time", "level", "recalibrated"])
    def test_levels_that_no_event_tells_are_named(self, simulate, right_model, kind):
        X, y = simulate(500)
        cut = float(np.quantile(y.time, 0.5))  # nobody is seen any longer
        seen = Outcome(np.minimum(y.time, cut), y.event & (y.time <= cut))
        post = ConformalSurvival(right_model, adjustment=kind)
        with pytest.warns(CalibrationWarning, match="too few events") as caught:
            post.conformalize(X, seen)
        assert len(caught) == 1
        assert not post.adjustment_.identified[0]
        assert post.adjustment_.identified[-1]
        texts = dict(post.adjustment_.cautions())
        assert "levels 0.05, 0.1" in texts["Levels that too few events identify"]
        with pytest.warns(CalibrationWarning, match=r"identify the levels 0\.1:"):
            post.predict_interval(X[:2], 0.8)

    def test_intervals_wider_than_the_grid_are_named(self, model, simulate):
        X, _ = simulate(2)
        with pytest.warns(CalibrationWarning, match=r"0\.99, 0\.01 lie outside"):
            model.predict_interval(X, 0.98)


class TestConformalSet:
    @pytest.mark.parametrize(
        ("policy", "expected"),
        [
            ("train", "Conformal set reused from training"),
            ("train+validation", "Conformal set reused from training"),
            ("cross", "Cross-fitted shifts"),
        ],
    )
    def test_reuse_of_training_is_named(self, model, simulate, policy, expected):
        assert expected in titles(with_policy(model, policy), *simulate(200, 1))

    @pytest.mark.parametrize("policy", ["train", "train+validation", "cross"])
    def test_levels_are_called_so(self, simulate, right_model, policy):
        model = ConformalSurvival(right_model, adjustment="level")
        model = with_policy(model.conformalize(*simulate(1000)), policy)
        X, y = simulate(200, 1)
        found = cautions(model, y, predict_both(model, X, y))
        texts = " ".join(f"{c.title} {c.text}" for c in found)
        assert "The adjusted levels come from" in texts
        assert "shift" not in texts

    @pytest.mark.parametrize("policy", ["validation", "half", "given", "restored"])
    def test_fresh_sets_are_fine(self, model, simulate, policy):
        found = titles(with_policy(model, policy), *simulate(200, 1))
        assert not any("training" in t or "Cross" in t for t in found)

    def test_small_sets_and_levels_beyond_the_guarantee_are_named(
        self, simulate, right_model
    ):
        model = ConformalSurvival(right_model, adjustment="time")
        with pytest.warns(UserWarning, match="too few for the levels 0.95"):
            model.conformalize(*simulate(16))
        X, y = simulate(200, 1)
        found = {c.title: c.text for c in cautions(model, y, predict_both(model, X, y))}
        assert "With 16 conformal subjects" in found["Small conformal set"]
        assert "25%" in found["Small conformal set"]
        assert "the levels 0.95;" in found["Levels beyond the guarantee"]


class TestCurves:
    def test_counts_are_named(self, model, simulate):
        X, y = simulate(400, 1)
        both = predict_both(model, X, y)
        both = replace(both, n_extrapolated=100, n_infinite=400, n_times=150)
        model._adjustment = replace(model.adjustment_, n_infinite=3)
        found = {c.title: c.text for c in cautions(model, y, both)}
        assert "Tail extrapolated for 25.0% of subjects (100 of 400)" in found
        assert "Curves of all subjects (400 of 400) never come down" in found
        assert "read at 150 times" in found["Raw curves shortened"]
        infinite = found["Infinite percentile times in the conformal set"]
        assert infinite.startswith("3 of 1,000 conformal subjects")

    def test_tails_are_counted_by_the_level_that_is_read(self, simulate, right_model):
        # The curves end at 0.1. A level of 0.05 is wanted, but times are so short that
        # the raw curves are read further up.
        def model(X):
            times, survival = right_model(X)
            return times, 0.1 + 0.9 * survival

        X, y = simulate(1000)
        early = Outcome(y.time / 4, y.event)
        shifted = ConformalSurvival(model, percentiles=[0.05, 0.5], adjustment="time")
        shifted.conformalize(X, early)
        moved = ConformalSurvival(model, percentiles=[0.05, 0.5], adjustment="level")
        moved.conformalize(X, early)
        assert moved.adjusted_levels_.min() > 0.12
        assert predict_both(shifted, X, early).n_extrapolated == 1000
        assert predict_both(moved, X, early).n_extrapolated == 0

    def test_rearranged_and_clipped_rows_are_named(self, simulate, stretched_model):
        model = ConformalSurvival(stretched_model, adjustment="time")
        model.conformalize(*simulate(1000))
        X, y = simulate(400, 1)
        both = predict_both(model, X, y)
        n_clipped = both.calibrated.n_clipped
        n_rearranged = both.calibrated.n_rearranged
        assert min(n_clipped, n_rearranged) > 0
        found = " ".join(c.title for c in cautions(model, y, both))
        assert f"({n_clipped} of 400) clipped" in found
        assert f"({n_rearranged} of 400) rearranged" in found

    def test_nothing_is_said_where_nothing_happened(self, simulate):
        def wide(X):
            times = np.linspace(0.2, 400, 800)
            return times, np.exp(-times / (10 * np.exp(X[:, :1])))

        model = ConformalSurvival(wide).conformalize(*simulate(5000))
        X, y = simulate(300, 1)
        both = predict_both(model, X, y)
        whole = np.flatnonzero(~both.calibrated.clipped & ~both.calibrated.rearranged)
        assert titles(model, X[whole], y[whole]) == []


class TestFollowUp:
    def test_intervals_that_end_where_nobody_was_seen(self, simulate, right_model):
        X, y = simulate(500)
        cut = float(np.quantile(y.time, 0.5))
        seen = Outcome(np.minimum(y.time, cut), y.event & (y.time <= cut))
        post = ConformalSurvival(right_model, adjustment="time").conformalize(X, seen)
        found = cautions(post, seen, predict_both(post, X, seen))
        [text] = [c.text for c in found if "beyond the follow-up" in c.title]
        assert f"longer than {cut:.4g}, but 80% intervals" in text
        with pytest.warns(CalibrationWarning, match="intervals end beyond the follow"):
            post.predict_interval(X, 0.8)

    def test_nothing_is_said_of_follow_up_that_is_long_enough(self, model, simulate):
        X, _ = simulate(200, 1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.predict_interval(X, 0.2)
