import datetime
import pickle
import tracemalloc
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from consurv.datasets import TableEncoder
from consurv.errors import CalibrationWarning, InvalidInput

TABLE = pd.DataFrame(
    {
        "age": [40.0, 60.0, np.nan, 50.0],
        "treated": [0, 1, 1, 0],
        "stage": ["I", "II", None, "III"],
        "site": "A",
        "empty": np.nan,
    }
)


class TestEmptyColumns:
    @pytest.mark.parametrize("missing", ["level", "mode"])
    @pytest.mark.parametrize("gap", [None, np.nan, pd.NA])
    @pytest.mark.parametrize("name", ["age", "stage", "treated"])
    def test_of_a_new_table_are_filled_with_a_warning(
        self, name: str, gap: Any, missing: str
    ) -> None:
        encoder = TableEncoder(missing=missing).fit(TABLE)
        new = TABLE.assign(**{name: pd.Series([gap] * 4, dtype=object)})
        with pytest.warns(CalibrationWarning, match=f"'{name}' without a value in any"):
            encoded = encoder.transform(new)
        assert encoded.notna().all(axis=None)

    @pytest.mark.parametrize("dtype", ["string", "string[pyarrow]", "float", "object"])
    def test_of_text_may_have_any_type(self, dtype: str) -> None:
        encoder = TableEncoder().fit(TABLE)
        new = TABLE.assign(stage=pd.Series([None] * 4, dtype=dtype))
        with pytest.warns(CalibrationWarning, match="'stage' without a value"):
            encoded = encoder.transform(new)
        assert_array_equal(encoded["stage_nan"], np.ones(4))

    def test_of_a_single_row_are_mere_gaps(self) -> None:
        encoder = TableEncoder().fit(TABLE)
        assert encoder.transform(TABLE.iloc[[2]]).notna().all(axis=None)


class TestArrow:
    def test_text_is_text(self) -> None:
        table = TABLE.assign(stage=TABLE["stage"].astype("string[pyarrow]"))
        encoded = TableEncoder().fit_transform(table)
        pd.testing.assert_frame_equal(encoded, TableEncoder().fit_transform(TABLE))

    def test_every_column_may_be_of_arrow(self) -> None:
        table = TABLE.convert_dtypes(dtype_backend="pyarrow")
        encoded = TableEncoder().fit_transform(table)
        pd.testing.assert_frame_equal(encoded, TableEncoder().fit_transform(TABLE))

    def test_strings_inferred_as_pandas_3_does(self) -> None:
        with pd.option_context("future.infer_string", True):
            table = pd.DataFrame({"a": ["x", "y", None], "b": [1.0, 2.0, 3.0]})
            encoder = TableEncoder().fit(table)
            assert encoder.transform(table).shape == (3, 3)
            with pytest.warns(CalibrationWarning, match="'a' without a value"):
                encoder.transform(table.assign(a=None))

    def test_dates_as_text_are_refused(self) -> None:
        dates = pd.Series(["2024-05-01"] * 4, dtype="string[pyarrow]")
        with pytest.raises(InvalidInput, match="column 'visit' holds dates"):
            TableEncoder().fit(TABLE.assign(visit=dates))

    def test_a_table_of_pyarrow_is_a_table(self) -> None:
        pyarrow = pytest.importorskip("pyarrow")
        encoded = TableEncoder().fit_transform(pyarrow.table(TABLE))
        pd.testing.assert_frame_equal(encoded, TableEncoder().fit_transform(TABLE))


