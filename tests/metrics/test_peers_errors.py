"""Errors and weighted rankings next to SurvivalEVAL, scikit-survival and pycox.

Where definitions agree the numbers agree to 1e-8; each difference of definition is
pinned. The data hold ties between events and censorings, 45 % censored.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from consurv.curves.curves import SurvivalCurves
from consurv.datasets import load_dataset
from consurv.metrics import (
    CensoringCurve,
    antolini_concordance_index,
    brier_score,
    integrated_brier_score,
    mae_hinge,
    mae_margin,
    mae_po,
    uno_concordance_index,
)
from consurv.outcome import Outcome

with warnings.catch_warnings():  # deprecations inside the peers are not ours
    warnings.simplefilter("ignore")
    evaluator = pytest.importorskip("SurvivalEVAL").SurvivalEvaluator
    pycox = pytest.importorskip("pycox.evaluation")
    pycox_utils = pytest.importorskip("pycox.utils")
    lifelines = pytest.importorskip("lifelines")
    sksurv_metrics = pytest.importorskip("sksurv.metrics")
    sksurv_nonparametric = pytest.importorskip("sksurv.nonparametric")

RTOL = 1e-8


class Data:
    """Outcomes of a test and a training sample, and curves on a shared grid."""

    def __init__(self, y, train, grid, survival):
        self.y, self.train, self.grid, self.survival = y, train, grid, survival
        self.curves = SurvivalCurves(grid, survival)
        self.own = SurvivalCurves(np.tile(grid, (len(y), 1)), survival)
        inside = (grid > y.time.min()) & (grid < min(y.time.max(), train.time.max()))
        self.inside = np.flatnonzero(inside)

    @property
    def times(self):
        return self.grid[self.inside]

    def survivaleval(self):
        y, train = self.y, self.train
        return evaluator(
            self.survival, self.grid, y.time, y.event, train.time, train.event
        )

    def pycox(self):
        frame = pd.DataFrame(self.survival.T, index=self.grid)
        return pycox.EvalSurv(
            frame, self.y.time, self.y.event.astype(int), censor_surv="km"
        )


def simulated(seed, unit):
    rng = np.random.default_rng(seed)

    def sample(n):
        scale = np.exp(rng.normal(2, 0.6, n))
        time, censoring = rng.exponential(scale), rng.exponential(1.2 * scale)
        observed = np.minimum(time, censoring)
        observed = np.ceil(observed / unit) * unit if unit else observed
        return Outcome(observed, time <= censoring), scale

    y, scale = sample(300)
    train, _ = sample(600)
    grid = np.linspace(0.1, 60.1, 61)  # outcomes lie between the nodes
    return Data(y, train, grid, np.exp(-grid / scale[:, None]))


def real(name, feature, scale):
    """Half of a real dataset against the other, with a model of one feature."""
    data = load_dataset(name)
    y, half = Outcome.of(data.y), np.arange(len(data.y)) % 2 == 0
    scale = scale(data.X[feature].to_numpy(dtype=float)[half])
    # Between whole days and months: no outcome lies at a node.
    grid = np.linspace(0.123, 0.93 * y.time.max() + 0.123, 80)
    return Data(y[half], y[~half], grid, np.exp(-grid / scale[:, None]))


DATASETS = {
    "continuous": lambda: simulated(0, None),
    "ties": lambda: simulated(1, 2.0),
    "fine ties": lambda: simulated(2, 0.25),
    "GBSG": lambda: real("GBSG", "nodes", lambda nodes: 110 / (1 + 0.1 * nodes)),
    "VALCT": lambda: real("VALCT", "karno", lambda karno: 3 * karno),
}


@pytest.fixture(params=DATASETS)
def data(request):
    return DATASETS[request.param]()


@pytest.fixture
def ties():
    return DATASETS["ties"]()


def relative(ours, theirs):
    return abs(float(ours) / float(theirs) - 1)


class TestCensoringCurve:
    def test_equals_scikit_survival_with_reverse(self, data):
        y = data.train
        times, probability = sksurv_nonparametric.kaplan_meier_estimator(
            y.event, y.time, reverse=True
        )
        ours = CensoringCurve(y).survival_at(times)
        np.testing.assert_allclose(ours, probability, rtol=1e-12, atol=1e-15)

    def test_lifelines_and_pycox_do_not_remove_tied_events_first(self, ties):
        y = ties.train
        fitter = lifelines.KaplanMeierFitter().fit(y.time, ~y.event)
        times = np.unique(y.time)
        theirs = fitter.survival_function_at_times(times).to_numpy()
        pycox_curve = pycox_utils.kaplan_meier(y.time, (~y.event).astype(int))
        np.testing.assert_allclose(pycox_curve.loc[times], theirs, atol=1e-12)
        difference = theirs - CensoringCurve(y).survival_at(times)
        assert 0.02 < difference.max() < 0.2
        assert difference.min() > -1e-12

    def test_without_ties_all_agree(self):
        y = DATASETS["continuous"]().train
        fitter = lifelines.KaplanMeierFitter().fit(y.time, ~y.event)
        theirs = fitter.survival_function_at_times(y.time).to_numpy()
        np.testing.assert_allclose(
            CensoringCurve(y).survival_at(y.time), theirs, atol=1e-12
        )


class TestBrierScore:
    @pytest.mark.parametrize("form", ["curves", "own"])
    def test_equals_survivaleval_with_the_left_limit(self, data, form):
        theirs = data.survivaleval().brier_score_multiple_points(data.times)
        ours = brier_score(data.y, getattr(data, form), data.times, y_train=data.train)
        np.testing.assert_allclose(ours.scores, theirs, rtol=RTOL)

    def test_integrated_equals_survivaleval_on_given_times(self, data):
        theirs = data.survivaleval().integrated_brier_score(target_times=data.times)
        ours = integrated_brier_score(
            data.y, data.curves, times=data.times, y_train=data.train
        )
        assert relative(ours, theirs) < RTOL

    def test_equals_scikit_survival_with_the_right_limit(self, data):
        # It refuses subjects past the training outcomes, who need no weight.
        known = data.y.time < data.train.time.max()
        y, survival = data.y[known], data.survival[np.ix_(known, data.inside)]
        theirs = sksurv_metrics.integrated_brier_score(
            data.train.to_structured(), y.to_structured(), survival, data.times
        )
        options = {"times": data.times, "y_train": data.train}
        curves = data.curves[known]
        right = integrated_brier_score(y, curves, weights="right", **options)
        assert relative(right, theirs) < RTOL

    def test_the_two_limits_differ_by_percents_with_ties(self, ties):
        options = {"times": ties.times[:20], "y_train": ties.train}
        left = integrated_brier_score(ties.y, ties.curves, **options)
        right = integrated_brier_score(ties.y, ties.curves, weights="right", **options)
        assert 1.005 < float(right) / float(left) < 1.15

    def test_the_two_limits_are_equal_without(self):
        data = DATASETS["continuous"]()
        options = {"times": data.times, "y_train": data.train}
        left = integrated_brier_score(data.y, data.curves, **options)
        right = integrated_brier_score(data.y, data.curves, weights="right", **options)
        assert relative(left, right) < 1e-12

    def test_survivaleval_counts_censorings_at_the_time_as_alive(self, ties):
        # Both are consistent: 1(t_i > t) / G(t), or those censored at t as well and
        # 1 / G(t⁻). They differ at times at which somebody is censored.
        times = np.arange(4.0, 30, 2)
        theirs = ties.survivaleval().brier_score_multiple_points(times)
        ours = brier_score(ties.y, ties.curves, times, y_train=ties.train).scores
        assert np.abs(ours / theirs - 1).max() > 0.01
        y, g = ties.y, CensoringCurve(ties.train)
        alive = (y.time[:, None] > times) | (
            (y.time[:, None] == times) & ~y.event[:, None]
        )
        dead = (y.time[:, None] <= times) & y.event[:, None]
        survival = ties.curves.survival_at(times)
        wanted = (
            alive * (1 - survival) ** 2 / g.survival_before(times)
            + dead
            * survival**2
            / np.where(y.event, g.survival_before(y.time), 1)[:, None]
        ).mean(axis=0)
        np.testing.assert_allclose(theirs, wanted, rtol=RTOL)

    def test_the_default_grid_of_survivaleval_is_another_window(self):
        data = DATASETS["continuous"]()
        theirs = data.survivaleval().integrated_brier_score()
        usual = integrated_brier_score(data.y, data.curves, y_train=data.train)
        assert relative(usual, theirs) > 0.01

    def test_equals_the_number_of_points_of_survivaleval_on_one_window(self):
        # Its grid ends at the last time of both samples; here that is ours, too.
        data = DATASETS["continuous"]()
        last = data.train.time.max() * 1.01
        data.y = Outcome(np.append(data.y.time, last), np.append(data.y.event, True))
        data.train = Outcome(
            np.append(data.train.time, last), np.append(data.train.event, True)
        )
        data.survival = np.vstack([data.survival, data.survival[:1]])
        ours = integrated_brier_score(
            data.y, SurvivalCurves(data.grid, data.survival), y_train=data.train
        )
        theirs = data.survivaleval().integrated_brier_score(num_points=100)
        assert relative(ours, theirs) < RTOL

    @pytest.mark.slow  # numba compiles
    def test_equals_pycox_without_ties(self):
        # It has no training outcomes, and divides the weights by their sum, which is
        # n where G comes from the outcomes themselves.
        data = DATASETS["continuous"]()
        theirs = data.pycox().brier_score(data.times[:30]).to_numpy()
        ours = brier_score(data.y, data.curves, data.times[:30]).scores
        np.testing.assert_allclose(ours, theirs, rtol=RTOL)

    @pytest.mark.slow  # numba compiles
    def test_pycox_differs_with_ties_because_its_censoring_curve_does(self, ties):
        theirs = ties.pycox().brier_score(ties.times[:20]).to_numpy()
        ours = brier_score(ties.y, ties.curves, ties.times[:20]).scores
        assert 1e-3 < np.abs(ours / theirs - 1).max() < 0.3

    @pytest.mark.slow  # numba compiles
    def test_without_censoring_pycox_agrees(self):
        data = DATASETS["continuous"]()
        data.y = Outcome(data.y.time, np.ones(len(data.y)))
        theirs = data.pycox().brier_score(data.times[:12]).to_numpy()
        ours = brier_score(data.y, data.curves, data.times[:12]).scores
        np.testing.assert_allclose(ours, theirs, rtol=RTOL)


class TestMeanAbsoluteError:
    @pytest.mark.parametrize("form", ["curves", "own"])
    @pytest.mark.parametrize(
        ("metric", "method", "options"),
        [
            (mae_po, "Pseudo_obs", {"area": "trapezoid"}),
            (mae_margin, "Margin", {"area": "trapezoid"}),
        ],
    )
    def test_equals_survivaleval_by_trapezoids(
        self, data, form, metric, method, options
    ):
        for weighted in (True, False):
            theirs = data.survivaleval().mae(method, weighted=weighted)
            ours = metric(
                data.y,
                getattr(data, form),
                y_train=data.train,
                weighted=weighted,
                **options,
            )
            assert relative(ours, theirs) < RTOL

    def test_hinge_equals_survivaleval(self, data):
        theirs = data.survivaleval().mae("Hinge")
        assert relative(mae_hinge(data.y, data.curves), theirs) < RTOL

    def test_bounded_times_equal_survivaleval(self, data):
        tau = float(np.quantile(data.y.time, 0.6))
        theirs = data.survivaleval().mae("Pseudo_obs", truncated_time=tau)
        ours = mae_po(
            data.y, data.curves, y_train=data.train, tau=tau, area="trapezoid"
        )
        assert relative(ours, theirs) < RTOL

    @pytest.mark.parametrize(("name", "most"), [("continuous", 0.15), ("ties", 0.1)])
    def test_the_area_below_the_steps_gives_another_error(self, name, most):
        data = DATASETS[name]()
        theirs = data.survivaleval().mae("Pseudo_obs")
        ours = mae_po(data.y, data.curves, y_train=data.train)
        assert 1e-3 < relative(ours, theirs) < most

    def test_the_step_area_is_the_mean_that_lifelines_finds(self):
        # Uncensored at the end, so that no tail is drawn by either.
        data = DATASETS["ties"]()
        last = data.train.time.max() + 1
        y = Outcome(np.append(data.train.time, last), np.append(data.train.event, True))
        fitter = lifelines.KaplanMeierFitter().fit(y.time, y.event)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mean = lifelines.utils.restricted_mean_survival_time(fitter, t=last)
        at_once = Outcome([1e-9, 1.0], [0, 1])  # learns nothing: E[T | T > 0]
        curves = SurvivalCurves([1.0], [[0.5], [0.5]])
        result = mae_margin(at_once, curves, y_train=y)
        assert result.targets[0] == pytest.approx(mean, rel=1e-9)


class TestUnoConcordanceIndex:
    @pytest.mark.parametrize("share", [None, 0.7])
    def test_equals_scikit_survival(self, data, share):
        known = data.y.time < data.train.time.max()
        y, curves = data.y[known], data.curves[known]
        tau = None if share is None else float(np.quantile(y.time, share))
        theirs = sksurv_metrics.concordance_index_ipcw(
            data.train.to_structured(), y.to_structured(), -curves.median(), tau
        )[0]
        ours = uno_concordance_index(y, curves, y_train=data.train, tau=tau)
        assert relative(ours, theirs) < RTOL

    def test_the_left_limit_differs_with_ties(self, ties):
        known = ties.y.time < ties.train.time.max()
        y, curves = ties.y[known], ties.curves[known]
        right = uno_concordance_index(y, curves, y_train=ties.train)
        left = uno_concordance_index(y, curves, y_train=ties.train, weights="left")
        assert 1e-4 < relative(left, right) < 0.05


class TestAntoliniConcordanceIndex:
    @pytest.mark.parametrize("form", ["curves", "own"])
    def test_equals_survivaleval(self, data, form):
        value, concordant, _ = data.survivaleval().concordance_time_dependent()
        ours = antolini_concordance_index(data.y, getattr(data, form))
        assert relative(ours, value) < RTOL
        assert ours.n_concordant + ours.n_tied / 2 == concordant

    @pytest.mark.slow  # numba compiles
    def test_equals_pycox_where_it_looks_at_its_grid(self):
        # pycox takes the value at the last node before the time: steps.
        data = DATASETS["continuous"]()
        steps = SurvivalCurves(data.grid, data.survival, "step")
        inside = data.y.time < data.grid[-1]
        y, curves = data.y[inside], steps[inside]
        frame = pd.DataFrame(curves.survival.T, index=curves.times)
        theirs = pycox.EvalSurv(frame, y.time, y.event.astype(int)).concordance_td(
            "antolini"
        )
        ours = antolini_concordance_index(y, curves, tied_risks="discordant")
        assert float(ours) == pytest.approx(theirs, rel=1e-12)
