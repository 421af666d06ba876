import numpy as np
import pytest
from sklearn.base import clone

from consurv.conformal.estimator import ConformalSurvival
from consurv.errors import InvalidInput, NotConformalizedError
from consurv.report import (
    AdjustmentDisplay,
    CalibrationCurveDisplay,
    DCalibrationDisplay,
    IndividualCurvesDisplay,
    MeanCurveDisplay,
    OneCalibrationDisplay,
    PPPlotDisplay,
    RiskCalibrationDisplay,
    predicted_curves,
)

# Every display with the options that it cannot do without.
DISPLAYS = [
    (PPPlotDisplay, {}),
    (DCalibrationDisplay, {}),
    (MeanCurveDisplay, {}),
    (IndividualCurvesDisplay, {}),
    (OneCalibrationDisplay, {"time": 5.0}),
    (CalibrationCurveDisplay, {"time": 5.0}),
    (RiskCalibrationDisplay, {}),
]


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.fixture(scope="module")
def model(predicted, stretched_model):
    post = ConformalSurvival(stretched_model, adjustment="time")
    return post.conformalize(predicted.X, predicted.y)


class TestPredictedCurves:
    def test_a_conformal_model_is_shown_before_and_after(self, model, predicted):
        curves = predicted_curves(model, predicted.X)
        assert list(curves) == ["raw", "calibrated"]
        np.testing.assert_array_equal(
            curves["raw"].median(), predicted.optimistic.median()
        )
        np.testing.assert_array_equal(
            curves["calibrated"].median(), -model.predict(predicted.X)
        )

    def test_any_other_model_goes_by_its_name(self, stretched_model, predicted):
        assert list(predicted_curves(stretched_model, predicted.X)) == [
            "twice_too_long"
        ]

    def test_an_estimator_goes_by_its_class(self, predicted):
        class Constant:
            is_fitted_ = True

            def predict_survival_function(self, X):
                return [1.0], [[0.5]] * len(X)

        assert list(predicted_curves(Constant(), predicted.X)) == ["Constant"]


@pytest.mark.parametrize(("display", "options"), DISPLAYS)
class TestEveryDisplay:
    def test_from_estimator_draws_before_and_after(
        self, display, options, model, predicted, ax
    ):
        drawn = display.from_estimator(
            model, predicted.X, predicted.y, **options, ax=ax
        )
        assert isinstance(drawn, display)
        assert drawn.ax_ is ax
        assert drawn.figure_ is ax.figure
        assert labels(ax)[:2] == ["raw", "calibrated"]

    def test_from_predictions_draws_what_is_given(
        self, display, options, predicted, ax
    ):
        curves = {"one": predicted.good, "two": predicted.optimistic}
        display.from_predictions(predicted.y, curves, **options, ax=ax)
        assert labels(ax)[:2] == ["one", "two"]

    def test_can_be_drawn_again_elsewhere(self, display, options, predicted, ax):
        from matplotlib.figure import Figure

        drawn = display.from_predictions(predicted.y, predicted.good, **options, ax=ax)
        other = Figure().subplots()
        assert drawn.plot(other) is drawn
        assert drawn.ax_ is other
        assert labels(other) == labels(ax)

    def test_makes_a_figure_of_its_own(self, display, options, predicted):
        from matplotlib import pyplot as plt

        drawn = display.from_predictions(predicted.y, predicted.good, **options)
        assert drawn.figure_ is plt.figure(plt.get_fignums()[0])

    def test_refuses_unknown_options(self, display, options, predicted):
        with pytest.raises(TypeError, match="n_bin"):
            display.from_predictions(predicted.y, predicted.good, n_bin=3, **options)

    def test_a_model_without_shifts_says_so(
        self, display, options, predicted, stretched_model
    ):
        model = ConformalSurvival(stretched_model)
        with pytest.raises(NotConformalizedError, match="has no adjustment yet"):
            display.from_estimator(model, predicted.X, predicted.y, **options)


class TestOptions:
    def test_options_reach_the_plot(self, model, predicted, ax):
        DCalibrationDisplay.from_estimator(
            model, predicted.X, predicted.y, n_bins=5, coverage=0.9, ax=ax
        )
        assert len(ax.containers[0]) == 5
        assert "90 % by chance" in labels(ax)

    def test_the_unit_of_time_reaches_the_label(self, predicted, ax):
        MeanCurveDisplay.from_predictions(
            predicted.y, predicted.good, time_unit="weeks", ax=ax
        )
        assert ax.get_xlabel() == "Time (weeks)"

    def test_the_unit_of_time_is_the_models(self, model, predicted, ax):
        counted = clone(model).set_params(time_unit="months")
        counted.conformalize(predicted.X, predicted.y)
        data = predicted.X, predicted.y
        MeanCurveDisplay.from_estimator(counted, *data, ax=ax)
        assert ax.get_xlabel() == "Time (months)"
        own = MeanCurveDisplay.from_estimator(counted, *data, time_unit="m", ax=ax)
        assert own.time_unit == "m"
        DCalibrationDisplay.from_estimator(counted, *data, ax=ax)  # has no time axis
        AdjustmentDisplay.from_estimator(counted, ax=ax)
        assert ax.get_ylabel().endswith("(months)")


class TestAdjustmentDisplay:
    def test_shows_the_shifts_of_the_model(self, model, predicted, ax):
        display = AdjustmentDisplay.from_estimator(
            model, predicted.X, predicted.y, ax=ax
        )
        line = ax.get_lines()[-1]
        assert display.ax_ is ax
        np.testing.assert_array_equal(line.get_xdata(), model.levels_)
        np.testing.assert_array_equal(line.get_ydata(), model.shifts_)

    def test_compares_models_by_name(self, model, ax):
        results = {"a": model.adjustment_, "b": model.adjustment_}
        AdjustmentDisplay(results).plot(ax)
        assert labels(ax) == ["a", "b"]

    def test_refuses_a_model_without_shifts(self, stretched_model):
        with pytest.raises(InvalidInput, match="must be a ConformalSurvival, got func"):
            AdjustmentDisplay.from_estimator(stretched_model)

    def test_a_model_not_conformalized_says_so(self, stretched_model):
        with pytest.raises(NotConformalizedError, match="has no adjustment yet"):
            AdjustmentDisplay.from_estimator(ConformalSurvival(stretched_model))

    def test_shows_moved_levels(self, simulate, stretched_model, ax):
        model = ConformalSurvival(stretched_model, adjustment="level")
        AdjustmentDisplay.from_estimator(model.conformalize(*simulate(100)), ax=ax)
        assert ax.get_ylabel() == "Adjusted level ρ*"
