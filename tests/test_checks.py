"""The border for numeric input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from consurv._checks import (
    as_floats,
    as_levels,
    as_plain_array,
    check_finite,
    check_same_length,
)
from consurv.errors import InvalidInput


class TestAsFloats:
    @pytest.mark.parametrize(
        "values",
        [
            [1, 2],
            (1.0, 2.0),
            np.array([1, 2], dtype=">i4"),
            np.array([1, 2], dtype=">f8"),
            np.array([1, 2], dtype=np.float32),
            np.array([1, 2], dtype=np.float16),
            np.array([1, 2], dtype=object),
            np.array([1, 9, 2])[::2],
            np.array([[1], [2]]),
            pd.Series([1, 2], index=[7, 3]),
            pd.Series([1, 2], dtype="Int64"),
            pd.Series([1, 2], dtype="Float64"),
            pl.Series([1, 2]),
        ],
    )
    def test_takes_numbers_in_any_form(self, values):
        found = as_floats(values, "x")
        assert_array_equal(found, [1, 2])
        assert found.dtype == np.dtype(np.float64)
        assert found.dtype.isnative

    def test_bools_are_numbers(self):
        assert_array_equal(as_floats([True, False], "x"), [1, 0])

    def test_float32_is_kept_on_request(self):
        single = np.array([1, 2], dtype=">f4")
        assert as_floats(single, "x", keep_float32=True).dtype == np.float32
        assert as_floats([1, 2], "x", keep_float32=True).dtype == np.float64

    @pytest.mark.parametrize(
        ("values", "ndim", "words"),
        [
            ([[1, 2]], 1, r"x must be 1-dimensional, got shape \(1, 2\)"),
            (3, 1, r"x must be 1-dimensional, got shape \(\)"),
            ([1, 2], 2, r"x must be 2-dimensional, got shape \(2,\)"),
            ([[[1]]], (1, 2), "x must be 1-dimensional or 2-dimensional"),
        ],
    )
    def test_dimensions(self, values, ndim, words):
        with pytest.raises(InvalidInput, match=words):
            as_floats(values, "x", ndim=ndim)

    def test_a_column_stays_one_where_two_dimensions_are_fine(self):
        assert as_floats([[1], [2]], "x", ndim=(1, 2)).shape == (2, 1)

    def test_structured_arrays_are_no_numbers(self):
        with pytest.raises(InvalidInput, match=r"x has dtype .*, not numbers"):
            as_floats(np.zeros(2, dtype=[("a", "f8")]), "x")

    def test_infinity_on_request_but_never_minus_infinity(self):
        assert_array_equal(as_floats([np.inf, 1], "x", allow_inf=True), [np.inf, 1])
        with pytest.raises(InvalidInput, match="x has 1 infinite values"):
            as_floats([np.inf, 1], "x")
        with pytest.raises(InvalidInput, match=r"x has 1 infinite values.*-inf"):
            as_floats([-np.inf, np.inf], "x", allow_inf=True)


class TestAsPlainArray:
    @pytest.mark.parametrize(
        ("values", "words"),
        [
            (np.ma.array([1, 2]), "x is a masked array and the mask would be lost"),
            ([1, [2, 3]], "x cannot be read as an array"),
            (["a", "b"], "x holds text, not numbers, the first is"),
            (np.array([b"a"]), "x holds text"),
            (
                np.array(["a", 1], dtype=object),
                "x holds text, not numbers, the first is 'a' at row 0",
            ),
            (pd.Series(["a", None]), "x holds text"),
            (np.array(["2020"], dtype="M8[Y]"), "dates.*subtract the start date"),
            (np.array([5], dtype="m8[D]"), "time differences.*divide by a unit"),
            (np.array([1j]), "x holds complex numbers"),
            (
                np.array([{}, 1], dtype=object),
                "not numbers, the first is {.*of type .dict",
            ),
            (np.array([], dtype="U1"), "x holds text, not numbers$"),
        ],
    )
    def test_refuses(self, values, words):
        with pytest.raises(InvalidInput, match=words):
            as_plain_array(values, "x")

    def test_objects_that_are_numbers_or_bools(self):
        mixed = np.array([1, 2.5, True], dtype=object)
        assert_array_equal(as_plain_array(mixed, "x"), [1, 2.5, 1])
        bools = as_plain_array(np.array([True, False], dtype=object), "x")
        assert bools.dtype == np.bool_

    @pytest.mark.parametrize("nothing", [None, np.nan, pd.NA, pd.NaT])
    def test_missing_entries_are_named(self, nothing):
        values = np.array([1, nothing], dtype=object)
        with pytest.raises(InvalidInput, match="1 missing values, the first at row 1"):
            as_plain_array(values, "x")


class TestCheckFinite:
    def test_names_the_first_place(self):
        array = np.ones((3, 4))
        array[1, 2] = array[2, 0] = np.nan
        with pytest.raises(
            InvalidInput, match="q has 2 NaN values, the first at row 1, column 2: nan"
        ):
            check_finite(array, "q")

    def test_a_single_number(self):
        with pytest.raises(InvalidInput, match="the first at the only place: inf"):
            check_finite(np.array(np.inf), "q")

    def test_a_sum_that_overflows_is_not_infinite_input(self):
        check_finite(np.full(4, 1e308), "q")

    def test_infinities_that_cancel_are_found(self):
        with pytest.raises(InvalidInput, match="2 infinite"):
            check_finite(np.array([np.inf, -np.inf]), "q")

    def test_nan_among_allowed_infinities_is_found(self):
        with pytest.raises(InvalidInput, match="1 NaN values, the first at row 1"):
            check_finite(np.array([np.inf, np.nan]), "q", allow_inf=True)

    def test_float32_that_overflows_in_its_own_type(self):
        check_finite(np.full(10, 3e38, dtype=np.float32), "q")


class TestCheckSameLength:
    def test_equal_lengths_pass(self):
        check_same_length(a=3, b=3, c=3)

    def test_says_all_lengths(self):
        with pytest.raises(InvalidInput, match="a has 3, b has 3, c has 4"):
            check_same_length(a=3, b=3, c=4)


class TestAsLevels:
    def test_keeps_the_order(self):
        assert_array_equal(as_levels([0.9, 0.1, 0.5]), [0.9, 0.1, 0.5])

    def test_a_single_number(self):
        assert_array_equal(as_levels(0.5), [0.5])

    @pytest.mark.parametrize("bad", [0, 1, -0.1, 1.5])
    def test_inside_the_unit_interval(self, bad):
        with pytest.raises(InvalidInput, match="levels must lie strictly between"):
            as_levels([0.5, bad])

    def test_percentages_get_a_hint(self):
        with pytest.raises(InvalidInput, match="got 50; divide percentages by 100"):
            as_levels([50, 90])

    def test_empty(self):
        with pytest.raises(InvalidInput, match="levels is empty"):
            as_levels([])

    def test_repeated(self):
        with pytest.raises(InvalidInput, match=r"levels must be distinct, got \[0.5, "):
            as_levels([0.5, 0.5])

    def test_nan_and_text(self):
        with pytest.raises(InvalidInput, match="quantiles has 1 NaN"):
            as_levels([0.5, np.nan], "quantiles")
        with pytest.raises(InvalidInput, match="quantiles holds text"):
            as_levels(["half"], "quantiles")
