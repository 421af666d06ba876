import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv import ConformalSurvival, InvalidInput, NotConformalizedError, Outcome
from consurv.conformal.reading import raw_model as reading
from consurv.metrics import evaluate
from consurv.report import predictions
from consurv.report.predictions import predict_both


@pytest.fixture
def model(simulate, stretched_model):
    return ConformalSurvival(stretched_model).conformalize(*simulate(300))


class TestPredictBoth:
    def test_gives_the_curves_of_the_model_and_the_calibrated_ones(
        self, model, simulate, stretched_model
    ):
        X, y = simulate(50, 1)
        both = predict_both(model, X, y)
        times, survival = stretched_model(X)
        assert_array_equal(both.raw.survival_at(times), survival)
        expected = model.predict_survival_function(X)
        assert_array_equal(both.calibrated.times, expected.times)
        assert both.n_times is None

    def test_does_not_depend_on_the_size_of_chunks(self, model, simulate, monkeypatch):
        X, y = simulate(50, 1)
        whole = predict_both(model, X, y)
        monkeypatch.setattr(reading, "CHUNK_ROWS", 7)
        parts = predict_both(model, X, y)
        assert_array_equal(parts.raw.survival, whole.raw.survival)
        assert_array_equal(parts.raw.times, whole.raw.times)
        assert parts.n_extrapolated == whole.n_extrapolated

    def test_takes_lists(self, model, simulate):
        X, y = simulate(20, 1)
        both = predict_both(model, X.tolist(), y)
        assert len(both.raw) == len(both.calibrated) == 20

    def test_joins_grids_of_subjects(self, simulate, monkeypatch):
        def own_grids(X):
            times = np.exp(X) * np.linspace(0.2, 100, 50)
            return times, np.exp(-times / (10 * np.exp(X)))

        X, y = simulate(60)
        model = ConformalSurvival(own_grids).conformalize(X, y)
        whole = predict_both(model, X, y)
        monkeypatch.setattr(reading, "CHUNK_ROWS", 25)
        parts = predict_both(model, X, y)
        assert parts.n_times is None
        assert_array_equal(parts.raw.times, whole.raw.times)

    def test_reads_grids_that_differ_between_chunks_at_common_times(
        self, simulate, monkeypatch
    ):
        def changing(X):
            times = np.linspace(0.2, 100, 200 + len(X))
            return times, np.exp(-times / (10 * np.exp(X)))

        X, y = simulate(60)
        model = ConformalSurvival(changing).conformalize(X, y)
        monkeypatch.setattr(reading, "CHUNK_ROWS", 25)
        both = predict_both(model, X, y)
        assert both.n_times == both.raw.times.size
        exact = np.exp(-y.time / (10 * np.exp(X[:, 0])))
        assert_allclose(both.raw.survival_at_observed(y.time), exact, atol=0.002)


class TestLongCurves:
    def test_are_shortened_without_changing_the_metrics_much(
        self, model, simulate, monkeypatch
    ):
        X, y = simulate(400, 1)
        whole = evaluate(y, predict_both(model, X, y).raw).as_dict()
        monkeypatch.setattr(predictions, "MAX_VALUES", 400 * 120)
        monkeypatch.setattr(reading, "CHUNK_ROWS", 150)
        both = predict_both(model, X, y)
        assert 100 <= both.n_times <= 120
        shortened = evaluate(y, both.raw).as_dict()
        assert_allclose(list(shortened.values()), list(whole.values()), rtol=0.005)

    def test_keep_their_tails(self, model, simulate, monkeypatch):
        X, y = simulate(100, 1)
        whole = predict_both(model, X, y)
        monkeypatch.setattr(predictions, "MAX_VALUES", 100)
        both = predict_both(model, X, y)
        late = [150.0, 199.0, 250.0]
        assert_allclose(
            both.raw.survival_at(late), whole.raw.survival_at(late), atol=0.002
        )


class TestCounts:
    def test_name_curves_that_end_above_the_lowest_level(self, simulate):
        def short(X):  # rows with X > 0 end at 0.2, the others at 0.01
            end = np.where(X[:, :1] > 0, 0.2, 0.01)
            return [10.0, 20.0], np.hstack([(1 + end) / 2, end])

        X, y = simulate(100)
        model = ConformalSurvival(short).conformalize(X, y)
        assert predict_both(model, X, y).n_extrapolated == (X > 0).sum()

    def test_name_curves_that_never_come_down(self, simulate):
        def some_endless(X):
            end = np.where(X[:, :1] > 0.8, 1.0, 0.0)
            return [30.0], end

        X, y = simulate(200)
        model = ConformalSurvival(some_endless, adjustment="time")
        with pytest.warns(UserWarning, match="infinite percentile times"):
            model.conformalize(X, y)
        both = predict_both(model, X, y)
        assert both.n_infinite == both.n_extrapolated == (X > 0.8).sum() > 0


class TestRefuses:
    def test_models_that_are_not_ours(self, simulate, stretched_model):
        X, y = simulate(10)
        with pytest.raises(InvalidInput, match="must be a ConformalSurvival, got func"):
            predict_both(stretched_model, X, y)

    def test_models_that_are_not_conformalized(self, simulate, stretched_model):
        X, y = simulate(10)
        with pytest.raises(NotConformalizedError, match="has no adjustment yet"):
            predict_both(ConformalSurvival(stretched_model), X, y)

    def test_features_and_outcomes_of_different_length(self, model, simulate):
        X, _ = simulate(10)
        with pytest.raises(InvalidInput, match="X has 10, y has 1"):
            predict_both(model, X, Outcome(time=[1.0], event=[1]))
