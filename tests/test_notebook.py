"""What a notebook shows is short."""

import numpy as np
import pytest

from consurv import ConformalSurvival, Outcome, SurvivalCurves
from consurv.metrics import evaluate
from consurv.report import (
    AdjustmentDisplay,
    MeanCurveDisplay,
    PPPlotDisplay,
    RiskCalibrationDisplay,
)

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
    assert result.by_group is None  # no groups were given
    for name in set(vars(result)) - {"by_group"}:
        part = repr(getattr(result, name))
        assert part.startswith(type(getattr(result, name)).__name__)
        assert len(part) < 500


class TestDisplays:
    def test_are_one_line(self, fitted):
        model, X, y = fitted
        curves = model.predict_both(X)
        named = dict(zip(("raw", "calibrated"), curves, strict=True))
        shown = repr(PPPlotDisplay(y, named, n_levels=19))
        assert shown == (
            "PPPlotDisplay(n=400, curves=['raw', 'calibrated'], n_levels=19)"
        )
        one = repr(RiskCalibrationDisplay(y, curves[0], risk=X[:, 0]))
        assert one.startswith("RiskCalibrationDisplay(n=400, curves='SurvivalCurves'")
        assert len(one) < 120

    def test_of_adjustments_name_their_kind(self, fitted):
        shown = repr(AdjustmentDisplay(fitted[0].adjustment_, time_unit="days"))
        assert shown == (
            "AdjustmentDisplay(adjustments='TimeAdjustment', time_unit='days')"
        )

    def test_are_a_small_table(self, fitted):
        model, X, y = fitted
        curves = model.predict_survival_function(X)
        html = MeanCurveDisplay(y, curves, time_unit="<b>")._repr_html_()
        assert html.count("<tr>") == 4
        assert "<td>n</td><td>400</td>" in html
        assert "&lt;b&gt;" in html


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
        assert ax.get_xlabel() == "time"
        assert curves.plot(time_unit="days").get_xlabel() == "time (days)"
        pyplot.close("all")
