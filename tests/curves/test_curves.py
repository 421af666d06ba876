"""SurvivalCurves as a value: its border, its constructors and its container side."""

from __future__ import annotations

import copy
import pickle
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput

TIMES = np.array([0.0, 2.0, 6.0])
SURVIVAL = np.array([[1.0, 0.8, 0.4], [1.0, 0.5, 0.0]])
LEVELS = [0.9, 0.5, 0.1]


class TestNodes:
    def test_the_start_is_prepended_where_it_is_missing(self):
        curves = SurvivalCurves([2, 6], SURVIVAL[:, 1:])
        assert_array_equal(curves.times, TIMES)
        assert_array_equal(curves.survival, SURVIVAL)

    def test_a_first_time_of_zero_below_one_repeats_zero(self):
        curves = SurvivalCurves([0, 6], [[0.7, 0.4], [1.0, 0.5]])
        assert_array_equal(curves.times, [0, 0, 6])
        assert_array_equal(curves.survival, [[1, 0.7, 0.4], [1, 1, 0.5]])
        assert_array_equal(curves.survival_at([0]), [[0.7], [1.0]])

    def test_own_grids_get_the_start_in_all_rows_if_one_lacks_it(self):
        curves = SurvivalCurves([[0, 4], [3, 6]], [[1.0, 0.5], [0.5, 0.1]])
        assert_array_equal(curves.times, [[0, 0, 4], [0, 3, 6]])
        assert_array_equal(curves.survival, [[1, 1, 0.5], [1, 0.5, 0.1]])
        assert_allclose(curves.median(), [4, 3])

    def test_nothing_is_copied_when_nothing_has_to_change(self):
        curves = SurvivalCurves(TIMES, SURVIVAL)
        assert np.shares_memory(curves.survival, SURVIVAL)
        assert np.shares_memory(curves.times, TIMES)
        assert SURVIVAL.flags.writeable

    def test_stored_arrays_are_read_only(self):
        curves = SurvivalCurves(TIMES, SURVIVAL)
        with pytest.raises(ValueError, match="read-only"):
            curves.survival[0, 0] = 0.5
        with pytest.raises(AttributeError, match="curves are immutable"):
            curves.times = TIMES

    def test_float32_is_kept_and_computed_in_float64(self):
        curves = SurvivalCurves([2, 6], SURVIVAL[:, 1:].astype(np.float32))
        assert curves.survival.dtype == np.float32
        assert curves.survival_at([1]).dtype == np.float64
        assert_allclose(curves.percentile_times(LEVELS)[0, 1], 5, rtol=1e-6)

    def test_one_curve_may_be_one_dimensional(self):
        assert_array_equal(SurvivalCurves(TIMES, SURVIVAL[0]).survival, SURVIVAL[:1])

    def test_small_rises_are_flattened(self):
        curves = SurvivalCurves([1, 2, 3], [[0.5, 0.5 + 5e-7, 0.2]])
        assert_array_equal(curves.survival, [[1, 0.5, 0.5, 0.2]])

    def test_small_excesses_are_clipped(self):
        curves = SurvivalCurves([0, 2, 3], [[1 + 5e-7, 0.5, -5e-7]])
        assert_array_equal(curves.survival, [[1, 0.5, 0]])


