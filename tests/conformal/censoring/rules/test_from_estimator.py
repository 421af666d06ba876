import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sksurv.linear_model import CoxPHSurvivalAnalysis

import consurv.conformal.quantile.search as quantile
from consurv import (
    CalibrationWarning,
    ConformalSurvival,
    FromCurves,
    FromEstimator,
    InvalidInput,
    KaplanMeier,
    NotConformalizedError,
    Outcome,
    SurvivalCurves,
    conformal_shifts,
)
from consurv.conformal.adjustments.shifts import find_shifts
from consurv.conformal.parts.blocks import Block
from consurv.conformal.quantile.search import rank
from consurv.models import KaplanMeierModel

LEVELS = np.arange(1, 20) / 20


def make_curves(rng, n, form):
    """Random curves: how they are joined, whose grid, whether they come down to 0."""
    interpolation, grid, ends = form
    m = 12
    shape = (n, m) if grid == "own" else (m,)
    times = np.sort(rng.exponential(10, shape), axis=-1)
    falls = rng.dirichlet(np.ones(m + 1), n)
    survival = 1 - np.cumsum(falls, axis=1)[:, :-1]
    if ends:
        survival[:, -2:] = 0
    return SurvivalCurves(times, np.clip(survival, 0, 1), interpolation)


def make_case(seed, n, form):
    rng = np.random.default_rng(seed)
    curves = make_curves(rng, n, form)
    y = Outcome(time=rng.exponential(9, n), event=rng.random(n) < 0.5)
    q = np.sort(rng.exponential(10, (n, 3)), axis=1)[:, ::-1]
    return q, y, curves


