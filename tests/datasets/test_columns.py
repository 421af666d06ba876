import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from consurv.datasets.columns import as_numbers, as_text, text_columns
from consurv.errors import InvalidInput


class TestTextColumns:
    def test_what_holds_numbers_is_none_whatever_its_type(self) -> None:
        frame = pd.DataFrame(
            {
                "float": [1.0, 2.0],
                "bool": [True, False],
                "nullable": pd.array([1, None], dtype="Int64"),
                "object": pd.Series([1, 2], dtype=object),
                "text": ["1", "2"],
                "category": pd.Categorical([1, 2]),
            }
        )
        assert text_columns(frame) == ["text", "category"]


class TestAsNumbers:
    def test_keeps_the_order_asked_for_across_types(self) -> None:
        frame = pd.DataFrame({"a": [1.5, np.nan], "b": [3, 4], "c": [True, False]})
        found = as_numbers(frame, ["c", "a", "b"])
        assert_array_equal(found, [[1, 1.5, 3], [0, np.nan, 4]])

    @pytest.mark.parametrize("dtype", [float, np.float32, "Float64"])
    def test_names_the_first_infinite_value(self, dtype: str) -> None:
        column = pd.Series([1, 2, np.inf, -np.inf], dtype=dtype)
        frame = pd.DataFrame({"a": 1.0, "b": column})
        with pytest.raises(InvalidInput, match=r"'b' has infinite.* row 2"):
            as_numbers(frame, ["a", "b"])


class TestAsText:
    @pytest.mark.parametrize("gap", [None, np.nan, pd.NA])
    def test_whole_numbers_have_no_point_and_gaps_stay(self, gap: object) -> None:
        for dtype in (object, "category"):
            column = pd.Series([1, 2.0, gap], dtype=dtype)
            found = as_text(column)
            assert found.tolist()[:2] == ["1", "2"]
            assert found.isna().tolist() == [False, False, True]

    def test_other_numbers_and_truth_values_stay(self) -> None:
        column = pd.Series([True, 1.5, 7, "x"], dtype=object)
        assert as_text(column).tolist() == ["True", "1.5", "7", "x"]