class TestInputThatSimplyWorks:
    @pytest.mark.parametrize(
        "convert",
        [
            lambda a: a.tolist(),
            lambda a: a.astype(">f8"),
            lambda a: a.astype(">f4"),
            lambda a: np.asfortranarray(a),
            lambda a: np.repeat(a, 2, axis=0)[::2],
            lambda a: np.ascontiguousarray(a[:, ::-1])[:, ::-1],
            lambda a: pd.DataFrame(a, index=[9, 1]),
            lambda a: pl.DataFrame(a),
            lambda a: a.astype(object),
        ],
        ids=[
            "list",
            "big-endian",
            "big-endian float32",
            "Fortran order",
            "strided",
            "reversed view",
            "pandas with a shuffled index",
            "polars",
            "object",
        ],
    )
    @pytest.mark.parametrize("kind", ["linear", "step", "pchip"])
    def test_forms_of_survival(self, convert, kind):
        plain = SurvivalCurves(TIMES, SURVIVAL, kind)
        other = SurvivalCurves(TIMES, convert(SURVIVAL), kind)
        t = [0, 1, 3, 7]
        assert_allclose(other.survival_at(t), plain.survival_at(t), rtol=1e-6)
        assert_allclose(other.mean(), plain.mean(), rtol=1e-6)
        assert_allclose(
            other.percentile_times(LEVELS), plain.percentile_times(LEVELS), rtol=1e-6
        )

    def test_read_only_arrays(self):
        frozen = SURVIVAL.copy()
        frozen.setflags(write=False)
        assert_array_equal(SurvivalCurves(TIMES, frozen).median(), [5, 2])

    def test_pandas_times_are_read_by_position(self):
        times = pd.Series(TIMES, index=[2, 0, 1])
        assert_array_equal(SurvivalCurves(times, SURVIVAL).times, TIMES)

    def test_whole_numbers(self):
        curves = SurvivalCurves(np.array([1, 2]), np.array([[1, 0]]))
        assert_array_equal(curves.median(), [1.5])


class TestRefused:
    @pytest.mark.parametrize(
        ("times", "survival", "match"),
        [
            ([1, 2], [[0.5, np.nan]], "survival has 1 NaN values"),
            ([1, np.nan], [[0.5, 0.2]], "times has 1 NaN values"),
            ([1, np.inf], [[0.5, 0.2]], "times has 1 infinite values"),
            ([-1, 2], [[0.5, 0.2]], "times has 1 negative values, the first is -1"),
            ([2, 1], [[0.5, 0.2]], "times must be sorted, but 2 comes before 1"),
            ([[1, 2], [3, 2]], [[0.5, 0.2]] * 2, "3 comes before 2 .* of row 1"),
            ([1, 2, 3], [[0.5, 0.2]], "shapes differ.*a row per subject"),
            ([1, 2, 3], [[0.5], [0.4], [0.3]], "looks transposed.*survival.T"),
            (np.ones((2, 3)), np.ones((3, 2)), "looks transposed"),
            (np.ones((2, 3)), np.ones((2, 4)), "shapes differ"),
            ([], [[]], "curves are empty"),
            ([1, 2], np.empty((0, 2)), "curves are empty"),
            ([1, 2], [[0.5, 0.6], [0.5, 0.4]], "row 0 rises from 0.5 to 0.6"),
            ([1, 2], [[0.1, 0.6], [0.2, 0.4]], "cumulative incidence; pass 1 - it"),
            ([1, 2], [[90.0, 45.0]], "if these are percentages, divide by 100"),
            ([1, 2], [[1.2, 0.5]], "row 0, column 0: 1.2.*divide by 100"),
            ([1, 2], [[0.5, -0.2]], "between 0 and 1, .* column 1: -0.2$"),
            ([1, 2], [[300.0, 0.2]], "column 0: 300$"),
            ([1, 2], [["0.5", "0.2"]], "survival holds text"),
            (["1", "2"], [[0.5, 0.2]], "times holds text"),
            ([1, 2], np.ma.array([[0.5, 0.2]]), "survival is a masked array"),
            (np.ma.array([1, 2]), [[0.5, 0.2]], "times is a masked array"),
            ([1, 2], [[0.5, 0.2], [0.1]], "cannot be read as an array"),
            (np.datetime64("2020-01-01") + np.arange(2), [[0.5, 0.2]], "dates"),
        ],
    )
    def test_nodes(self, times, survival, match):
        with pytest.raises(InvalidInput, match=match):
            SurvivalCurves(times, survival)

    def test_rises_that_add_up_beyond_the_tolerance(self):
        slow = 0.5 + 5e-7 * np.arange(5)
        with pytest.raises(InvalidInput, match="rises everywhere"):
            SurvivalCurves(np.arange(1, 6), [slow])
        with pytest.raises(InvalidInput, match="must not rise, but row 0"):
            SurvivalCurves(np.arange(1, 8), [[0.6, *slow, 0.1]])

    def test_an_unknown_interpolation_lists_the_choices(self):
        with pytest.raises(InvalidInput, match="'liner', did you mean 'linear'"):
            SurvivalCurves(TIMES, SURVIVAL, "liner")

    @pytest.mark.parametrize(
        ("times", "match"),
        [
            ([1, np.nan], "times has 1 NaN"),
            ([np.inf], "times has 1 infinite"),
            ([-2.0], "times has 1 negative values, the first is -2"),
            (["a"], "times holds text"),
            ([[1.0, 2.0]], "1-dimensional"),
        ],
    )
    def test_times_to_look_at(self, times, match):
        with pytest.raises(InvalidInput, match=match):
            SurvivalCurves(TIMES, SURVIVAL).survival_at(times)

    @pytest.mark.parametrize(
        "method", ["survival_at_observed", "restricted_mean", "conditional_on"]
    )
    def test_own_times_of_the_wrong_length(self, method):
        with pytest.raises(InvalidInput, match="has 3, curves has 2"):
            getattr(SurvivalCurves(TIMES, SURVIVAL), method)([1, 2, 3])

    def test_levels_outside(self):
        with pytest.raises(InvalidInput, match="strictly between 0 and 1"):
            SurvivalCurves(TIMES, SURVIVAL).percentile_times([0.5, 1.0])


