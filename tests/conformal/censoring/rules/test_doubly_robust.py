"""The doubly robust rule for shifts, factors and levels."""

import numpy as np
import pytest
from sklearn.base import clone

from consurv import (
    ConformalSurvival,
    DoublyRobust,
    FromEstimator,
    Outcome,
    conformal_shifts,
    load,
)
from consurv.errors import InvalidInput, NotConformalizedError
from consurv.models import CoxPH

LEVELS = [0.9, 0.7, 0.5]
TIMES = np.linspace(0.15, 90, 600)


def exponential(scale):
    return lambda X: (TIMES, np.exp(-TIMES / scale(np.asarray(X)[:, :1])))


def constant(value):
    return exponential(lambda x: value * np.ones_like(x))


right_event = exponential(lambda x: 10 * np.exp(x))
right_censoring = exponential(lambda x: 15 * np.exp(x))


def draw(n, rng):
    """Return X, T and outcomes: those who die early are censored early."""
    X = rng.uniform(-1, 1, (n, 1))
    time = rng.exponential(10 * np.exp(X[:, 0]))
    limit = rng.exponential(15 * np.exp(X[:, 0]))
    return X, time, Outcome(np.minimum(time, limit), time <= limit)


@pytest.fixture(autouse=True)
def _quiet(recwarn):
    """Low levels of small sets are not told by events, which is said each time."""


class TestUncensored:
    @pytest.mark.parametrize("kind", ["time", "log-time"])
    def test_is_the_plain_quantile_bit_for_bit(self, kind):
        rng = np.random.default_rng(0)
        X, time, _ = draw(150, rng)
        y = Outcome(time, np.ones(150))
        rule = DoublyRobust(constant(3.0), constant(3.0))
        models = [
            ConformalSurvival(constant(12.0), adjustment=kind, censoring=censoring)
            for censoring in (rule, "uncensored")
        ]
        one, two = (m.conformalize(X, y).predict_quantile(X, LEVELS) for m in models)
        assert (one == two).all()

    def test_levels_are_plain_quantiles(self):
        X, time, _ = draw(150, np.random.default_rng(0))
        y = Outcome(time, np.ones(150))
        rule = DoublyRobust(constant(3.0), constant(3.0))
        one, two = (
            ConformalSurvival(constant(12.0), adjustment="level", censoring=censoring)
            .conformalize(X, y)
            .adjusted_levels_
            for censoring in (rule, "uniform")
        )
        np.testing.assert_allclose(one, two, rtol=1e-12)

    def test_arrays_need_no_features(self):
        y = Outcome([3.0, 4.0, 6.0, 9.0], np.ones(4))
        q = [[5.0], [4.0], [6.0], [7.0]]
        rule = DoublyRobust(constant(1.0), constant(1.0))
        one = conformal_shifts(q, [0.5], y, censoring=rule)
        assert (one == conformal_shifts(q, [0.5], y, censoring="uncensored")).all()


@pytest.mark.slow
class TestEither:
    def coverage(self, event, censoring, kind="log-time", seeds=16, n=600):
        found = []
        for seed in range(seeds):
            X, _, y = draw(n, np.random.default_rng(seed))
            rule = DoublyRobust(event, censoring)
            model = ConformalSurvival(
                exponential(lambda x: 16 * np.exp(0.5 * x)),
                adjustment=kind,
                censoring=rule,
                percentiles=LEVELS,
            ).conformalize(X, y)
            q = model.predict_quantile(X, LEVELS)
            found.append(np.exp(-q / (10 * np.exp(X))).mean(axis=0))
        return np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(seeds)

    @pytest.mark.parametrize("kind", ["time", "log-time", "level"])
    @pytest.mark.parametrize(
        ("event", "censoring"),
        [(right_event, constant(8.0)), (constant(30.0), right_censoring)],
        ids=["event", "censoring"],
    )
    def test_model_is_enough(self, event, censoring, kind):
        found, error = self.coverage(event, censoring, kind)
        assert (np.abs(found - LEVELS) < 4 * error + 4e-3).all()

    def test_recalibrated_curves_can_be_conformalized(self):
        wrong = exponential(lambda x: 16 * np.exp(0.5 * x))
        rule = DoublyRobust(constant(30.0), right_censoring)
        found = []
        for seed in range(16):
            X, _, y = draw(1200, np.random.default_rng(seed))
            mended = ConformalSurvival(wrong).conformalize(X[:600], y[:600])
            model = ConformalSurvival(
                mended, adjustment="log-time", censoring=rule, percentiles=LEVELS
            ).conformalize(X[600:], y[600:])
            q = model.predict_quantile(X, LEVELS)
            found.append(np.exp(-q / (10 * np.exp(X))).mean(axis=0))
        error = np.std(found, axis=0) / np.sqrt(16)
        off = np.abs(np.mean(found, axis=0) - LEVELS)
        assert (off < 4 * error + 4e-3).all()

    def test_both_wrong_is_wrong(self):
        found, error = self.coverage(constant(30.0), constant(30.0))
        assert (np.abs(found - LEVELS) > 4 * error + 4e-3).any()


