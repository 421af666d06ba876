"""``sample_weight`` of ConformalSurvival: repeated rows, whatever the kind."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.frozen import FrozenEstimator

from consurv import ConformalSurvival, KaplanMeier, Outcome, SurvivalCurves
from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import Blocks
from consurv.conformal.settings import Settings
from consurv.errors import CalibrationWarning, InvalidInput
from consurv.models import KaplanMeierModel, WeibullAFT
from tests.test_weights import BAD

pytestmark = pytest.mark.filterwarnings("ignore::consurv.errors.CalibrationWarning")

KINDS = "time", "log-time", "level", "recalibrated"
TIMES = np.geomspace(0.01, 400, 60)


def subjects(seed, n=300, whole=False, interpolation="linear"):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    event_time, limit = rng.exponential(10 * np.exp(x)), rng.exponential(12, n)
    if whole:
        event_time, limit = np.ceil(event_time), np.ceil(limit)
    event = event_time <= limit
    event[:2] = True
    y = Outcome(np.minimum(event_time, limit), event)
    survival = np.exp(-TIMES / (15 * np.exp(0.6 * x[:, None])))
    weight = rng.integers(0, 4, n).astype(float)
    weight[:2] = 2
    return SurvivalCurves(TIMES, survival, interpolation), y, weight


def calibrated(curves, y, new, kind, **how):
    model = ConformalSurvival.from_curves(curves, y, adjustment=kind, **how)
    return model.calibrate(new).percentile_times(model.levels_)


@pytest.mark.parametrize("kind", KINDS)
class TestKinds:
    @pytest.mark.parametrize("seed", range(4))
    def test_whole_weights_are_repeated_rows(self, kind, seed):
        form = "step" if seed % 2 else "linear"
        curves, y, weight = subjects(seed, 300, seed > 1, form)
        rows = np.repeat(np.arange(len(y)), weight.astype(int))
        found = calibrated(curves, y, curves, kind, sample_weight=weight)
        wanted = calibrated(curves[rows], y[rows], curves, kind)
        assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)

    def test_ones_change_no_bit(self, kind):
        curves, y, _ = subjects(5)
        found = calibrated(curves, y, curves, kind, sample_weight=np.ones(len(y)))
        assert_array_equal(found, calibrated(curves, y, curves, kind))

    def test_zero_leaves_a_subject_out(self, kind):
        curves, y, weight = subjects(6)
        weight = (weight > 0) * 1.0
        some = weight > 0
        found = calibrated(curves, y, curves, kind, sample_weight=weight)
        assert_array_equal(found, calibrated(curves[some], y[some], curves, kind))

    def test_weights_matter(self, kind):
        # Those who live long count ten times.
        curves, y, _ = subjects(7)
        weight = np.where(y.time > np.median(y.time), 10.0, 1.0)
        found = calibrated(curves, y, curves, kind, sample_weight=weight)
        plain = calibrated(curves, y, curves, kind)
        assert found[:, 9].mean() > 1.2 * plain[:, 9].mean()  # the medians

    def test_the_order_of_rows_does_not_matter(self, kind):
        curves, y, weight = subjects(8)
        weight = weight * 0.37 + 0.01
        order = np.random.default_rng(0).permutation(len(y))
        found = calibrated(
            curves[order], y[order], curves, kind, sample_weight=weight[order]
        )
        wanted = calibrated(curves, y, curves, kind, sample_weight=weight)
        assert_allclose(found, wanted, rtol=1e-9)

    @pytest.mark.parametrize(("weight", "message"), BAD)
    def test_bad_weights_are_refused(self, kind, weight, message):
        curves, y, _ = subjects(9, 3)
        with pytest.raises(InvalidInput, match=message):
            calibrated(curves, y, curves, kind, sample_weight=weight)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_that_add_up_to_one_get_a_warning(kind):
    curves, y, weight = subjects(5)
    with pytest.warns(CalibrationWarning, match="sample_weight adds up to 1 for 2"):
        calibrated(curves, y, curves, kind, sample_weight=weight / weight.sum())
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "sample_weight adds up")
        calibrated(curves, y, curves, kind, sample_weight=weight * 0.2)


def test_many_subjects_are_repeated_rows_when_recalibrated():
    # So many that a part of them finds the way.
    curves, y, weight = subjects(1, 8000)
    rows = np.repeat(np.arange(len(y)), weight.astype(int))
    found = calibrated(curves, y, curves[:50], "recalibrated", sample_weight=weight)
    wanted = calibrated(curves[rows], y[rows], curves[:50], "recalibrated")
    assert_allclose(found, wanted, rtol=1e-9)


class TestFit:
    RNG = np.random.default_rng(0)
    X = pd.DataFrame({"a": RNG.normal(size=200)})
    Y = Outcome(RNG.exponential(10 * np.exp(X["a"])), RNG.random(200) < 0.7)
    WEIGHT = RNG.integers(1, 4, 200)

    @pytest.mark.parametrize(
        "conformal_set",
        ["cross", "holdout", "half", "validation", "train", "train+validation"],
    )
    def test_weights_follow_the_rows(self, conformal_set, monkeypatch):
        seen = []
        make = Settings.make

        def watched(settings, blocks, training, name):
            seen.append((blocks, training))
            return make(settings, blocks, training, name)

        monkeypatch.setattr(Settings, "make", watched)
        model = ConformalSurvival(
            WeibullAFT(), conformal_set=conformal_set, adjustment="time", random_state=0
        )
        model.fit(self.X, self.Y, sample_weight=self.WEIGHT)
        by_time = dict(zip(self.Y.time, self.WEIGHT, strict=True))
        ((blocks, training),) = seen
        for outcome in [training, *(block.outcome for block in blocks)]:
            assert_array_equal(outcome.weights, [by_time[t] for t in outcome.time])
        assert model.kaplan_meier_ == KaplanMeier(training)

    def test_so_is_a_model_that_would_count_by_them(self):
        model = ConformalSurvival(KaplanMeierModel(), adjustment="time")
        model.fit(self.X, self.Y, sample_weight=self.WEIGHT)
        assert model.estimator_.kaplan_meier_ == KaplanMeier(self.Y)
        assert model.kaplan_meier_ == KaplanMeier(self.Y, sample_weight=self.WEIGHT)

    def test_the_model_itself_is_trained_without_weights(self):
        how = {"conformal_set": "cross", "adjustment": "time", "random_state": 0}
        plain = ConformalSurvival(WeibullAFT(), **how).fit(self.X, self.Y)
        weighted = ConformalSurvival(WeibullAFT(), **how)
        weighted.fit(self.X, self.Y, sample_weight=self.WEIGHT)
        found, wanted = (
            model.estimator_.predict_survival_function(self.X).median()
            for model in (weighted, plain)
        )
        assert_array_equal(found, wanted)
        assert (weighted.shifts_ != plain.shifts_).any()

    def test_a_column_may_hold_them(self):
        table = self.X.assign(t=self.Y.time, e=self.Y.event, w=self.WEIGHT)
        model = ConformalSurvival(WeibullAFT(), conformal_set="train")
        model.fit(table, time="t", event="e", sample_weight="w")
        wanted = ConformalSurvival(WeibullAFT(), conformal_set="train")
        wanted.fit(self.X, self.Y, sample_weight=self.WEIGHT)
        assert model.n_features_in_ == 1
        found, given = (m.predict_quantile(self.X, [0.5]) for m in (model, wanted))
        assert_array_equal(found, given)

    def test_beside_columns_of_outcomes_an_array_serves_too(self):
        table = self.X.assign(t=self.Y.time, e=self.Y.event)
        model = ConformalSurvival(WeibullAFT(), conformal_set="train")
        model.fit(table, time="t", event="e", sample_weight=self.WEIGHT)
        assert model.kaplan_meier_.n == self.WEIGHT.sum()

    @pytest.mark.parametrize(
        ("how", "message"),
        [
            ({"y": Y, "sample_weight": "w"}, "'w' is no array of a weight for each"),
            ({"y": Y, "sample_weight": 2.0}, "2.0 is no array of a weight for each"),
            ({"y": Y, "sample_weight": np.array(2.0)}, "must be 1-dimensional"),
            ({"y": Y, "sample_weight": [[1], [1, 2]]}, "cannot be read as an array"),
            (
                {"time": "t", "event": "e", "sample_weight": "e"},
                "names the column of time or event, too",
            ),
            (
                {"time": "t", "event": "e", "sample_weight": "v"},
                "X lacks the columns 'v'",
            ),
        ],
    )
    def test_wrong_names_are_refused(self, how, message):
        table = self.X.assign(t=self.Y.time, e=self.Y.event)
        with pytest.raises(InvalidInput, match=message):
            ConformalSurvival(WeibullAFT()).fit(table, **how)

    def test_a_frozen_model_takes_them_in_fit(self):
        model = FrozenEstimator(WeibullAFT().fit(self.X, self.Y))
        found = ConformalSurvival(model, adjustment="time")
        found.conformalize(self.X, self.Y, sample_weight=self.WEIGHT)
        again = ConformalSurvival(model, adjustment="time")
        again.fit(self.X, self.Y, sample_weight=self.WEIGHT)
        assert_array_equal(found.shifts_, again.shifts_)

    def test_is_kept_in_a_file(self, tmp_path):
        from consurv import load

        model = ConformalSurvival(WeibullAFT(), adjustment="time", random_state=0)
        model.fit(self.X, self.Y, sample_weight=self.WEIGHT * 0.3)
        model.save(tmp_path / "m.consurv")
        again = load(tmp_path / "m.consurv")
        assert again.kaplan_meier_ == model.kaplan_meier_
        assert_array_equal(
            again.predict_quantile(self.X, [0.5]), model.predict_quantile(self.X, [0.5])
        )


class TestWeighing:
    def test_is_that_of_those_who_count(self):
        curves, y, weight = subjects(0)
        model = ConformalSurvival.from_curves(curves, y, sample_weight=weight)
        found = model.adjustment_.weighing
        assert found.total == weight.sum()
        assert found.n_effective == weight.sum() ** 2 / (weight @ weight)
        assert found.told in model.adjustment_._repr_html_()

    def test_there_is_none_without_weights(self):
        curves, y, _ = subjects(0)
        assert ConformalSurvival.from_curves(curves, y).adjustment_.weighing is None

    def test_does_not_depend_on_the_split(self):
        """Parts of which some have no weights of their own."""
        y = Outcome([1.0, 2.0, 3.0, 4.0], [1, 0, 1, 1], [1.0, 1.0, 2.0, 0.5])
        parts = [y[:2].unweighted, y[2:]]
        levels = np.array([0.5])
        blocks = [Block(np.ones((2, 1)), levels, part) for part in parts]
        whole = Blocks([Block(np.ones((4, 1)), levels, y)])
        assert Blocks(blocks).outcomes.weighing == whole.outcomes.weighing
        assert whole.outcomes.weighing == y.weighing