class TestFromPercentileTimes:
    def test_levels_in_any_order(self):
        curves = SurvivalCurves.from_percentile_times([[9, 3, 5]], [0.2, 0.9, 0.5])
        assert_array_equal(curves.times, [[0, 3, 5, 9]])
        assert_array_equal(curves.survival, [[1, 0.9, 0.5, 0.2]])
        assert curves.interpolation == "linear"

    @pytest.mark.parametrize(
        ("q", "match"),
        [
            ([[5, 3]], "cross in 1 rows, the first is row 0"),
            ([[np.inf, 3]], "cross in 1 rows"),
            ([[1, 2, 3]], r"\(1, 3\), levels \(2,\); .* a column per level"),
            ([[-1, 3]], "percentile_times has 1 negative"),
            ([[np.nan, 3]], "percentile_times has 1 NaN"),
            ([1, 3], "2-dimensional"),
        ],
    )
    def test_refused(self, q, match):
        with pytest.raises(InvalidInput, match=match):
            SurvivalCurves.from_percentile_times(q, [0.8, 0.4])

    def test_survival_is_stored_once_for_all_rows(self):
        curves = SurvivalCurves.from_percentile_times(np.ones((1000, 1)), [0.5])
        assert curves.survival.strides[0] == 0


class TestFrames:
    def test_a_frame_of_times_by_subjects(self):
        frame = pd.DataFrame(SURVIVAL.T, index=TIMES, columns=["a", "b"])
        curves = SurvivalCurves.from_frame(frame, "step")
        assert_array_equal(curves.survival, SURVIVAL)
        assert curves.interpolation == "step"

    def test_round_trip(self):
        curves = SurvivalCurves([0, 6], [[0.7, 0.4], [1.0, 0.5]])
        frame = curves.to_frame()
        assert list(frame.columns) == [0, 1]
        again = SurvivalCurves.from_frame(frame)
        assert_array_equal(again.times, curves.times)
        assert_array_equal(again.survival, curves.survival)

    def test_to_frame_at_times(self):
        frame = SurvivalCurves([[2], [4]], [[0.5], [0.5]]).to_frame([4, 2])
        assert frame.index.tolist() == [4, 2]
        assert_array_equal(frame.to_numpy(), [[0, 0.5], [0.5, 0.75]])

    def test_own_grids_become_one(self):
        frame = SurvivalCurves([[2], [4]], [[0.5], [0.5]]).to_frame()
        assert frame.index.tolist() == [0, 2, 4]
        assert frame.loc[2.0].tolist() == [0.5, 0.75]

    def test_an_array_is_not_a_frame(self):
        with pytest.raises(InvalidInput, match="frame is a ndarray"):
            SurvivalCurves.from_frame(SURVIVAL)

    def test_an_index_of_text_is_refused(self):
        with pytest.raises(InvalidInput, match="index of frame"):
            SurvivalCurves.from_frame(pd.DataFrame(SURVIVAL.T, index=list("abc")))

    def test_an_unsorted_index_is_refused(self):
        frame = pd.DataFrame(SURVIVAL.T, index=[0.0, 6.0, 2.0])
        with pytest.raises(InvalidInput, match="times must be sorted"):
            SurvivalCurves.from_frame(frame)

    def test_lifelines_gives_such_frames(self):
        lifelines = pytest.importorskip("lifelines")
        fitter = lifelines.KaplanMeierFitter().fit([2, 4, 4, 7], [1, 1, 0, 1])
        curves = SurvivalCurves.from_frame(fitter.survival_function_, "step")
        assert_allclose(curves.survival_at([0, 1, 2, 4, 7]), [[1, 1, 0.75, 0.5, 0]])
        assert curves.median() == fitter.median_survival_time_


