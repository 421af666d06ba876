import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sksurv.ensemble import ExtraSurvivalTrees

from consurv import ConformalSurvival, KaplanMeier, Outcome
from consurv.metrics import d_calibration


class Recorder(BaseEstimator):
    """An exponential model that remembers which rows it saw (X is the row number)."""

    def fit(self, X, y):
        self.rows_ = set(X[:, 0].astype(int).tolist())
        self.rate_ = y["event"].sum() / y["time"].sum()
        return self

    def predict_survival_function(self, X):
        times = np.linspace(0.1, 8, 60) / self.rate_
        return times, np.tile(np.exp(-self.rate_ * times), (len(X), 1))


class EarlyStopper(Recorder):
    def fit(self, X, y, X_val=None, y_val=None):
        self.validation_ = None
        if X_val is not None:
            assert y_val.dtype.names == ("event", "time")
            self.validation_ = set(X_val[:, 0].astype(int).tolist())
        return super().fit(X, y)


def numbered(n, start=0, seed=0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.arange(start, start + n), rng.normal(size=n)])
    return X, Outcome(time=rng.exponential(5, n), event=rng.random(n) < 0.8)


def run(model, data, validation=(None, None), **params):
    return ConformalSurvival(model, random_state=0, **params).fit(*data, *validation)


class TestWhoTrainsAndWhoConformalizes:
    def test_train(self):
        post = run(Recorder(), numbered(100), conformal_set="train")
        assert post.estimator_.rows_ == set(range(100))
        assert post.n_conformal_ == 100

    def test_half(self):
        post = run(Recorder(), numbered(100), conformal_set="half")
        assert len(post.estimator_.rows_) == 50
        assert post.n_conformal_ == 50

    def test_half_splits_a_validation_set_off_the_training_half(self):
        post = run(EarlyStopper(), numbered(200), conformal_set="half")
        model = post.estimator_
        assert len(model.rows_) == 90
        assert len(model.validation_) == 10
        assert not model.rows_ & model.validation_
        assert post.n_conformal_ == 100

    def test_validation_split_off(self):
        X, y = numbered(200)
        post = run(EarlyStopper(), (X, y), conformal_set="validation")
        model = post.estimator_
        assert model.rows_ | model.validation_ == set(range(200))
        assert len(model.validation_) == post.n_conformal_ == 20
        rows = sorted(model.rows_)
        assert post.kaplan_meier_ == KaplanMeier(y[rows])

    def test_validation_given(self):
        held = numbered(40, start=1000, seed=1)
        post = run(EarlyStopper(), numbered(200), held, conformal_set="validation")
        assert post.estimator_.rows_ == set(range(200))
        assert post.estimator_.validation_ == set(range(1000, 1040))
        assert post.n_conformal_ == 40

    def test_validation_for_a_model_that_takes_none(self):
        post = run(Recorder(), numbered(200), conformal_set="validation")
        assert len(post.estimator_.rows_) == 180
        assert post.n_conformal_ == 20

    def test_train_and_validation(self):
        post = run(EarlyStopper(), numbered(200), conformal_set="train+validation")
        assert len(post.estimator_.rows_) == 180
        assert post.n_conformal_ == 200

    def test_cross_trains_the_final_model_on_everything(self, monkeypatch):
        seen = []
        fit = Recorder.fit
        monkeypatch.setattr(
            Recorder,
            "fit",
            lambda self, X, y: (seen.append(len(X)), fit(self, X, y))[1],
        )
        post = run(Recorder(), numbered(100), conformal_set="cross", n_folds=4)
        assert seen == [75, 75, 75, 75, 100]
        assert post.estimator_.rows_ == set(range(100))
        assert post.n_conformal_ == 100

    def test_cross_predicts_nobody_with_a_model_that_saw_it(self, monkeypatch):
        predict = Recorder.predict_survival_function

        def check(self, X):
            rows = set(X[:, 0].astype(int).tolist())
            assert not rows & self.rows_
            return predict(self, X)

        monkeypatch.setattr(Recorder, "predict_survival_function", check)
        run(Recorder(), numbered(100), conformal_set="cross", n_folds=3)

    def test_the_template_is_never_trained(self):
        for policy in ("train", "half", "cross", "validation", "train+validation"):
            template = Recorder()
            run(template, numbered(60), conformal_set=policy, percentiles=3)
            assert not hasattr(template, "rows_")


class TestAuto:
    @pytest.mark.parametrize(
        ("model", "n", "n_val", "policy"),
        [
            (Recorder(), 100, None, "train"),
            (EarlyStopper(), 100, None, "train+validation"),
            (EarlyStopper(), 9999, None, "train+validation"),
            (EarlyStopper(), 10_000, None, "validation"),
            (EarlyStopper(), 100, 999, "train+validation"),
            (EarlyStopper(), 100, 1000, "validation"),
            (Recorder(), 100, 1000, "validation"),
        ],
    )
    def test_follows_the_papers_advice(self, model, n, n_val, policy):
        held = (None, None) if n_val is None else numbered(n_val, start=10**6)
        assert run(model, numbered(n), held).conformal_set_ == policy

    def test_the_seed_fixes_the_split(self):
        first, second = (
            run(Recorder(), numbered(80), conformal_set="half") for _ in "ab"
        )
        np.testing.assert_array_equal(first.shifts_, second.shifts_)


@pytest.mark.slow
def test_cross_halves_the_error_that_training_rows_leave(simulate):
    """A forest grown to purity knows its training rows by heart, so shifts from them
    correct nothing; out-of-fold predictions show its true errors."""
    totals = {"train": 0.0, "cross": 0.0}
    for seed in range(3):
        X, y = simulate(600, seed, censored=False, effect=0.3)
        X_test, y_test = simulate(3000, 100 + seed, censored=False, effect=0.3)
        forest = ExtraSurvivalTrees(
            n_estimators=20, min_samples_leaf=1, min_samples_split=2, random_state=seed
        )
        for policy in totals:
            post = ConformalSurvival(
                forest, conformal_set=policy, random_state=seed
            ).fit(X, y)
            curves = post.predict_survival_function(X_test)
            totals[policy] += float(d_calibration(y_test, curves)) / 3
    assert totals["cross"] <= totals["train"] / 2
