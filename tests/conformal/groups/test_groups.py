"""Each group has an adjustment of its own, and rows find theirs."""

import pickle

import numpy as np
import pytest

from consurv import (
    CalibrationWarning,
    ConformalSurvival,
    InvalidInput,
    Outcome,
    SurvivalCurves,
    conformal_shifts,
    load,
    load_adjustment,
    save_adjustment,
)
from consurv.conformal.groups.outcome import GroupedOutcome

LEVELS = np.arange(1, 20) / 20
KINDS = ["time", "log-time", "level", "recalibrated"]
LABELS = np.array(["b", "a", "c"])


@pytest.fixture
def grouped(simulate, true_model):
    """A model that is wrong in other ways in each of three groups."""
    X, y = simulate(600, 0)
    groups = LABELS[np.arange(600) % 3]

    def model(X):
        stretch = np.array([0.5, 1.0, 2.0])[(np.arange(len(X))) % 3]
        return true_model(X, stretch=stretch)

    return model, X, y, groups


def mondrian(model, kind="time", **settings):
    return ConformalSurvival(
        model, adjustment=kind, group_pooling="none", percentiles=9, **settings
    )


@pytest.mark.filterwarnings("ignore::consurv.CalibrationWarning")
@pytest.mark.parametrize("kind", KINDS)
class TestOwnSubjectsAlone:
    def test_a_group_has_the_adjustment_of_its_own_subjects(
        self, simulate, true_model, kind
    ):
        X, y = simulate(300, 0)
        groups = LABELS[np.arange(300) % 3]
        model = mondrian(true_model, kind).conformalize(X, y, groups=groups)
        X_new, _ = simulate(40, 1)
        new = LABELS[np.arange(40) // 14]
        found = model.predict_survival_function(X_new, groups=new)
        for label in LABELS:
            rows, own = groups == label, new == label
            alone = mondrian(true_model, kind).conformalize(X[rows], y[rows])
            expected = alone.predict_survival_function(X_new[own])
            np.testing.assert_array_equal(found.times[own], expected.times)
            assert model.groups_.sizes[sorted(LABELS).index(label)] == rows.sum()

    def test_the_pooled_adjustment_is_the_one_without_groups(
        self, simulate, true_model, kind
    ):
        X, y = simulate(300, 0)
        model = mondrian(true_model, kind, unseen_group="pooled")
        model.conformalize(X, y, groups=np.arange(300) % 2)
        alone = mondrian(true_model, kind).conformalize(X, y)
        with pytest.warns(CalibrationWarning, match="300 subjects are of groups .* 7"):
            found = model.predict_survival_function(X, groups=np.full(300, 7))
        expected = alone.predict_survival_function(X)
        np.testing.assert_array_equal(found.times, expected.times)

    def test_files_give_the_same_predictions(self, grouped, kind, tmp_path):
        model, X, y, groups = grouped
        raw = SurvivalCurves(*model(X))
        post = ConformalSurvival.from_curves(
            raw, y, groups=groups, adjustment=kind, group_pooling="none"
        )
        expected = post.calibrate(raw, groups=groups).times
        for name in ("a.json", "a.npz"):
            save_adjustment(post.adjustment_, tmp_path / name)
            again = load_adjustment(tmp_path / name)
            assert again.groups.labels == post.groups_.labels
            assert again.groups.sizes == post.groups_.sizes
            restored = ConformalSurvival(lambda X: raw).restore(again)
            found = restored.calibrate(raw, groups=groups).times
            np.testing.assert_array_equal(found, expected)
        post.save(tmp_path / "m.consurv")
        found = load(tmp_path / "m.consurv").calibrate(raw, groups=groups).times
        np.testing.assert_array_equal(found, expected)


@pytest.mark.filterwarnings("ignore::consurv.CalibrationWarning")
def test_shifts_are_those_of_the_array_core(simulate, true_model):
    X, y = simulate(300, 0)
    groups = np.arange(300) % 2
    model = mondrian(true_model).conformalize(X, y, groups=groups)
    q = SurvivalCurves(*true_model(X)).percentile_times(model.levels_)
    for g in (0, 1):
        own = conformal_shifts(q[groups == g], model.levels_, y[groups == g])
        np.testing.assert_array_equal(model.groups_.members[g].shifts, own)
    np.testing.assert_array_equal(model.shifts_, conformal_shifts(q, model.levels_, y))


class TestRows:
    @pytest.fixture
    def model(self, simulate, true_model):
        X, y = simulate(300, 0, censored=False)
        return mondrian(true_model).conformalize(X, y, groups=np.arange(300) % 3)

    def test_keep_their_order_in_all_predictions(self, model, simulate):
        X, _ = simulate(50, 1)
        groups = np.random.default_rng(0).integers(0, 3, 50)
        curves = model.predict_survival_function(X, groups=groups)
        one_by_one = [
            model.predict_survival_function(X[i : i + 1], groups=groups[i : i + 1])
            for i in range(50)
        ]
        expected = np.concatenate([curve.times for curve in one_by_one])
        np.testing.assert_array_equal(curves.times, expected)
        q = model.predict_quantile(X, [0.5], groups=groups)
        np.testing.assert_array_equal(q[:, 0], curves.median())
        np.testing.assert_array_equal(-model.predict(X, groups=groups), q[:, 0])
        ends = model.predict_interval(X, 0.8, groups=groups)
        np.testing.assert_array_equal(ends, curves.percentile_times([0.9, 0.1]))
        raw, both = model.predict_both(X, groups=groups)
        np.testing.assert_array_equal(both.times, curves.times)
        again = model.calibrate(raw, groups=groups)
        np.testing.assert_allclose(again.times, curves.times, rtol=1e-12)

    def test_need_groups_if_the_model_has_them(self, model, simulate):
        X, _ = simulate(5, 1)
        with pytest.raises(InvalidInput, match=r"by groups \(0, 1, 2\); give groups="):
            model.predict(X)
        with pytest.raises(InvalidInput, match="lengths differ: X has 5, groups has 2"):
            model.predict(X, groups=[0, 1])

    @pytest.mark.parametrize("kind", KINDS)
    def test_may_be_none_at_all(self, simulate, true_model, kind):
        X, y = simulate(300, 0, censored=False)
        model = ConformalSurvival(true_model, adjustment=kind)
        for groups, new in ((None, None), (np.arange(300) % 3, [])):
            model.conformalize(X, y, groups=groups)
            assert model.predict(X[:0], groups=new).shape == (0,)
            assert model.predict_interval(X[:0], groups=new).shape == (0, 2)
            assert model.predict_quantile(X[:0], [0.5], groups=new).shape == (0, 1)
            raw, both = model.predict_both(X[:0], groups=new)
            assert raw.survival_at([1.0, 2.0]).shape == (0, 2)
            assert both.survival_at([1.0, 2.0]).shape == (0, 2)
            assert both.rearranged.shape == both.clipped.shape == (0,)
            assert len(model.calibrate(raw, groups=new)) == 0

    def test_have_no_groups_if_the_model_has_none(self, simulate, true_model):
        X, y = simulate(50, 1)
        model = ConformalSurvival(true_model, adjustment="time").conformalize(X, y)
        with pytest.raises(InvalidInput, match="conformalized without; leave them"):
            model.predict(X, groups=np.zeros(50))

    def test_of_unknown_groups_are_refused_by_name(self, model, simulate):
        X, _ = simulate(5, 1)
        with pytest.raises(
            InvalidInput, match=r"2 subjects .*: 8, 9; known are 0, 1, 2"
        ):
            model.predict(X, groups=[0, 8, 9, 1, 2])


class TestSmallGroups:
    def test_get_the_pooled_adjustment_and_a_warning(self, simulate, true_model):
        X, y = simulate(300, 0, censored=False)
        groups = np.where(np.arange(300) == 0, "alone", "all")
        with pytest.warns(CalibrationWarning, match="fewer than 2 events .* 'alone'"):
            model = mondrian(true_model).conformalize(X, y, groups=groups)
        assert model.groups_.members[1] is None
        assert model.groups_.weights.tolist() == [0, 1]
        pooled = mondrian(true_model).conformalize(X, y)
        np.testing.assert_array_equal(
            model.predict(X[:1], groups=["alone"]), pooled.predict(X[:1])
        )

    def test_a_group_without_events_too(self, simulate, true_model):
        X, y = simulate(300, 0)
        groups = np.where(y.event, "seen", "lost")
        with pytest.warns(CalibrationWarning, match="events .* the group 'lost'"):
            model = mondrian(true_model).conformalize(X, y, groups=groups)
        assert model.groups_.members[0] is None

    def test_what_is_weak_is_said_once_for_all(self, simulate, true_model):
        X, y = simulate(24, 0, censored=False)
        with pytest.warns(CalibrationWarning) as caught:
            model = ConformalSurvival(
                true_model, adjustment="time", group_pooling="none"
            ).conformalize(X, y, groups=np.arange(24) % 2)
        texts = [str(w.message) for w in caught]
        assert sum(t.startswith("in the groups 0, 1: 12 subjects") for t in texts) == 1
        titles = [title for title, _ in model.adjustment_.cautions()]
        assert "Groups too small for some levels" in titles


class TestGroupedOutcome:
    y = GroupedOutcome.of_groups(
        Outcome([1, 2, 3], [1, 0, 1]), np.array([0, 2, 1]), "abc"
    )

    def test_rows_and_pickles_keep_their_groups(self):
        assert self.y[[2, 0]].group.tolist() == [1, 0]
        assert self.y[1].group.tolist() == [2]
        again = pickle.loads(pickle.dumps(self.y))
        assert again == self.y
        assert again.group.tolist() == [0, 2, 1]
        assert again.labels == self.y[:0].labels == ("a", "b", "c")


@pytest.mark.parametrize(
    "settings", [{"group_pooling": "full"}, {"unseen_group": "drop"}]
)
def test_unknown_settings_are_refused(simulate, true_model, settings):
    X, y = simulate(50, 0)
    with pytest.raises(InvalidInput, match="must be one of"):
        ConformalSurvival(true_model, **settings).conformalize(X, y)