class TestStepFunctions:
    def test_one_grid_is_shared(self):
        x = np.array([2.0, 6.0])
        functions = [SimpleNamespace(x=x, y=y) for y in SURVIVAL[:, 1:]]
        curves = SurvivalCurves.from_step_functions(functions)
        assert curves.times.ndim == 1
        assert curves.interpolation == "step"
        assert_array_equal(curves.survival, SURVIVAL)

    def test_differing_grids_repeat_their_last_node(self):
        functions = [
            SimpleNamespace(x=np.array([2.0, 6.0]), y=np.array([0.8, 0.4])),
            SimpleNamespace(x=np.array([3.0]), y=np.array([0.5])),
        ]
        curves = SurvivalCurves.from_step_functions(functions)
        assert_array_equal(curves.times, [[0, 2, 6], [0, 3, 3]])
        assert_array_equal(curves.survival, [[1, 0.8, 0.4], [1, 0.5, 0.5]])
        assert_allclose(curves.percentile_times([0.25])[1], [4.5])

    def test_scale_and_shift_are_applied(self):
        incidence = SimpleNamespace(
            x=np.array([2.0, 6.0]), y=np.array([0.2, 0.6]), a=-1.0, b=1.0
        )
        curves = SurvivalCurves.from_step_functions(incidence)
        assert_allclose(curves.survival, [[1, 0.8, 0.4]])

    def test_scikit_survival_gives_such_functions(self):
        functions = pytest.importorskip("sksurv.functions")
        step = functions.StepFunction(np.array([2.0, 6.0]), np.array([0.8, 0.4]))
        curves = SurvivalCurves.from_step_functions(np.array([step, step]))
        at = [2.0, 3.0, 5.9, 6.0]
        assert_allclose(curves.survival_at(at), [step(at)] * 2)

    def test_refused(self):
        with pytest.raises(InvalidInput, match="functions is empty"):
            SurvivalCurves.from_step_functions([])
        with pytest.raises(InvalidInput, match="holds a ndarray, not step functions"):
            SurvivalCurves.from_step_functions(SURVIVAL)


