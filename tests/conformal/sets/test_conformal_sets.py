import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sksurv.ensemble import ExtraSurvivalTrees, RandomSurvivalForest

from consurv import ConformalSurvival, InvalidInput, KaplanMeier, Outcome
from consurv.conformal.reading.raw_model import RawModel
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
        assert seen == [100, 75, 75, 75, 75]
        assert len(post.fit_seconds_) == 5
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


class TestHoldout:
    def test_a_fifth_is_held_out_and_nothing_trained_again(self):
        post = run(Recorder(), numbered(200), conformal_set="holdout")
        assert len(post.estimator_.rows_) == 160
        assert post.n_conformal_ == 40
        assert len(post.fit_seconds_) == 1

    def test_at_most_ten_thousand_rows(self):
        post = run(Recorder(), numbered(60_000), conformal_set="holdout")
        assert post.n_conformal_ == pytest.approx(10_000, abs=1)

    def test_early_stopping_has_rows_of_its_own(self):
        post = run(EarlyStopper(), numbered(200), conformal_set="holdout")
        model = post.estimator_
        assert (len(model.rows_), len(model.validation_)) == (144, 16)
        assert not model.rows_ & model.validation_
        assert post.n_conformal_ == 40

    @pytest.mark.parametrize(("model", "n"), [(Recorder(), 70), (EarlyStopper(), 40)])
    def test_validation_rows_count_if_nobody_stops_by_them(self, model, n):
        held = numbered(30, start=1000)
        post = run(model, numbered(200), held, conformal_set="holdout")
        assert len(post.estimator_.rows_) == 160
        assert post.n_conformal_ == n


class TestOutOfBag:
    def test_a_forest_of_all_rows_and_every_row_counts(self, simulate):
        X, y = simulate(150, 0)
        forest = RandomSurvivalForest(random_state=0)
        for model in (forest, make_pipeline(StandardScaler(), forest)):
            post = ConformalSurvival(model, random_state=0).fit(X, y)
            assert post.conformal_set_ == "out-of-bag"
            assert post.n_conformal_ == 150
            assert len(post.fit_seconds_) == 1

    def test_rows_that_all_trees_drew_do_not_count(self, simulate):
        X, y = simulate(150, 0)
        forest = RandomSurvivalForest(n_estimators=3, random_state=0)
        post = ConformalSurvival(forest, conformal_set="out-of-bag").fit(X, y)
        drawn = set(range(150)).intersection(*post.estimator_.estimators_samples_)
        assert 0 < len(drawn) == 150 - post.n_conformal_

    def test_validation_rows_count(self, simulate):
        X, y = simulate(150, 0)
        forest = RandomSurvivalForest(random_state=0)
        post = ConformalSurvival(forest).fit(X, y, *simulate(60, 1))
        assert post.n_conformal_ == 210

    def test_other_models_have_none(self):
        with pytest.raises(InvalidInput, match="Recorder is not; 'cross' serves any"):
            run(Recorder(), numbered(100), conformal_set="out-of-bag")

    @pytest.mark.slow
    def test_it_is_about_as_good_as_cross(self, simulate):
        """Forests grown to purity, D-cal x 10³ of new subjects. Over ten seeds of 100
        trees and 2,000 new subjects, with standard errors: training rows 2.74 (.31),
        cross 1.15 (.30), out of bag 0.83 (.28)."""
        totals = dict.fromkeys(("train", "cross", "out-of-bag"), 0.0)
        for seed in range(6):
            X, y = simulate(400, seed, censored=False, effect=0.3)
            new = simulate(1000, 100 + seed, censored=False, effect=0.3)
            forest = RandomSurvivalForest(
                50, min_samples_leaf=1, min_samples_split=2, random_state=seed
            )
            for policy in totals:
                model = ConformalSurvival(
                    forest, conformal_set=policy, random_state=seed
                ).fit(X, y)
                curves = model.predict_survival_function(new[0])
                totals[policy] += 1e3 * float(d_calibration(new[1], curves)) / 6
        assert totals["out-of-bag"] < 0.75 * totals["train"]
        assert totals["out-of-bag"] < totals["cross"] + 0.2


class TestAuto:
    @pytest.mark.parametrize(
        ("model", "n", "n_val", "policy"),
        [
            (Recorder(), 100, None, "cross"),
            (EarlyStopper(), 100, None, "cross"),
            (Recorder(), 100, 1000, "cross"),
            (Recorder(), 20_000, None, "cross"),
            (Recorder(), 20_001, None, "holdout"),
            (EarlyStopper(), 20_001, None, "holdout"),
            (Recorder(), 20_001, 999, "holdout"),
            (Recorder(), 20_001, 1000, "validation"),
        ],
    )
    def test_cross_fits_small_tables_and_holds_out_of_large_ones(
        self, model, n, n_val, policy
    ):
        held = (None, None) if n_val is None else numbered(n_val, start=10**6)
        post = run(model, numbered(n), held, percentiles=1)
        assert post.conformal_set_ == policy

    @pytest.mark.parametrize(
        ("settings", "policy"),
        [
            ({}, "out-of-bag"),
            ({"n_estimators": 99}, "cross"),
            ({"bootstrap": False}, "cross"),
        ],
    )
    def test_forests(self, simulate, settings, policy):
        X, y = simulate(60, 0)
        forest = RandomSurvivalForest(random_state=0, max_depth=1, **settings)
        post = ConformalSurvival(forest, n_folds=2, percentiles=3, random_state=0)
        assert post.fit(X, y).conformal_set_ == policy

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
    def test_paper_follows_the_papers_advice(self, model, n, n_val, policy):
        held = (None, None) if n_val is None else numbered(n_val, start=10**6)
        post = run(model, numbered(n), held, conformal_set="paper")
        assert post.conformal_set_ == policy

    def test_the_seed_fixes_the_split(self):
        first, second = (
            run(Recorder(), numbered(80), conformal_set="half").predict(numbered(5)[0])
            for _ in "ab"
        )
        np.testing.assert_array_equal(first, second)


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
                forest, adjustment="time", conformal_set=policy, random_state=seed
            ).fit(X, y)
            curves = post.predict_survival_function(X_test)
            totals[policy] += float(d_calibration(y_test, curves)) / 3
    assert totals["cross"] <= totals["train"] / 2


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["half", "validation", "holdout"])
def test_a_random_split_keeps_its_promise(policy):
    """P(T ≥ q'(ρ)) = k/(N + 1) with N = 19 held-out subjects, .05 at the lowest level.

    Splits that are balanced in time gave .0378. The probability is known for each
    adjustment, since times are exponential whatever X says.
    """
    n = {"half": 38, "validation": 190, "holdout": 95}[policy]
    levels, repeats = np.array([0.05, 0.5, 0.95]), 4000
    rng = np.random.default_rng(0)
    X = np.arange(n, dtype=float)[:, None]
    found = np.empty((repeats, 3))
    for i in range(repeats):
        y = Outcome(time=rng.exponential(size=n), event=np.ones(n))
        post = ConformalSurvival(
            Recorder(),
            percentiles=levels,
            censoring="uncensored",
            conformal_set=policy,
            random_state=i,
        ).fit(X, y)
        assert post.n_conformal_ == 19
        # Not the curve, which is clipped at 0: the shifted times themselves.
        raw = RawModel(post.estimator_).percentile_times(X[:1], levels)[0]
        found[i] = np.exp(-np.maximum(raw - post.shifts_, 0))
    error = found.std(axis=0) / repeats**0.5
    expected = np.ceil(levels * 20 - 1e-9) / 20
    assert (abs(found.mean(axis=0) - expected) < 3 * error).all()
