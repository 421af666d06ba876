"""What a notebook shows is short."""

import numpy as np
import pytest

from consurv import ConformalSurvival, Outcome, SurvivalCurves
from consurv.metrics import evaluate

TIMES = np.linspace(1, 60, 40)


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 1))
    time = rng.exponential(10 * np.exp(0.5 * X[:, 0]))
    y = Outcome(np.minimum(time, 25), time <= 25)

    def model(X):
        return TIMES, np.exp(-TIMES / (20 * np.exp(0.5 * X[:, :1])))

    return ConformalSurvival(model, adjustment="time").conformalize(X, y), X, y


@pytest.mark.parametrize("kind", ["time", "log-time", "level", "recalibrated"])
def test_adjustments_are_one_line(fitted, kind):
    model, X, y = fitted
    again = ConformalSurvival(model.estimator, adjustment=kind).conformalize(X, y)
    shown = repr(again.adjustment_)
    assert shown.startswith(type(again.adjustment_).__name__)
    assert "n_conformal=400" in shown
    assert len(shown) < 150
    assert "given: 400 subjects" in again.adjustment_._repr_html_()


def test_an_evaluation_is_a_few_lines(fitted):
    model, X, y = fitted
    result = evaluate(y, model.predict_survival_function(X))
    assert len(repr(result)) < 400
    assert f"{float(result.c_index):.4g}" in repr(result)
    html = result._repr_html_()
    assert html.count("<tr>") == 6
    assert f"<td>{float(result.c_index):.4g}</td>" in html
    for name in vars(result):
        part = repr(getattr(result, name))
        assert part.startswith(type(getattr(result, name)).__name__)
        assert len(part) < 500


class TestCurves:
    def test_are_a_small_table(self, fitted):
        curves = fitted[0].predict_survival_function(fitted[1])
        html = curves._repr_html_()
        assert "400 curves" in html
        assert html.count("<tr") == 6  # of five subjects and a head
        assert f"{curves.percentile_times([0.5])[0, 0]:.4g}" in html

    def test_with_grids_of_their_own_become_a_frame(self, fitted):
        curves = fitted[0].predict_survival_function(fitted[1])
        frame = curves.to_frame()
        assert frame.shape == (200, 400)
        np.testing.assert_array_equal(frame.T, curves.survival_at(frame.index))
        few = curves[:2].to_frame()
        assert len(few) == len(np.unique(curves[:2].times))

    def test_are_drawn(self):
        pyplot = pytest.importorskip("matplotlib.pyplot")
        pyplot.switch_backend("Agg")
        curves = SurvivalCurves([1.0, 2.0], [[0.5, 0.0]] * 20)
        ax = curves.plot()
        assert len(ax.lines) == 10
        assert len(curves.plot(ax, most=3).lines) == 13
        pyplot.close("all")
