import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sksurv.ensemble import GradientBoostingSurvivalAnalysis
from sksurv.linear_model import CoxPHSurvivalAnalysis

from consurv import CalibrationWarning, ConformalSurvival, InvalidInput, Outcome
from consurv._progress import listening
from consurv._warnings import warn
from consurv.conformal import FromEstimator


class Exponential(BaseEstimator):
    """X is the row number; knows which rows it saw, and dislikes some training sets."""

    def __init__(self, dislikes=(), needs=1, warns=False):
        self.dislikes, self.needs, self.warns = dislikes, needs, warns

    def fit(self, X, y):
        self.rows_ = set(X[:, 0].astype(int).tolist())
        if y["event"].sum() < self.needs:
            raise ValueError(f"fewer than {self.needs} events")
        if len(self.rows_) < 60 and any(row not in self.rows_ for row in self.dislikes):
            raise ArithmeticError("did not converge\nat all")
        if self.warns:
            warn("slow", CalibrationWarning)
        self.rate_ = y["event"].sum() / y["time"].sum()
        return self

    def predict_survival_function(self, X):
        times = np.linspace(0.1, 8, 60) / self.rate_
        return times, np.tile(np.exp(-self.rate_ * times), (len(X), 1))


class Stopping(Exponential):
    def fit(self, X, y, X_val=None, y_val=None):
        self.validation_ = (
            None if X_val is None else set(X_val[:, 0].astype(int).tolist())
        )
        return super().fit(X, y)


class Unseen(Exponential):
    """Refuses to speak of rows that it was trained on."""

    def predict_survival_function(self, X):
        assert not set(X[:, 0].astype(int).tolist()) & self.rows_
        return super().predict_survival_function(X)


def numbered(n, n_events=None, seed=0, start=0):
    rng = np.random.default_rng(seed)
    event = np.zeros(n, dtype=bool)
    event[rng.permutation(n)[: n if n_events is None else n_events]] = True
    X = np.arange(start, start + n, dtype=float)[:, None]
    return X, Outcome(time=rng.exponential(size=n) + 1e-3, event=event)


def cross(model, data, held=(None, None), **settings):
    settings = {"percentiles": 3, "random_state": 0, **settings}
    return ConformalSurvival(model, conformal_set="cross", **settings).fit(*data, *held)


class TestFolds:
    @pytest.mark.parametrize(
        ("n", "n_events", "n_folds"), [(4, 4, 4), (60, 3, 3), (60, 2, 2), (60, 50, 5)]
    )
    def test_no_more_than_subjects_and_events(self, n, n_events, n_folds):
        for seed in range(20):  # with few events chance may put them in one fold
            post = cross(Exponential(), numbered(n, n_events, seed), random_state=seed)
            assert post.conformal_set_ == "cross"
            assert len(post.fit_seconds_) == 1 + n_folds
            assert post.n_conformal_ == n

    def test_early_stopping_has_rows_inside_of_the_fold(self, monkeypatch):
        seen = []
        fit = Stopping.fit
        monkeypatch.setattr(
            Stopping,
            "fit",
            lambda self, X, y, X_val=None, y_val=None: seen.append(
                fit(self, X, y, X_val, y_val)
            ),
        )
        post = cross(Stopping(), numbered(100))
        sizes = [(len(model.rows_), len(model.validation_)) for model in seen]
        assert sizes == [(90, 10)] + [(72, 8)] * 5
        assert not any(model.rows_ & model.validation_ for model in seen)
        unseen = [
            set(range(100)) - model.rows_ - model.validation_ for model in seen[1:]
        ]
        assert set().union(*unseen) == set(range(100))
        assert post.n_conformal_ == 100

    def test_the_users_validation_rows_stop_all_and_count(self, monkeypatch):
        seen = []
        fit = Stopping.fit
        monkeypatch.setattr(
            Stopping,
            "fit",
            lambda self, X, y, X_val=None, y_val=None: seen.append(
                fit(self, X, y, X_val, y_val)
            ),
        )
        post = cross(Stopping(), numbered(100), numbered(30, start=1000))
        assert [len(model.rows_) for model in seen] == [100] + [80] * 5
        assert all(model.validation_ == set(range(1000, 1030)) for model in seen)
        assert post.n_conformal_ == 130

    def test_a_model_that_takes_none_lets_them_count_as_well(self):
        post = cross(Unseen(), numbered(100), numbered(30, start=1000))
        assert len(post.estimator_.rows_) == 100
        assert post.n_conformal_ == 130


