import numpy as np
import pytest
from numpy.testing import assert_allclose

from consurv.conformal import LevelAdjustment, TimeAdjustment
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.report import plot_adjustment, plot_individual_curves


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def drawn(ax):
    """Return the lines that hold data, without those made for the legend."""
    return [line for line in ax.get_lines() if len(line.get_xdata())]


@pytest.fixture
def both(predicted):
    return {"raw": predicted.optimistic, "calibrated": predicted.good}


class TestIndividualCurves:
    def test_draws_each_subject_and_model_with_its_outcome(self, predicted, both, ax):
        assert plot_individual_curves(predicted.y, both, subjects=[3, 8], ax=ax) is ax
        lines = drawn(ax)
        assert len(lines) == 2 * 2 * 2
        wanted = [(row, model) for row in (3, 8) for model in both.values()]
        for (row, model), curve, mark in zip(
            wanted, lines[::2], lines[1::2], strict=True
        ):
            times, survival = curve.get_data()
            assert_allclose(survival, model[row].survival_at(times)[0])
            time = predicted.y.time[[row]]
            assert_allclose(mark.get_xdata(), time)
            assert_allclose(mark.get_ydata(), model[row].survival_at_observed(time))

    def test_events_are_filled_and_the_censored_open(self, ax):
        curves = SurvivalCurves([10.0], [[0.0], [0.5]])
        plot_individual_curves(([1, 0], [4, 6]), curves, subjects=[0, 1], ax=ax)
        event, censored = drawn(ax)[1::2]
        assert event.get_marker() != censored.get_marker()  # of different subjects
        assert event.get_markerfacecolor() == event.get_color()
        assert censored.get_markerfacecolor() == "white"
        assert labels(ax) == ["#0, event", "#1, censored"]

    def test_colour_is_the_subject_and_line_is_the_model(self, predicted, both, ax):
        plot_individual_curves(predicted.y, both, subjects=[3, 8], ax=ax)
        a_raw, a_new, b_raw, b_new = drawn(ax)[::2]
        assert a_raw.get_color() == a_new.get_color() != b_raw.get_color()
        styles = [str(line._unscaled_dash_pattern) for line in (a_raw, a_new, b_new)]
        assert styles[0] != styles[1] == styles[2]
        assert labels(ax)[:2] == ["raw", "calibrated"]

    def test_a_number_spreads_subjects_over_the_medians(self, ax):
        curves = SurvivalCurves([1.0], [[0.9], [0.1], [0.5], [0.3], [0.7], [0.2]])
        plot_individual_curves((np.ones(6), np.ones(6)), curves, subjects=3, ax=ax)
        # Medians ascend in the order 1, 5, 3, 2, 4, 0.
        assert labels(ax) == ["#5, event", "#2, event", "#0, event"]

    def test_more_subjects_than_there_are_means_all(self, ax):
        curves = SurvivalCurves([1.0], [[0.9], [0.1]])
        plot_individual_curves((np.ones(2), np.ones(2)), curves, subjects=9, ax=ax)
        assert len(labels(ax)) == 2

    def test_steps_are_drawn_as_steps(self, ax):
        curves = SurvivalCurves([1.0, 3.0], [[0.9, 0.2]], "step")
        plot_individual_curves(([1], [2.0]), curves, ax=ax)
        assert drawn(ax)[0].get_drawstyle() == "steps-post"
        assert 1.0 in drawn(ax)[0].get_xdata()

    def test_curves_that_never_drop_are_drawn(self, ax):
        curves = SurvivalCurves.from_percentile_times([[2.0, np.inf]], [0.5, 0.2])
        plot_individual_curves(([1], [5.0]), curves, ax=ax)
        assert_allclose(drawn(ax)[0].get_ydata()[-1], 0.5)

    @pytest.mark.parametrize(
        ("subjects", "message"),
        [
            (0, "subjects=0 is not valid"),
            (2.5, "subjects=2.5 is not valid"),
            ([], "subjects is empty"),
            ([1, 200], "positions from 0 to 199, got 200"),
            ([-1], "positions from 0 to 199, got -1"),
            ([0.5], "positions from 0 to 199, got 0.5"),
            ([4, 4], "subjects must be distinct"),
            ("all", "subjects holds text"),
        ],
    )
    def test_refuses_subjects_that_are_not_there(self, predicted, subjects, message):
        with pytest.raises(InvalidInput, match=message):
            plot_individual_curves(predicted.y, predicted.good, subjects=subjects)


def shift_result(beyond=(False, False, True)):
    return TimeAdjustment(
        levels=np.array([0.5, 0.1, 0.9]),
        shifts=np.array([1.0, 3.0, -2.0]),
        n_subjects=np.array([8, 8, 8]),
        beyond=np.array(beyond),
        n_conformal=8,
    )


class TestShifts:
    def test_shows_shifts_in_order_of_levels(self, ax):
        assert plot_adjustment(shift_result(), ax=ax) is ax
        (line,) = [part for part in ax.get_lines() if part.get_label() == "model"]
        assert line.get_xdata().tolist() == [0.1, 0.5, 0.9]
        assert line.get_ydata().tolist() == [3.0, 1.0, -2.0]

    def test_crosses_levels_beyond_the_guarantee(self, ax):
        plot_adjustment(shift_result(), ax=ax)
        cross = ax.get_lines()[-1]
        assert cross.get_marker() == "x"
        assert (cross.get_xdata().tolist(), cross.get_ydata().tolist()) == ([0.9], [-2])
        assert labels(ax) == ["model", "without guarantee"]

    def test_no_cross_where_all_levels_are_guaranteed(self, ax):
        plot_adjustment(shift_result([False] * 3), ax=ax)
        assert ax.get_legend() is None
        assert {line.get_marker() for line in ax.get_lines()} == {"None", "o"}

    def test_several_results_share_the_axes(self, ax):
        results = {"margin": shift_result(), "uncensored": shift_result()}
        plot_adjustment(results, colours={"margin": "red"}, time_unit="days", ax=ax)
        assert labels(ax) == ["margin", "uncensored", "without guarantee"]
        assert ax.get_ylabel() == "Shift to earlier (days)"

    def test_refuses_what_is_no_result(self):
        with pytest.raises(InvalidInput, match="adjustments must be Adjustment, got"):
            plot_adjustment([1.0, 2.0])


class TestLevels:
    @staticmethod
    def result(beyond=(False, False, False)):
        levels, moved = np.array([0.9, 0.1, 0.5]), np.array([0.95, 0.3, 0.7])
        return LevelAdjustment(
            levels=levels,
            adjusted_levels=moved,
            beyond=np.array(beyond),
            n_conformal=30,
        )

    def test_shows_adjusted_levels_in_order(self, ax):
        assert plot_adjustment(self.result(), ax=ax) is ax
        (line,) = [part for part in ax.get_lines() if part.get_label() == "model"]
        assert line.get_xdata().tolist() == [0.1, 0.5, 0.9]
        assert line.get_ydata().tolist() == [0.3, 0.7, 0.95]
        assert ax.get_legend() is None

    def test_crosses_levels_beyond_the_guarantee(self, ax):
        results = {"a": self.result((True, False, False)), "b": self.result()}
        plot_adjustment(results, ax=ax)
        cross = ax.get_lines()[-1]
        assert cross.get_marker() == "x"
        assert (cross.get_xdata().tolist(), cross.get_ydata().tolist()) == (
            [0.9],
            [0.95],
        )

    def test_kinds_do_not_mix(self):
        both = {"a": self.result(), "b": shift_result()}
        with pytest.raises(InvalidInput, match="of the kinds level, time"):
            plot_adjustment(both)
