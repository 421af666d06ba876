"""pycox models as objects, against what pycox says of its curves."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from consurv import ConformalSurvival, InvalidInput
from consurv.adapters import adapter_for
from consurv.curves.representations import Proportional, Table

torch = pytest.importorskip("torch")
models = pytest.importorskip("pycox.models")
CUTS = np.array([0.0, 3.0, 7.0, 12.0, 30.0])


def net(outputs):
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Linear(3, 6), torch.nn.Dropout(0.5), torch.nn.Linear(6, outputs)
    )


def curves_of(model, X):
    return adapter_for(model).curves(model, X)


def single(X):
    return X.astype(np.float32)


class TestCox:
    def cox(self, small):
        model = models.CoxPH(net(1))
        target = small.y.time.astype(np.float32), small.y.event.astype(np.float32)
        model.training_data = None
        model.compute_baseline_hazards(single(small.X), target)
        return model

    def test_is_held_as_risks_and_says_what_pycox_says(self, small):
        model = self.cox(small)
        curves = curves_of(model, small.X)
        assert isinstance(curves._form, Proportional)
        theirs = model.predict_surv_df(single(small.X))
        found = curves.survival_at(theirs.index.to_numpy())
        assert_allclose(found, theirs.to_numpy().T, atol=1e-6)

    def test_of_another_kind_of_prediction_is_a_table(self, small):
        model = self.cox(small)
        inner = model.predict_surv_df
        model.predict_surv_df = lambda x: inner(x) ** 2
        curves = curves_of(model, small.X)
        assert isinstance(curves._form, Table)
        assert curves.interpolation == "step"

    def test_without_a_baseline_is_refused_with_the_call(self, small):
        with pytest.raises(InvalidInput, match=r"compute_baseline_hazards\(\)"):
            curves_of(models.CoxPH(net(1)), small.X)


class TestDiscrete:
    @pytest.mark.parametrize("name", ["LogisticHazard", "PMF", "MTLR", "DeepHitSingle"])
    def test_lines_are_pycoxs_constant_density(self, small, name):
        model = getattr(models, name)(net(5), duration_index=CUTS)
        curves = curves_of(model, small.X)
        theirs = model.interpolate(4).predict_surv_df(single(small.X))
        found = curves.survival_at(theirs.index.to_numpy())
        # In pycox curves start below 1 at the first cut, time 0.
        later = theirs.index.to_numpy() > 0
        assert_allclose(found[:, later], theirs.to_numpy().T[:, later], atol=1e-5)
        finer = curves_of(model.interpolate(4), small.X)
        assert_allclose(finer.median(), curves.median(), rtol=1e-4)

    def test_a_network_that_is_sure_of_survival_does_not_rise(self, small):
        model = models.LogisticHazard(net(60), duration_index=np.arange(60.0))
        with torch.no_grad():
            model.net[-1].bias -= 40.0
        theirs = model.predict_surv_df(single(small.X)).to_numpy()
        assert theirs.max() > 1 + 1e-6  # by rounding and a guard against log 0
        curves = curves_of(model, small.X)
        assert_allclose(curves.survival_at([59.0]), 1.0)

    def test_curves_that_rise_by_more_are_refused(self, small):
        model = models.LogisticHazard(net(5), duration_index=CUTS)
        inner = model.predict_surv_df
        model.predict_surv_df = lambda x: inner(x)[::-1].set_axis(CUTS)
        with pytest.raises(InvalidInput, match="ris"):
            curves_of(model, small.X)

    def test_numbered_times_are_refused_with_the_way_out(self, small):
        with pytest.raises(InvalidInput, match=r"duration_index = labtrans\.cuts"):
            curves_of(models.PMF(net(5)), small.X)

    def test_dropout_is_off_and_the_mode_comes_back(self, small):
        model = models.PMF(net(5), duration_index=CUTS)
        model.net.train()
        first, second = (curves_of(model, small.X).median() for _ in range(2))
        assert_allclose(first, second, rtol=0)
        assert model.net.training


def test_is_not_trained_here(small):
    model = models.PMF(net(5), duration_index=CUTS)
    with pytest.raises(InvalidInput, match="PMF is trained by pycox; use conformalize"):
        ConformalSurvival(model).fit(small.X, small.y)


def test_what_gives_no_curves_is_refused(small):
    model = type("Ranker", (), {"__module__": "pycox.models.ranker"})()
    with pytest.raises(InvalidInput, match="gives no survival curves; give one with"):
        curves_of(model, small.X)
