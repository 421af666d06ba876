import numpy as np
import pytest
from numpy.testing import assert_allclose

from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import CalibrationWarning, InvalidInput
from consurv.metrics.ici import integrated_calibration_index
from consurv.metrics.one_calibration import one_calibration
from consurv.report import plot_calibration_curve, plot_one_calibration
from consurv.report.bands import binomial_band, observed_fraction


def lines(ax, label):
    return [part for part in ax.get_lines() if part.get_label() == label]


@pytest.fixture
def both(predicted):
    return {"raw": predicted.optimistic, "calibrated": predicted.good}


class TestOneCalibrationBars:
    def test_bars_are_predicted_and_diamonds_observed(self, predicted, both, ax):
        plot_one_calibration(predicted.y, both, 8.0, n_groups=5, ax=ax)
        marks = lines(ax, "observed")
        for bars, mark, curves in zip(ax.containers, marks, both.values(), strict=True):
            result = one_calibration(predicted.y, curves, 8.0, n_groups=5)
            assert_allclose([bar.get_height() for bar in bars], result.expected)
            assert_allclose(mark.get_ydata(), result.observed)
            middles = [bar.get_x() + bar.get_width() / 2 for bar in bars]
            assert_allclose(mark.get_xdata(), middles)

    def test_bars_of_models_do_not_overlap(self, predicted, both, ax):
        plot_one_calibration(predicted.y, both, 8.0, n_groups=5, ax=ax)
        raw, calibrated = ax.containers
        for left, right, following in zip(
            raw, calibrated, [*raw[1:], None], strict=True
        ):
            assert left.get_x() + left.get_width() <= right.get_x()
            if following is not None:
                assert right.get_x() + right.get_width() <= following.get_x()

    def test_whiskers_are_binomial_with_what_censoring_left(self, predicted, ax):
        plot_one_calibration(predicted.y, predicted.good, 8.0, n_groups=4, ax=ax)
        result = one_calibration(predicted.y, predicted.good, 8.0, n_groups=4)
        fraction = observed_fraction(KaplanMeier(predicted.y), 8.0)
        assert 0 < fraction < 1
        lower, upper = binomial_band(np.rint(50 * fraction), result.expected)
        whiskers = np.array(ax.collections[0].get_segments())
        assert_allclose(whiskers[:, 0, 1], lower)
        assert_allclose(whiskers[:, 1, 1], upper)

    def test_equal_predictions_leave_fewer_bars(self, ax):
        curves = SurvivalCurves([5.0], [[0.4], [0.4], [0.8], [0.8]])
        y = ([1, 1, 1, 0], [2.0, 8.0, 4.0, 9.0])
        with pytest.warns(CalibrationWarning, match="equal predictions leave 2"):
            plot_one_calibration(y, curves, 5.0, n_groups=4, ax=ax)
        assert len(ax.containers[0]) == 2

    def test_many_groups_do_not_crowd_the_axis(self, predicted, ax):
        plot_one_calibration(predicted.y, predicted.good, 0.5, n_groups=40, ax=ax)
        assert ax.get_xticks().tolist() == list(range(1, 41, 4))

    @pytest.mark.parametrize(
        ("unit", "label"),
        [("months", "Survival at 8 months"), (None, "Survival at time 8")],
    )
    def test_says_the_time(self, predicted, unit, label, ax):
        plot_one_calibration(predicted.y, predicted.good, 8.0, time_unit=unit, ax=ax)
        assert ax.get_ylabel() == label

    def test_refuses_more_groups_than_subjects(self, predicted):
        with pytest.raises(InvalidInput, match="n_groups=201 is more than the 200"):
            plot_one_calibration(predicted.y, predicted.good, 8.0, n_groups=201)


class TestCalibrationCurve:
    def test_is_the_curve_of_the_calibration_index(self, predicted, both, ax):
        plot_calibration_curve(predicted.y, both, 8.0, n_neighbors=60, ax=ax)
        for name, curves in both.items():
            result = integrated_calibration_index(
                predicted.y, curves, 8.0, n_neighbors=60
            )
            (line,) = lines(ax, name)
            assert_allclose(line.get_xdata(), result.predicted)
            assert_allclose(line.get_ydata(), result.observed)

    def test_an_optimistic_model_lies_below_the_diagonal(self, predicted, both, ax):
        plot_calibration_curve(predicted.y, both, 8.0, ax=ax)
        (line,) = lines(ax, "raw")
        assert (line.get_ydata() < line.get_xdata()).all()

    def test_the_band_is_that_of_a_window(self, predicted, ax):
        plot_calibration_curve(predicted.y, predicted.good, 8.0, n_neighbors=50, ax=ax)
        fraction = observed_fraction(KaplanMeier(predicted.y), 8.0)
        lower, upper = binomial_band(round(50 * fraction), [0.5])
        band = ax.collections[0].get_paths()[0].vertices
        middle = band[np.isclose(band[:, 0], 0.5), 1]
        assert_allclose([middle.min(), middle.max()], [lower[0], upper[0]])

    @pytest.mark.parametrize(
        ("time", "message"), [(0, "time=0 is not valid"), ("8", "time='8' is not")]
    )
    def test_refuses_what_is_no_time(self, predicted, time, message):
        with pytest.raises(InvalidInput, match=message):
            plot_calibration_curve(predicted.y, predicted.good, time)