class TestNumbersWithStrayText:
    @pytest.mark.parametrize(
        ("cell", "words"),
        [
            ("unknown", "holds numbers but for 1 of 31 cells: 'unknown' in row 30;"),
            ("61,5", "numbers with a decimal comma: '61,5' in row 30; read the file"),
        ],
    )
    @pytest.mark.parametrize("kind", [int, str])
    def test_are_refused_and_the_cells_named(
        self, kind: type, cell: str, words: str
    ) -> None:
        ages = pd.Series([*map(kind, range(40, 70)), cell], dtype=object)
        with pytest.raises(InvalidInput, match=words):
            TableEncoder().fit(pd.DataFrame({"age": ages}))

    def test_are_levels_if_they_are_few_or_made_so(self) -> None:
        grades = pd.Series(["1", "2", "3", "X"] * 5)
        codes = pd.Series([*map(str, range(19)), "X"], dtype="category")
        encoder = TableEncoder().fit(pd.DataFrame({"grade": grades, "code": codes}))
        assert len(encoder.get_feature_names_out()) == 3 + 19

    def test_are_named_in_a_new_table_too(self) -> None:
        encoder = TableEncoder().fit(TABLE)
        new = TABLE.assign(age=["61,5", "48", "48,0", None])
        with pytest.raises(InvalidInput, match=r"'48,0' in row 2; .* decimal=','"):
            encoder.transform(new)


class TestNumbers:
    @pytest.mark.parametrize(("impute", "filled"), [("mean", 55), ("median", 50)])
    def test_are_filled_where_missing_and_standardised(
        self, impute: str, filled: float
    ) -> None:
        table = pd.DataFrame({"age": [40, 50, np.nan, 75]})
        age = TableEncoder(impute=impute).fit_transform(table)["age"]
        expected = np.array([40, 50, filled, 75])
        assert_allclose(age, (expected - expected.mean()) / expected.std())

    def test_get_the_mean_by_default(self) -> None:
        assert TableEncoder().impute == "mean"

    def test_use_what_training_had(self) -> None:
        encoder = TableEncoder().fit(TABLE)
        new = TABLE.head(2).assign(age=[np.nan, 150.0])
        assert_allclose(encoder.transform(new)["age"], [0, 100 / np.sqrt(50)])

    def test_that_are_only_0_and_1_stay(self) -> None:
        treated = TableEncoder().fit_transform(TABLE)["treated"]
        assert_array_equal(treated, [0, 1, 1, 0])

    def test_that_are_only_0_and_1_get_the_more_frequent_where_missing(self) -> None:
        table = pd.DataFrame({"a": [0, 1, 1, np.nan]})
        assert_array_equal(TableEncoder().fit_transform(table)["a"], [0, 1, 1, 1])

    @pytest.mark.parametrize("dtype", ["bool", "boolean", "Int64", "float32", "object"])
    def test_may_have_any_type(self, dtype: str) -> None:
        column = pd.Series([1, 0, 1]).astype(dtype)
        encoded = TableEncoder().fit_transform(pd.DataFrame({"a": column}))
        assert_array_equal(encoded["a"], [1, 0, 1])

    def test_may_have_gaps_in_new_tables_alone(self) -> None:
        encoder = TableEncoder().fit(pd.DataFrame({"a": [True, False, True]}))
        new = pd.DataFrame({"a": [None, False]})
        assert_array_equal(encoder.transform(new)["a"], [1, 0])

    def test_that_are_infinite_are_refused(self) -> None:
        with pytest.raises(InvalidInput, match=r"'age' has infinite values.*row 1"):
            TableEncoder().fit(TABLE.assign(age=[1, np.inf, 2, 3]))

    def test_that_became_text_are_refused(self) -> None:
        encoder = TableEncoder().fit(TABLE)
        new = TABLE.assign(age=["61", None, "?", "50"])
        with pytest.raises(InvalidInput, match=r"'age' held numbers.*now holds '\?'"):
            encoder.transform(new)