class TestFallbacks:
    def test_without_two_events_training_rows_are_reused(self):
        with pytest.warns(CalibrationWarning, match="30 subjects with 1 events"):
            post = cross(Exponential(), numbered(30, 1), adjustment="time")
        assert post.conformal_set_ == "train"
        assert post.n_conformal_ == 30

    def test_early_stopping_reuses_both_sets(self):
        with pytest.warns(CalibrationWarning, match="comes from the rows that"):
            post = cross(Stopping(needs=0), numbered(30, 1), adjustment="time")
        assert post.conformal_set_ == "train+validation"
        assert post.n_conformal_ == 30

    @pytest.mark.parametrize("n_jobs", [None, 2])
    def test_subjects_of_one_failing_fold_do_not_count(self, n_jobs):
        said = r"1 of 5 folds .*\(ArithmeticError: did not converge\); their 12 sub"
        with pytest.warns(CalibrationWarning, match=said):
            post = cross(Exponential(dislikes=(7,)), numbered(60), n_jobs=n_jobs)
        assert post.conformal_set_ == "cross"
        assert post.n_conformal_ == 48

    def test_most_failing_folds_lead_to_reuse(self):
        with pytest.warns(CalibrationWarning, match="5 of 5 folds.*fewer than 55"):
            post = cross(Exponential(needs=55), numbered(60))
        assert post.conformal_set_ == "train"
        assert post.n_conformal_ == 60

    def test_a_model_that_cannot_be_trained_at_all_says_so_itself(self):
        with pytest.raises(ValueError, match="fewer than 100 events"):
            cross(Exponential(needs=100), numbered(60))

    def test_two_subjects(self):
        with pytest.warns(CalibrationWarning):
            assert cross(Exponential(), numbered(2)).n_conformal_ == 2

    def test_too_few_to_stop_by(self):
        with pytest.raises(InvalidInput, match="too few to hold out"):
            cross(Stopping(), numbered(2), validation_fraction=0.01)


class TestJobs:
    @pytest.mark.parametrize("censoring", ["auto", FromEstimator(Exponential())])
    @pytest.mark.parametrize("model", [Exponential(), Stopping()])
    def test_results_are_those_of_one_process(self, model, censoring):
        data = numbered(90, 50)
        one, two = (
            cross(model, data, n_jobs=n_jobs, censoring=censoring)
            for n_jobs in (None, 2)
        )
        X = data[0][:10]
        np.testing.assert_array_equal(one.predict(X), two.predict(X))
        assert len(two.fit_seconds_) == 6

    def test_a_library_is_no_different(self, simulate):
        X, y = simulate(120, 0)
        found = [
            cross(CoxPHSurvivalAnalysis(), (X, y), n_jobs=n_jobs).predict(X)
            for n_jobs in (1, 2)
        ]
        np.testing.assert_array_equal(*found)

    def test_warnings_of_other_processes_are_heard(self):
        with pytest.warns(CalibrationWarning, match="slow") as caught:
            cross(Exponential(warns=True), numbered(60), n_jobs=2)
        assert len(caught) == 6

    def test_a_warning_that_is_an_error_stays_one(self):
        with pytest.raises(CalibrationWarning, match="slow"):
            cross(Exponential(warns=True), numbered(60))


class TestProgress:
    def test_folds_are_counted(self):
        seen = []
        with listening(lambda done, total: seen.append((done, total))):
            cross(Exponential(), numbered(40), n_folds=3)
        assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]

    def test_a_bar_is_shown_on_demand(self, capsys):
        cross(Exponential(), numbered(40))
        assert capsys.readouterr() == ("", "")
        cross(Exponential(), numbered(40), verbose=True)
        out, err = capsys.readouterr()
        assert out == ""
        assert "folds" in err


class TestImputer:
    def test_every_fold_has_its_own(self):
        """An imputer that refuses rows that it saw is asked for unseen ones alone."""
        post = cross(Exponential(), numbered(60, 40), censoring=FromEstimator(Unseen()))
        assert post.imputer_.rows_ == set(range(60))

    def test_a_fitted_one_is_used_everywhere(self):
        X, y = numbered(60, 40)
        model = Exponential().fit(X[:30], y[:30].to_structured())
        post = cross(Exponential(), (X, y), censoring=FromEstimator(model))
        assert post.imputer_ is model


@pytest.mark.slow
def test_overfitted_trees_cover_what_they_promise(simulate):
    """Deep boosted trees know their rows by heart: shifts from these make the 80 %
    intervals too short, those from other folds do not."""
    covered = {"train": [], "cross": []}
    for seed in range(3):
        X, y = simulate(300, seed, censored=False)
        X_new, y_new = simulate(2000, 100 + seed, censored=False)
        trees = GradientBoostingSurvivalAnalysis(
            n_estimators=100, max_depth=5, random_state=0
        )
        for policy, shares in covered.items():
            model = ConformalSurvival(trees, conformal_set=policy, random_state=seed)
            low, high = model.fit(X, y).predict_interval(X_new, 0.8).T
            shares.append(np.mean((low <= y_new.time) & (y_new.time <= high)))
    assert np.mean(covered["train"]) < 0.6
    assert np.mean(covered["cross"]) == pytest.approx(0.8, abs=0.04)