class TestModels:
    @pytest.mark.parametrize("kind", ["time", "level"])
    def test_are_trained_along_out_of_fold(self, kind):
        X, _, y = draw(300, np.random.default_rng(0))
        rule = DoublyRobust(CoxPH(), CoxPH())
        model = ConformalSurvival(
            CoxPH(), adjustment=kind, censoring=rule, random_state=0
        ).fit(X, y)
        assert model.adjustment_.censoring == "DoublyRobust(CoxPH, CoxPH)"
        censoring, event = model.imputer_
        assert censoring is not event
        q = model.predict_quantile(X, LEVELS)
        assert np.isfinite(q).all()
        # What was trained goes on with other rows.
        X, _, y = draw(300, np.random.default_rng(1))
        model.conformalize(X, y)
        assert model.imputer_[0] is censoring

    def test_are_kept_in_a_file(self, tmp_path):
        X, _, y = draw(200, np.random.default_rng(0))
        rule = DoublyRobust(CoxPH(), CoxPH())
        model = ConformalSurvival(
            CoxPH(), adjustment="time", censoring=rule, random_state=0
        ).fit(X, y)
        model.save(tmp_path / "m.consurv")
        again = load(tmp_path / "m.consurv")
        one, two = (m.predict_quantile(X, LEVELS) for m in (model, again))
        assert (one == two).all()
        again.conformalize(X, y)

    def test_must_be_fitted_for_a_fitted_model(self):
        X, _, y = draw(100, np.random.default_rng(0))
        rule = DoublyRobust(CoxPH(), CoxPH())
        model = ConformalSurvival(right_event, adjustment="time", censoring=rule)
        with pytest.raises(NotConformalizedError, match="inside DoublyRobust are not"):
            model.conformalize(X, y)

    def test_clones(self):
        rule = clone(DoublyRobust(CoxPH(), CoxPH(), least_seen=0.2))
        assert rule.least_seen == 0.2


class TestRefusals:
    def test_censored_arrays_without_features(self):
        y = Outcome([3.0, 4.0, 6.0, 9.0], [1, 0, 1, 1])
        rule = DoublyRobust(constant(1.0), constant(1.0))
        with pytest.raises(InvalidInput, match="needs the features"):
            conformal_shifts([[5.0], [4.0], [6.0], [7.0]], [0.5], y, censoring=rule)

    def test_other_rules_are_not_for_levels(self):
        X, _, y = draw(100, np.random.default_rng(0))
        model = ConformalSurvival(
            right_event, adjustment="level", censoring=FromEstimator(right_event)
        )
        with pytest.raises(InvalidInput, match=r"choose one of: .*DoublyRobust"):
            model.conformalize(X, y)

    def test_curves_that_never_fall(self):
        X, _, y = draw(100, np.random.default_rng(0))

        def flat(X):
            return [1.0], np.ones((len(X), 1))

        model = ConformalSurvival(
            flat,
            adjustment="time",
            censoring=DoublyRobust(right_event, right_censoring),
        )
        with pytest.raises(InvalidInput, match="at least two are needed"):
            model.conformalize(X, y)


@pytest.mark.parametrize("kind", ["time", "level"])
def test_groups_have_their_own_subjects(kind):
    X, _, y = draw(300, np.random.default_rng(0))
    group = np.tile(["a", "b", "b"], 100)
    rule = DoublyRobust(right_event, right_censoring)
    settings = {"adjustment": kind, "censoring": rule, "group_pooling": "none"}
    model = ConformalSurvival(constant(12.0), **settings)
    model.conformalize(X, y, groups=group)
    for label in ("a", "b"):
        own = group == label
        alone = ConformalSurvival(constant(12.0), adjustment=kind, censoring=rule)
        alone.conformalize(X[own], y[own])
        one = model.predict_quantile(X, LEVELS, groups=np.full(300, label))
        assert (one == alone.predict_quantile(X, LEVELS)).all()