class TestContainer:
    @pytest.mark.parametrize("own", [False, True])
    @pytest.mark.parametrize(
        ("rows", "wanted"),
        [
            (1, [1]),
            (-1, [3]),
            (np.int64(2), [2]),
            (slice(1, None, 2), [1, 3]),
            ([3, 0, 0], [3, 0, 0]),
            (np.array([True, False, True, False]), [0, 2]),
            (pd.Series([True, False, True, False]), [0, 2]),
            ([], []),
            (slice(0, 0), []),
        ],
    )
    def test_slicing(self, own, rows, wanted):
        times = np.cumsum(np.ones((4, 3)), axis=1) if own else [1, 2, 3]
        survival = np.linspace(0.9, 0.1, 12).reshape(3, 4).T
        curves = SurvivalCurves(times, survival, "pchip")
        part = curves[rows]
        assert len(part) == len(wanted)
        assert_array_equal(part.survival, curves.survival[wanted])
        assert_array_equal(
            part.percentile_times(LEVELS), curves.percentile_times(LEVELS)[wanted]
        )
        assert_array_equal(part.mean(), curves.mean()[wanted])
        assert not part.survival.flags.writeable

    def test_a_slice_is_a_view(self):
        curves = SurvivalCurves(TIMES, SURVIVAL)
        assert np.shares_memory(curves[1:].survival, SURVIVAL)

    def test_iteration_ends(self):
        medians = [curve.median()[0] for curve in SurvivalCurves(TIMES, SURVIVAL)]
        assert_allclose(medians, [5, 2])

    def test_a_row_that_is_not_there(self):
        with pytest.raises(IndexError):
            SurvivalCurves(TIMES, SURVIVAL)[2]

    @pytest.mark.parametrize("rows", [1.5, (0, 1), [[0, 1]], "a", True, None])
    def test_other_keys_are_refused(self, rows):
        with pytest.raises(InvalidInput, match="cannot be indexed by"):
            SurvivalCurves(TIMES, SURVIVAL)[rows]

    def test_conditional_pchip_curves_are_sliced_with_their_rates(self):
        past = SurvivalCurves([1, 2, 4], [[0.9, 0.5, 0.1]] * 3, "pchip").conditional_on(
            [0.5, 1.5, 3]
        )
        times = np.linspace(0, 6, 40)
        assert_array_equal(past[1:].survival_at(times), past.survival_at(times)[1:])

    @pytest.mark.parametrize("copier", [copy.deepcopy, lambda c: _pickled(c)])
    def test_copies_are_equal_and_read_only(self, copier):
        curves = SurvivalCurves(TIMES, SURVIVAL, "pchip").conditional_on(1)
        again = copier(curves)
        times = np.linspace(0, 9, 20)
        assert_array_equal(again.survival_at(times), curves.survival_at(times))
        assert not again.survival.flags.writeable

    def test_repr_is_short(self):
        curves = SurvivalCurves([[2, 6]] * 2, SURVIVAL[:, 1:], "step")
        assert (
            repr(curves)
            == "SurvivalCurves(n=2, nodes=3, grid='own', interpolation='step')"
        )


class Marked(SurvivalCurves):
    """A subclass with one mark per subject."""

    def _take(self, rows):
        part = super()._take(rows)
        part._store(mark=self.mark[rows])
        return part


class TestSubclass:
    def test_arrays_per_subject_are_sliced_and_pickled_along(self):
        curves = Marked.from_percentile_times([[1, 2], [3, 4], [5, 6]], [0.8, 0.4])
        curves._store(mark=np.array([True, False, True]))
        part = curves[1:]
        assert isinstance(part, Marked)
        assert_array_equal(part.mark, [False, True])
        assert_array_equal(copy.deepcopy(part).mark, [False, True])
        assert [bool(curve.mark[0]) for curve in curves] == [True, False, True]

    def test_conditioning_gives_plain_curves(self):
        curves = Marked.from_percentile_times([[1, 2]], [0.8, 0.4])
        assert type(curves.conditional_on(1)) is SurvivalCurves


def _pickled(curves):
    return pickle.loads(pickle.dumps(curves))