def mass(q, y, curves, s):
    """N·F(s) by its definition."""
    alive = curves.survival_at_observed(y.time)
    x = np.maximum(q - s, y.time)  # before c nothing happens
    if curves.interpolation == "step":
        x = np.nextafter(x, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        law = np.minimum(curves.survival_at_observed(x) / alive, 1)
    return np.where(y.event | (alive < 1e-9), q - y.time <= s, law).sum()


def brute_force(q, y, curves, level):
    k = min(rank(level, len(y)), len(y)) - 1e-9
    low, high = -1e3, 1e3
    while high - low > 1e-11:
        middle = (low + high) / 2
        if mass(q, y, curves, middle) >= k:
            high = middle
        else:
            low = middle
    return high


FORMS = [
    (interpolation, grid, ends)
    for interpolation in ("linear", "step")
    for grid in ("shared", "own")
    for ends in (False, True)
]


class TestFromCurves:
    def test_by_hand(self):
        # The censored subject is uniform on (4, 8): scores of q = 9 on (1, 5). Events
        # score 0, 3 and 5. k = 2 of 4: 1 + (s − 1)/4 = 2 nowhere before the jump at 3.
        y = Outcome(time=[4, 2, 3, 4], event=[0, 1, 1, 1])
        q = [[9.0], [2.0], [6.0], [9.0]]
        rule = FromCurves(SurvivalCurves([8.0], [[0.0]] * 4))
        assert_allclose(conformal_shifts(q, [0.4], y, censoring=rule), [3])
        # k = 3: 2 + (s − 1)/4 = 3 at s = 5, together with the last event.
        assert_allclose(conformal_shifts(q, [0.6], y, censoring=rule), [5])

    def test_the_answer_may_lie_inside_a_straight_stretch(self):
        # Two censored at 4, uniform on (4, 8): (s − 1)/2 = 1 at s = 3.
        y = Outcome(time=[4, 4, 1], event=[0, 0, 1])
        rule = FromCurves(SurvivalCurves([8.0], [[0.0]] * 3))
        shift = conformal_shifts([[9.0], [9.0], [9.0]], [0.25], y, censoring=rule)
        assert_allclose(shift, [3], rtol=1e-12)

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("few", [0, quantile.FEW_PIECES])
    def test_brute_force(self, form, few, monkeypatch):
        monkeypatch.setattr(quantile, "FEW_PIECES", few)
        levels = [0.2, 0.5, 0.8]
        for seed in range(3):
            q, y, curves = make_case(seed, 12, form)
            found = conformal_shifts(q, levels, y, censoring=FromCurves(curves))
            expected = [
                brute_force(q[:, p], y, curves, level) for p, level in enumerate(levels)
            ]
            # Slopes are some 0.1: the tolerance of k moves s by about 1e-8.
            assert_allclose(found, expected, atol=1e-7)

    @pytest.mark.parametrize("form", FORMS)
    def test_many_subjects_meet_the_definition(self, form):
        q, y, curves = make_case(7, 2000, form)
        levels = [0.1, 0.5, 0.9]
        shifts = conformal_shifts(q, levels, y, censoring=FromCurves(curves))
        for p, level in enumerate(levels):
            below, above = (
                mass(q[:, p], y, curves, shifts[p] + step) for step in (-1e-9, 1e-9)
            )
            assert below < rank(level, 2000) <= above + 1e-6

    def test_float32_curves_and_crowded_nodes(self):
        # Nodes a hair's breadth apart: steep stretches beside flat ones.
        rng = np.random.default_rng(0)
        n = 300
        times = np.sort(np.concatenate([np.arange(1, 30), np.arange(1, 30) + 1e-7]))
        survival = 1 - np.cumsum(rng.dirichlet(np.full(58, 0.05), n), axis=1)
        curves = SurvivalCurves(times, np.clip(survival, 0, 1).astype(np.float32))
        y = Outcome(time=rng.uniform(1, 20, n), event=rng.random(n) < 0.3)
        q = rng.uniform(1, 30, (n, 1))
        s = conformal_shifts(q, [0.5], y, censoring=FromCurves(curves))[0]
        k = rank(0.5, n)
        assert mass(q[:, 0], y, curves, s + 1e-10) >= k - 1e-6
        assert mass(q[:, 0], y, curves, s - 1e-8) < k

    def test_pchip_curves_are_taken_as_linear(self):
        q, y, curves = make_case(3, 60, ("linear", "shared", False))
        pchip = SurvivalCurves(curves.times, curves.survival, "pchip")
        assert_array_equal(
            conformal_shifts(q, [0.2, 0.5, 0.8], y, censoring=FromCurves(pchip)),
            conformal_shifts(q, [0.2, 0.5, 0.8], y, censoring=FromCurves(curves)),
        )

    def test_past_the_end_of_its_curve_a_subject_stands_at_c(self):
        y = Outcome(time=[5, 5, 9, 9], event=[0, 0, 1, 1])
        rule = FromCurves(SurvivalCurves([1.0, 4.0], [[0.5, 0.0]] * 4))
        q = np.full((4, 1), 10.0)
        at_c = Outcome(time=y.time, event=np.ones(4))
        assert_array_equal(
            conformal_shifts(q, [0.3], y, censoring=rule),
            conformal_shifts(q, [0.3], at_c, censoring="uncensored"),
        )

    def test_curves_that_never_end_do_not_count(self):
        y = Outcome(time=[2, 3, 4, 5], event=[0, 0, 1, 1])
        survival = [[0.5, 0.0], [1.0, 1.0], [0.5, 0.0], [0.5, 0.0]]
        curves = SurvivalCurves([4.0, 8.0], survival)
        q = np.full((4, 1), 6.0)
        with pytest.warns(CalibrationWarning, match="1 censored subjects never have"):
            shift = conformal_shifts(q, [0.5], y, censoring=FromCurves(curves))
        kept = [0, 2, 3]
        rule = FromCurves(curves[kept])
        assert_array_equal(
            shift, conformal_shifts(q[kept], [0.5], y[kept], censoring=rule)
        )

    def test_without_censored_subjects_the_curves_do_not_matter(self):
        y = Outcome(time=[2, 3, 4], event=[1, 1, 1])
        q = np.array([[1.0], [5.0], [2.0]])
        rule = FromCurves(SurvivalCurves([4.0], [[0.0]] * 3))
        assert_array_equal(
            conformal_shifts(q, [0.5], y, censoring=rule),
            conformal_shifts(q, [0.5], y, censoring="uncensored"),
        )

    def test_infinite_percentile_times_are_left_out(self):
        q, y, curves = make_case(0, 40, ("linear", "own", False))
        q = np.array(q)
        q[::7] = np.inf
        kept = np.isfinite(q[:, 0])
        with pytest.warns(CalibrationWarning, match="infinite percentile times"):
            found = conformal_shifts(
                q, [0.2, 0.5, 0.8], y, censoring=FromCurves(curves)
            )
        rule = FromCurves(curves[kept])
        assert_allclose(
            found, conformal_shifts(q[kept], [0.2, 0.5, 0.8], y[kept], censoring=rule)
        )

    def test_one_curve_for_each_subject(self):
        rule = FromCurves(SurvivalCurves([4.0], [[0.0]]))
        y = Outcome(time=[1, 2], event=[0, 1])
        with pytest.raises(InvalidInput, match="curves has 1, y has 2"):
            conformal_shifts([[1.0], [2.0]], [0.5], y, censoring=rule)


def data(seed, n=200):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    time, limit = rng.exponential(10 * np.exp(0.5 * X[:, 0])), rng.exponential(15, n)
    return X, Outcome(time=np.minimum(time, limit), event=time <= limit)


class Exponential(BaseEstimator):
    """A constant hazard, tilted by X; remembers how many rows trained it."""

    def __init__(self, slope=0.5):
        self.slope = slope

    def fit(self, X, y):
        self.n_ = len(X)
        self.rate_ = y["event"].sum() / y["time"].sum()
        return self

    def predict_survival_function(self, X):
        times = np.linspace(0.1, 8, 50) / self.rate_
        hazard = np.exp(-self.slope * X[:, :1])
        return times, np.exp(-self.rate_ * times * hazard)


class TestKaplanMeierAsTheModel:
    @pytest.mark.parametrize("few", [0, quantile.FEW_PIECES])
    @pytest.mark.parametrize("last_is_event", [True, False])
    @pytest.mark.parametrize("whole", [True, False])
    def test_it_is_the_rule_kaplan_meier(self, few, last_is_event, whole, monkeypatch):
        monkeypatch.setattr(quantile, "FEW_PIECES", few)
        X, y = data(0)
        time, event = y.time, y.event.copy()
        time = np.ceil(time) if whole else time
        event[time == time.max()] = last_is_event
        y = Outcome(time=time, event=event)
        model = KaplanMeierModel().fit(X, y)
        post = [
            ConformalSurvival(
                Exponential().fit(X, y.to_structured()), censoring=rule
            ).conformalize(X, y)
            for rule in ("kaplan-meier", FromEstimator(model))
        ]
        assert_allclose(post[1].shifts_, post[0].shifts_, rtol=1e-9, atol=1e-9)

    def test_trained_along_it_is_that_of_the_training_set(self):
        X, y = data(1)
        options = {"conformal_set": "half", "random_state": 0}
        along = ConformalSurvival(
            Exponential(), censoring=FromEstimator(KaplanMeierModel()), **options
        ).fit(X, y)
        plain = ConformalSurvival(
            Exponential(), censoring="kaplan-meier", **options
        ).fit(X, y)
        assert_allclose(along.shifts_, plain.shifts_, rtol=1e-9, atol=1e-9)
        assert along.imputer_.kaplan_meier_ == along.kaplan_meier_


class TestFromEstimator:
    def test_it_is_from_curves_with_the_models_curves(self):
        X, y = data(0)
        model = Exponential().fit(X, y.to_structured())
        cox = CoxPHSurvivalAnalysis().fit(X, y.to_structured())
        post = ConformalSurvival(model, censoring=FromEstimator(cox)).conformalize(X, y)
        curves = SurvivalCurves.from_step_functions(cox.predict_survival_function(X))
        raw = SurvivalCurves(*model.predict_survival_function(X))
        q = raw.percentile_times(LEVELS)
        assert_allclose(
            post.shifts_, conformal_shifts(q, LEVELS, y, censoring=FromCurves(curves))
        )
        assert post.adjustment_.censoring == "FromEstimator(CoxPHSurvivalAnalysis)"

    def test_chunks_and_parts_do_not_show(self, monkeypatch):
        X, y = data(0)
        X_val, y_val = data(1, n=90)
        both = np.concatenate([X, X_val]), Outcome.concatenate([y, y_val])
        rule = FromEstimator(Exponential(slope=1.0).fit(X, y.to_structured()))
        post = ConformalSurvival(
            Exponential(), censoring=rule, conformal_set="train+validation"
        )
        expected = (
            ConformalSurvival(post.fit(X, y, X_val, y_val).estimator_, censoring=rule)
            .conformalize(*both)
            .shifts_
        )
        assert_allclose(post.shifts_, expected, rtol=1e-12)
        monkeypatch.setattr("consurv.conformal.reading.raw_model.CHUNK_ROWS", 7)
        assert_allclose(
            post.fit(X, y, X_val, y_val).shifts_, expected, rtol=1e-12, atol=1e-12
        )

    def test_a_fitted_model_is_used_as_it_is(self):
        X, y = data(0)
        model = Exponential().fit(X[:50], y[:50].to_structured())
        post = ConformalSurvival(Exponential(), censoring=FromEstimator(model))
        assert post.fit(X, y).imputer_ is model

    def test_an_unfitted_one_is_trained_on_the_training_rows(self):
        X, y = data(0)
        template = Exponential()
        post = ConformalSurvival(
            Exponential(), censoring=FromEstimator(template), conformal_set="half"
        ).fit(X, y)
        assert post.imputer_.n_ == 100
        assert not hasattr(template, "n_")
        # conformalize goes on with it.
        assert post.conformalize(*data(1)).imputer_.n_ == 100

    def test_conformalize_cannot_train_it(self):
        X, y = data(0)
        model = Exponential().fit(X, y.to_structured())
        post = ConformalSurvival(model, censoring=FromEstimator(Exponential()))
        with pytest.raises(NotConformalizedError, match="Exponential inside FromEst"):
            post.conformalize(X, y)

    def test_arrays_have_no_features(self):
        block = Block(np.ones((2, 1)), np.array([0.5]), Outcome([1, 2], [1, 0]))
        rule = FromEstimator(Exponential())
        with pytest.raises(InvalidInput, match=r"give FromCurves\(curves\)"):
            find_shifts([block], rule, np.random.default_rng(0))

    def test_the_fit_of_another_kind_leaves_no_imputer(self):
        X, y = data(0)
        post = ConformalSurvival(Exponential(), censoring=FromEstimator(Exponential()))
        assert hasattr(post.fit(X, y), "imputer_")
        post.set_params(censoring="kaplan-meier").fit(X, y)
        assert not hasattr(post, "imputer_")

    def test_it_helps_where_censoring_follows_the_covariates(self):
        # A right model, early censoring for long-lived subjects: the marginal curve
        # spoils it, the law of a model that knows the covariate does not.
        rng = np.random.default_rng(0)
        n = 3000
        x = rng.normal(size=(n, 1))
        scale = 10 * np.exp(x[:, 0])
        true, limit = rng.exponential(scale), rng.exponential(20 / np.exp(x[:, 0]))
        y = Outcome(time=np.minimum(true, limit), event=true <= limit)
        grid = np.geomspace(0.01, 500, 400)

        def right(X):
            return grid, np.exp(-grid / (10 * np.exp(X[:, :1])))

        q = SurvivalCurves(*right(x)).percentile_times(LEVELS)
        off = {}
        for name, rule in (("km", "kaplan-meier"), ("model", FromEstimator(right))):
            post = ConformalSurvival(right, censoring=rule).conformalize(x, y)
            reached = true[:, None] >= np.maximum(q - post.shifts_, 0)
            off[name] = np.mean((reached.mean(axis=0) - LEVELS) ** 2)
        assert off["model"] < off["km"] / 10


class TestScikitLearn:
    def test_parameters_reach_into_the_model(self):
        post = ConformalSurvival(Exponential(), censoring=FromEstimator(Exponential()))
        assert post.get_params()["censoring__estimator__slope"] == 0.5
        post.set_params(censoring__estimator__slope=2.0)
        assert post.censoring.estimator.slope == 2.0
        assert "FromEstimator(estimator=Exponential(slope=2.0))" in repr(post)

    def test_clones_forget_the_fit_unless_it_is_frozen(self):
        X, y = data(0)
        model = Exponential().fit(X, y.to_structured())
        copy = clone(ConformalSurvival(Exponential(), censoring=FromEstimator(model)))
        assert not copy.censoring.is_fitted()
        frozen = FromEstimator(FrozenEstimator(model))
        copy = clone(ConformalSurvival(Exponential(), censoring=frozen))
        assert copy.censoring.is_fitted()
        assert copy.fit(X, y).imputer_.n_ == 200

    def test_pickles(self):
        X, y = data(0)
        post = ConformalSurvival(
            Exponential(), censoring=FromEstimator(Exponential())
        ).fit(X, y)
        copy = pickle.loads(pickle.dumps(post))
        assert_array_equal(copy.predict(X), post.predict(X))
        assert copy.imputer_.n_ == 200

    def test_model_selection(self):
        X, y = data(0)
        post = ConformalSurvival(
            Exponential(), percentiles=3, censoring=FromEstimator(Exponential())
        )
        assert len(cross_val_score(post, X, y, cv=KFold(2))) == 2
        search = GridSearchCV(
            post, {"censoring": ["kaplan-meier", FromEstimator(Exponential())]}, cv=2
        )
        search.fit(X, y)
        assert "censoring" in search.best_params_

    def test_a_kaplan_meier_curve_is_not_needed_but_kept(self):
        X, y = data(0)
        post = ConformalSurvival(
            Exponential(), censoring=FromEstimator(Exponential())
        ).fit(X, y)
        assert post.kaplan_meier_ == KaplanMeier(y)