class TestText:
    def test_becomes_a_column_per_level_but_the_first(self) -> None:
        encoded = TableEncoder().fit_transform(TABLE)
        names = ["stage_II", "stage_III", "stage_nan"]
        assert encoded.columns.tolist() == ["age", "treated", *names]
        assert_array_equal(encoded[names], [[0, 0, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]])

    @pytest.mark.parametrize("dtype", ["category", "string", "object"])
    def test_may_have_any_type(self, dtype: str) -> None:
        table = TABLE.astype({"stage": dtype})
        expected = TableEncoder().fit_transform(TABLE)
        pd.testing.assert_frame_equal(TableEncoder().fit_transform(table), expected)

    def test_that_training_did_not_have_counts_as_the_first_level(self) -> None:
        encoder = TableEncoder().fit(TABLE)
        with pytest.warns(CalibrationWarning, match="'stage'.*: IV; they count as 'I'"):
            encoded = encoder.transform(TABLE.assign(stage="IV"))
        assert not encoded.filter(like="stage").to_numpy().any()

    def test_that_is_missing_for_the_first_time_is_said_too(self) -> None:
        encoder = TableEncoder().fit(TABLE.dropna(subset="stage"))
        with pytest.warns(CalibrationWarning, match=r"\(missing\); they count as 'I'"):
            encoder.transform(TABLE)

    def test_that_is_missing_may_get_the_most_frequent_level(self) -> None:
        table = pd.DataFrame({"stage": ["II", None, "I", "II"], "age": [1, 2, 3, 4]})
        encoder = TableEncoder(missing="mode").fit(table)
        encoded = encoder.transform(table)
        assert encoded.columns.tolist() == ["age", "stage_II"]
        assert_array_equal(encoded["stage_II"], [1, 1, 0, 1])
        with pytest.warns(CalibrationWarning, match="'stage' without a value"):
            new = encoder.transform(table.assign(stage=None))
        assert_array_equal(new["stage_II"], [1, 1, 1, 1])

    def test_that_training_did_not_have_is_said_in_that_case_too(self) -> None:
        encoder = TableEncoder(missing="mode").fit(TABLE)
        with pytest.warns(CalibrationWarning, match="'stage'.*: IV; they count as 'I'"):
            encoder.transform(TABLE.assign(stage="IV"))

    def test_with_the_levels_of_training_gives_no_warning(self) -> None:
        encoder = TableEncoder().fit(TABLE)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            encoder.transform(TABLE.tail(1))

    def test_takes_numbers_for_the_levels_they_are_written_like(self) -> None:
        encoder = TableEncoder().fit(pd.DataFrame({"grade": ["1", "2", "x"]}))
        encoded = encoder.transform(pd.DataFrame({"grade": [2.0, 1.0]}))
        assert_array_equal(encoded, [[1, 0], [0, 0]])

    def test_with_too_many_levels_is_taken_for_an_identifier(self) -> None:
        table = pd.DataFrame({"name": [f"p{i}" for i in range(51)]})
        with pytest.raises(InvalidInput, match="'name' holds text with 51 different"):
            TableEncoder().fit(table)
        assert TableEncoder(max_levels=51).fit_transform(table).shape == (51, 50)


class TestDates:
    @pytest.mark.parametrize(
        "values",
        [
            pd.to_datetime(["2020-01-01", "2021-05-01"]),
            pd.to_datetime(["2020-01-01", "2021-05-01"], utc=True),
            pd.to_timedelta([1, 2], "D"),
            [datetime.date(2020, 1, 1), datetime.date(2021, 5, 1)],
            ["2020-01-01", "2021-05-01"],
            ["1/12/2020 10:30", "3/4/2021 09:00"],
            ["1.12.2020", None],
        ],
    )
    def test_are_refused_by_name(self, values: object) -> None:
        table = pd.DataFrame({"age": [1, 2], "seen": values})
        with pytest.raises(InvalidInput, match="'seen' holds dates or times, such as"):
            TableEncoder().fit(table)

    def test_are_not_seen_in_text_that_has_digits(self) -> None:
        table = pd.DataFrame({"version": ["1.2", "1.2.3-rc", "2020"]})
        assert TableEncoder().fit_transform(table).shape == (3, 2)


