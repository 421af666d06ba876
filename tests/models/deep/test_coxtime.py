"""CoxTime: the loss, the controls, the baseline and the model."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch.autograd import gradcheck

from consurv.errors import CalibrationWarning, InvalidInput
from consurv.models.deep import coxtime
from consurv.models.deep.coxtime import CoxTime
from consurv.models.deep.losses.case_control import case_control_loss, draw_controls
from consurv.models.deep.time_risks import TimeNetwork, breslow_increments
from consurv.outcome import Outcome

torch.set_num_threads(1)


def log_risks(m=7, c=3, seed=0):
    rng = np.random.default_rng(seed)
    case = torch.tensor(rng.normal(size=m))
    return case, torch.tensor(rng.normal(size=(m, c)))


class TestLoss:
    def test_is_that_of_a_loop_over_events(self):
        case, controls = log_risks()
        terms = [
            np.log(1 + sum(np.exp(g - case[i].item()) for g in controls[i].tolist()))
            for i in range(len(case))
        ]
        assert_allclose(float(case_control_loss(case, controls)), np.mean(terms))

    @pytest.mark.parametrize("n_controls", [1, 4])
    def test_is_that_of_pycox(self, n_controls):
        oracle = pytest.importorskip("pycox.models.loss").cox_cc_loss
        case, controls = log_risks(c=n_controls)
        expected = oracle(case, list(controls.T))
        found = case_control_loss(case, controls)
        assert_allclose(float(found), float(expected), rtol=1e-12)

    def test_does_not_overflow(self):
        loss = case_control_loss(torch.zeros(1), torch.full((1, 1), 1000.0))
        assert float(loss) == 1000

    def test_gradients_are_right(self):
        case, controls = log_risks()
        inputs = (case.requires_grad_(), controls.requires_grad_())
        assert gradcheck(case_control_loss, inputs)


class TestControls:
    def test_are_drawn_evenly_from_those_at_risk(self):
        torch.manual_seed(0)
        drawn = draw_controls(torch.tensor([0, 2, 4]), n=5, n_controls=20_000)
        for column, at_risk in zip(
            drawn.T, ([0, 1, 2, 3, 4], [2, 3, 4], [4]), strict=True
        ):
            rows, counts = np.unique(column.numpy(), return_counts=True)
            assert rows.tolist() == at_risk
            assert_allclose(counts / 20_000, 1 / len(at_risk), atol=0.02)

    def test_tied_subjects_are_at_risk(self):
        model = CoxTime()
        y = Outcome(time=[1, 2, 2, 3], event=[1, 0, 1, 1])
        model._prepare(y)
        targets = model._batch((np.zeros((4, 1), np.float32), y))
        assert targets["first"].tolist() == [0, 1, 3]
        assert targets["row"].tolist() == [0, 2, 3]  # a row per event


class TestNetwork:
    @pytest.mark.parametrize("hidden", [(), (6,), (8, 4)])
    def test_the_grid_is_the_network_at_every_pair(self, hidden):
        torch.manual_seed(0)
        network = TimeNetwork(3, hidden, 0.4)
        network(torch.randn(30, 3), torch.randn(30))  # moves the batch norm
        network.eval()
        x, times = torch.randn(11, 3), torch.randn(4)
        with torch.no_grad():
            grid = network.on_grid(x, times)
            for k, t in enumerate(times):
                assert_allclose(grid[:, k], network(x, t.expand(11)), rtol=1e-4)

    @pytest.mark.parametrize("k", [4, 40])
    def test_chosen_rows_are_those_of_the_whole(self, k):
        torch.manual_seed(0)
        network, x = TimeNetwork(3, (8,), 0.4).eval(), torch.randn(11, 3)
        rows, time = torch.randint(0, 11, (k,)), torch.randn(k)
        with torch.no_grad():
            found = network(x, time, rows)
            assert_allclose(found, network(x[rows], time), rtol=1e-5, atol=1e-6)

    def test_the_grid_does_not_depend_on_the_blocks(self, monkeypatch):
        torch.manual_seed(0)
        network, x = TimeNetwork(3, (8,), 0.4).eval(), torch.randn(11, 3)
        with torch.no_grad():
            whole = network.on_grid(x, torch.arange(4.0))
            monkeypatch.setattr("consurv.models.deep.time_risks._UNITS_AT_ONCE", 64)
            assert_allclose(network.on_grid(x, torch.arange(4.0)), whole, rtol=1e-5)


def naive_increments(g, y):
    times = np.unique(y.time[y.event])
    gained = [
        (y.event & (y.time == t)).sum()
        / sum(
            np.exp(g(0, np.array([t]))[j, 0]) for j in range(len(y)) if y.time[j] >= t
        )
        for t in times
    ]
    return times, gained


class TestBaseline:
    @pytest.fixture
    def tied(self):
        rng = np.random.default_rng(3)
        time = np.sort(rng.integers(1, 60, 150))
        return Outcome(time=time, event=rng.random(150) < 0.6)

    def test_is_that_of_a_loop_over_times_and_subjects(self, tied):
        slope = np.random.default_rng(4).normal(size=150)

        def g(first, times):
            return np.outer(slope[first:], np.log(times))

        times, found = breslow_increments(g, tied, max_times=100)
        expected_times, expected = naive_increments(g, tied)
        assert_allclose(times, expected_times)
        assert_allclose(found, expected, rtol=1e-12)

    def test_without_an_effect_is_nelson_aalen(self, tied):
        oracle = pytest.importorskip("lifelines").NelsonAalenFitter(
            nelson_aalen_smoothing=False
        )
        oracle.fit(tied.time, tied.event)
        times, found = breslow_increments(
            lambda first, times: np.zeros((150 - first, len(times))),
            tied,
            max_times=100,
        )
        expected = oracle.cumulative_hazard_at_times(times).to_numpy()
        assert_allclose(np.cumsum(found), expected, rtol=1e-10)

    def test_grouped_times_keep_the_total(self, tied):
        def flat(first, times):
            return np.zeros((150 - first, len(times)))

        _, fine = breslow_increments(flat, tied, max_times=1000)
        times, coarse = breslow_increments(flat, tied, max_times=5)
        assert len(times) == 5
        assert times[-1] == tied.time[tied.event].max()
        assert_allclose(coarse.sum(), fine.sum(), rtol=1e-12)

    def test_a_sample_of_subjects_is_enough(self, small, monkeypatch):
        X, y = small
        whole = CoxTime(max_epochs=3, random_state=0).fit(X, y)
        monkeypatch.setattr(coxtime, "_MAX_SUBJECTS", 60)
        part = CoxTime(max_epochs=3, random_state=0).fit(X, y)
        assert len(part.times_) < len(whole.times_)
        at = [5.0, 10.0]
        first = whole.predict_survival_function(X).survival_at(at)
        second = part.predict_survival_function(X).survival_at(at)
        assert_allclose(first.mean(axis=0), second.mean(axis=0), atol=0.08)


class TestModel:
    def test_curves_step_at_event_times(self, small):
        X, y = small
        model = CoxTime(max_epochs=3, random_state=0).fit(X, y)
        curves = model.predict_survival_function(X[:4])
        assert curves.interpolation == "step"
        assert np.isin(model.times_, y.time[y.event]).all()

    def test_keeps_no_training_data(self, small):
        X, y = small
        model = CoxTime(max_epochs=2, random_state=0).fit(X, y)
        assert "_at_risk" not in vars(model)

    def test_the_order_of_rows_of_the_validation_set_does_not_matter(self, small):
        X, y = small
        back = np.arange(39, -1, -1)
        fitted = [
            CoxTime(max_epochs=3, random_state=0).fit(X, y, X[rows], y[rows])
            for rows in (np.arange(40), back)
        ]
        first, second = (m.history_.validation_loss for m in fitted)
        assert_allclose(first, second, rtol=1e-6)

    def test_the_unit_of_time_does_not_matter(self, small):
        X, y = small
        fitted = [
            CoxTime(max_epochs=3, random_state=0).fit(
                X, Outcome(time=y.time * unit, event=y.event)
            )
            for unit in (1.0, 2.0**20)
        ]
        first, second = (m.predict_survival_function(X) for m in fitted)
        assert_allclose(first.survival, second.survival, rtol=1e-6)
        assert_allclose(first.times * 2.0**20, second.times)

    def test_the_validation_loss_is_near_its_mean_over_all_controls(self, small):
        X, y = small
        order = np.argsort(y.time)[:30]
        X, y = X[order], y[order]
        model = CoxTime()
        model._prepare(y)
        torch.manual_seed(0)
        network = model._network(X.shape[1]).eval()
        model._at_risk = {False: torch.from_numpy(X)}
        with torch.no_grad():
            found = float(model._loss(network, model._batch((X, y))))
            g = network.on_grid(torch.from_numpy(X), model._scaled(y.time)).numpy()
        terms = [
            np.mean([np.log1p(np.exp(g[j, i] - g[i, i])) for j in range(i, 30)])
            for i in np.flatnonzero(y.event)
        ]
        assert_allclose(found, np.mean(terms), rtol=0.01)

    def test_more_controls_are_taken(self, small):
        X, y = small
        model = CoxTime(n_controls=4, max_epochs=2, random_state=0).fit(X, y)
        assert model.history_.training_loss[0] > np.log(3)

    def test_one_event_is_refused(self):
        y = Outcome(time=np.arange(1, 13), event=[1] + [0] * 11)
        with pytest.raises(InvalidInput, match="single"):
            CoxTime().fit(np.zeros((12, 1)), y, np.zeros((12, 1)), y)

    def test_a_validation_set_without_events_counts_nothing(self, small):
        X, y = small
        held = np.flatnonzero(~y.event)[:5]
        with pytest.warns(CalibrationWarning, match="validation set"):
            model = CoxTime(max_epochs=2, random_state=0).fit(X, y, X[held], y[held])
        assert_allclose(model.history_.validation_loss, 0)

    def test_refuses_bad_parameters(self, small):
        with pytest.raises(InvalidInput, match="n_controls"):
            CoxTime(n_controls=0).fit(*small)

    @pytest.mark.slow
    def test_learns_a_simulated_effect(self, learns):
        learns(CoxTime(random_state=0))

    @pytest.mark.slow
    def test_learns_hazards_that_cross(self):
        rng = np.random.default_rng(5)
        x = rng.random(4000) < 0.5
        shape = np.where(x, 3.0, 0.8)
        y = Outcome(time=rng.weibull(shape), event=np.ones(4000))
        X = x[:, None].astype(float)
        curves = (
            CoxTime(random_state=0).fit(X, y).predict_survival_function([[0.0], [1.0]])
        )
        at = np.array([0.3, 0.7, 1.5])
        truth = np.exp(-(at ** np.array([[0.8], [3.0]])))
        assert_allclose(curves.survival_at(at), truth, atol=0.08)

    @pytest.mark.slow
    def test_works_where_features_outnumber_subjects(self, wide):
        X, y = wide
        assert CoxTime(max_epochs=5, random_state=0).fit(X, y).score(X, y) > 0.6

    @pytest.mark.slow
    def test_ranks_gbsg(self, gbsg):
        train, test = gbsg
        assert CoxTime(random_state=0).fit(*train).score(*test) >= 0.65
