"""A bound that was saved gives the same bounds once loaded."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from typer.testing import CliRunner

from consurv import ConformalLowerBound, ConformalSurvival, InvalidInput, Outcome, load
from consurv.bounds import METHODS
from consurv.cli.app import app
from consurv.errors import NotConformalizedError
from consurv.keep import read_manifest
from consurv.models import CoxPH, KaplanMeierModel

pytest.importorskip("skops")
pytestmark = pytest.mark.filterwarnings("ignore::consurv.errors.CalibrationWarning")


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 2)), columns=["age", "dose"])
    event = rng.exponential(10 * np.exp(X["age"]))
    limit = rng.exponential(30 * np.exp(X["dose"] / 2))
    return X, Outcome(np.minimum(event, limit), event <= limit), limit


def again(model, tmp_path, **how):
    model.save(tmp_path / "b.consurv", **how)
    return ConformalLowerBound.load(tmp_path / "b.consurv", **how)


def assert_same(found, model, X):
    for coverage in (None, 0.7):
        assert_array_equal(
            found.predict_lower_bound(X, coverage),
            model.predict_lower_bound(X, coverage),
        )
    assert found.weights_ == model.weights_
    assert found.follow_up_ == model.follow_up_


class TestRoundTrip:
    @pytest.mark.parametrize("method", METHODS)
    def test_every_method_gives_the_same_bounds(self, data, method, tmp_path):
        X, y, limit = data
        model = ConformalLowerBound(
            CoxPH().fit(X[:150], y[:150]), method=method, random_state=3
        )
        known = limit if METHODS[method].needs_limit else None
        model.conformalize(X, y, censoring_time=known)
        found = again(model, tmp_path)
        assert_same(found, model, X)
        assert found.method == method
        assert list(found.feature_names_in_) == ["age", "dose"]
        assert read_manifest(tmp_path / "b.consurv")["pickled"] == []

    def test_after_fit_with_an_event_model(self, data, tmp_path):
        X, y, _ = data
        model = ConformalLowerBound(
            CoxPH(),
            event_model=KaplanMeierModel(),
            censoring_model=CoxPH(),
            random_state=0,
        ).fit(X, y)
        found = again(model, tmp_path)
        assert_same(found, model, X)
        chosen = [m.screen(X, 4.0).selected for m in (found, model)]
        assert_array_equal(*chosen)

    def test_weights_of_those_who_calibrate(self, data, tmp_path):
        X, y, _ = data
        weight = np.random.default_rng(1).uniform(0, 2, 400)
        model = ConformalLowerBound(CoxPH(), random_state=0)
        model.fit(X, y, sample_weight=weight)
        found = again(model, tmp_path)
        bounds = [
            m.predict_lower_bound(X, sample_weight=weight) for m in (found, model)
        ]
        assert_array_equal(*bounds)

    def test_without_censoring(self, data, tmp_path):
        X, y, _ = data
        everybody = Outcome(y.time, np.ones(400))
        model = ConformalLowerBound(CoxPH(), random_state=0).fit(X, everybody)
        found = again(model, tmp_path)
        assert_same(found, model, X)
        assert found.censoring_model_ is None

    def test_what_was_loaded_can_be_saved_and_calibrated_again(self, data, tmp_path):
        X, y, _ = data
        model = ConformalLowerBound(CoxPH(), random_state=0).fit(X, y)
        found = again(again(model, tmp_path), tmp_path)
        assert_same(found, model, X)
        for one in (found, model):
            one.conformalize(X[:200], y[:200])
        assert_same(found, model, X)

    def test_another_coverage_of_the_parameters_is_kept_with_its_bound(
        self, data, tmp_path
    ):
        X, y, _ = data
        model = ConformalLowerBound(CoxPH(), coverage=0.8, random_state=0).fit(X, y)
        found = again(model, tmp_path)
        assert (found.coverage, found.bound_.coverage) == (0.8, 0.8)

    def test_no_features_of_rows_are_in_the_file(self, data, tmp_path):
        X, y, _ = data
        model = ConformalLowerBound(CoxPH(), random_state=0).fit(X, y)
        model.save(tmp_path / "b.consurv")
        content = (tmp_path / "b.consurv").read_bytes()
        assert not any(v.tobytes() in content for v in X["age"].to_numpy()[:50])


class TestRefusals:
    def test_a_bound_that_is_not_calibrated(self, tmp_path):
        with pytest.raises(NotConformalizedError, match="not calibrated yet"):
            ConformalLowerBound(CoxPH()).save(tmp_path / "b.consurv")

    def test_a_function_needs_trust(self, data, tmp_path):
        X, y, _ = data
        model = ConformalLowerBound(curves_of, random_state=0).conformalize(X, y)
        with pytest.raises(InvalidInput, match="can only be kept by pickle"):
            model.save(tmp_path / "b.consurv")
        assert_same(again(model, tmp_path, trust=True), model, X)
        with pytest.raises(InvalidInput, match="holds a pickle of curves_of"):
            ConformalLowerBound.load(tmp_path / "b.consurv")

    def test_files_of_the_other_class(self, data, tmp_path):
        X, y, _ = data
        bound = ConformalLowerBound(CoxPH(), random_state=0).fit(X, y)
        bound.save(tmp_path / "b.consurv")
        with pytest.raises(InvalidInput, match=r"it has ConformalLowerBound\.load"):
            load(tmp_path / "b.consurv")
        curves = ConformalSurvival(CoxPH(), conformal_set="half", random_state=0)
        curves.fit(X, y).save(tmp_path / "m.consurv")
        with pytest.raises(InvalidInput, match=r"consurv\.load reads"):
            ConformalLowerBound.load(tmp_path / "m.consurv")

    def test_a_damaged_file(self, data, tmp_path):
        X, y, _ = data
        path = tmp_path / "b.consurv"
        ConformalLowerBound(CoxPH(), random_state=0).fit(X, y).save(path)
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        with pytest.raises(InvalidInput, match="is damaged or not a model"):
            ConformalLowerBound.load(path)

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            ({"sample": None}, "no sample or no bound"),
            ({"bound": 0.5}, "no sample or no bound"),
            ({"models": {}}, "what no bound sets"),
            ({"seen": {"predict_lower_bound": 1}}, "what no bound sets"),
        ],
    )
    def test_states_that_are_no_bound(self, data, tmp_path, change, why):
        X, y, _ = data
        model = ConformalLowerBound(CoxPH(), random_state=0).fit(X, y)
        state = {**model.to_kept(), **change}
        with pytest.raises(ValueError, match=why):
            ConformalLowerBound.from_kept(state)

    def test_samples_whose_parts_do_not_fit(self, data):
        X, y, _ = data
        model = ConformalLowerBound(CoxPH(), random_state=0).fit(X, y)
        sample = model._sample
        kind, state = type(sample), sample.to_kept()
        with pytest.raises(ValueError, match="different lengths"):
            kind.from_kept({**state, "limit": np.ones(3)})
        with pytest.raises(ValueError, match="no outcomes or no curves"):
            kind.from_kept({**state, "model": np.ones(len(sample))})


def test_info_tells_what_it_is(data, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    X, y, _ = data
    path = tmp_path / "b.consurv"
    model = ConformalLowerBound(CoxPH(), random_state=0).fit(X, y)
    model.save(path)
    shown = CliRunner().invoke(app, ["info", str(path)]).stdout
    assert "kaplan-meier, 0.9 covered" in shown
    size = model.weights_.effective_sample_size
    assert f"200, effective sample size {size:.1f}" in shown
    assert "NeighbourForest" in shown


def curves_of(X):
    times = np.linspace(0.1, 80, 200)
    return times, np.exp(-times / (12 * np.exp(np.asarray(X)[:, :1])))