class TestColumns:
    def test_without_two_values_are_dropped(self) -> None:
        encoder = TableEncoder().fit(TABLE)
        assert encoder.columns_ == ["age", "treated", "stage"]
        assert encoder.feature_names_in_.tolist() == list(TABLE)
        assert encoder.n_features_in_ == 5

    def test_that_are_further_or_reordered_do_not_matter(self) -> None:
        encoder = TableEncoder().fit(TABLE)
        new = TABLE[["stage", "treated", "age"]].assign(other=1)
        pd.testing.assert_frame_equal(encoder.transform(new), encoder.transform(TABLE))

    def test_that_are_missing_are_named(self) -> None:
        encoder = TableEncoder().fit(TABLE)
        with pytest.raises(InvalidInput, match="lacks the columns 'age', 'stage'"):
            encoder.transform(TABLE[["treated"]])

    def test_that_share_a_name_are_refused(self) -> None:
        with pytest.raises(InvalidInput, match="two columns are called 'age'"):
            TableEncoder().fit(pd.concat([TABLE, TABLE[["age"]]], axis=1))

    def test_must_not_all_be_constant(self) -> None:
        with pytest.raises(InvalidInput, match="none of the 2 feature columns"):
            TableEncoder().fit(TABLE[["site", "empty"]])

    def test_have_the_names_that_the_encoder_tells(self) -> None:
        encoder = TableEncoder().fit(TABLE)
        names = encoder.transform(TABLE).columns
        assert encoder.get_feature_names_out().tolist() == names.tolist()


class TestTheEncoder:
    def test_keeps_the_index(self) -> None:
        table = TABLE.set_axis([7, 3, 5, 1])
        assert TableEncoder().fit_transform(table).index.tolist() == [7, 3, 5, 1]

    def test_takes_arrays_and_polars(self) -> None:
        X = np.array([[1.0, 5.0], [2.0, 7.0], [4.0, 0.0]])
        expected = TableEncoder().fit_transform(pd.DataFrame(X, columns=["x0", "x1"]))
        for other in (X, X.tolist(), pl.DataFrame(X, schema=["x0", "x1"])):
            pd.testing.assert_frame_equal(TableEncoder().fit_transform(other), expected)

    def test_can_be_cloned_and_pickled(self) -> None:
        encoder = TableEncoder(max_levels=7).fit(TABLE)
        again = pickle.loads(pickle.dumps(encoder))
        pd.testing.assert_frame_equal(again.transform(TABLE), encoder.transform(TABLE))
        assert clone(encoder).get_params() == {
            "max_levels": 7,
            "impute": "mean",
            "missing": "level",
        }

    def test_must_be_fitted_first(self) -> None:
        with pytest.raises(NotFittedError, match="not fitted yet"):
            TableEncoder().transform(TABLE)

    @pytest.mark.parametrize(
        "params", [{"max_levels": 1}, {"impute": "mode"}, {"missing": "drop"}]
    )
    def test_checks_its_parameters(self, params: dict[str, Any]) -> None:
        name, value = next(iter(params.items()))
        with pytest.raises(InvalidInput, match=f"{name}={value!r} is not valid"):
            TableEncoder(**params).fit(TABLE)

    def test_copies_the_table_twice_at_most(self) -> None:
        values = np.random.default_rng(0).normal(size=(50_000, 8))
        table = pd.DataFrame(values, columns=list("abcdefgh"))
        tracemalloc.start()
        TableEncoder().fit_transform(table)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 2.5 * values.nbytes

    def test_leaves_the_table_as_it_was(self) -> None:
        before = TABLE.copy()
        TableEncoder().fit_transform(TABLE)
        pd.testing.assert_frame_equal(TABLE, before)


@pytest.mark.parametrize(
    "cell", [{"a": 1}, [1, 2], (1, 2), {1}, np.zeros(2), pd.Series([1])]
)
def test_collections_in_cells_are_refused(cell: object) -> None:
    """They were encoded as their text."""
    values = pd.Series(["f", "m", "f", "m"], dtype=object)
    good = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "sex": values})
    values = values.copy()
    values[2] = cell
    bad = good.assign(sex=values)
    message = rf"'sex' holds a {type(cell).__name__} at row 2; a cell of a feature"
    with pytest.raises(InvalidInput, match=message):
        TableEncoder().fit(bad)
    with pytest.raises(InvalidInput, match=message):
        TableEncoder().fit(good).transform(bad)
