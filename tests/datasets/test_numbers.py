import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from consurv.datasets.numbers import Numbers


def table(n: int = 200, k: int = 30) -> np.ndarray:
    rng = np.random.default_rng(0)
    values = rng.normal(rng.normal(size=k), rng.gamma(1, size=k), size=(n, k))
    values[rng.random((n, k)) < 0.2] = np.nan
    return values


def names_of(values: np.ndarray) -> list[str]:
    return [f"x{j}" for j in range(values.shape[1])]


@pytest.mark.parametrize("impute", ["mean", "median"])
def test_are_those_of_scikit_learn(impute: str) -> None:
    values, new = table(), table(50)
    oracle = make_pipeline(SimpleImputer(strategy=impute), StandardScaler()).fit(values)
    numbers = Numbers.learn(values, names_of(values), impute)
    assert_allclose(numbers.scaled(new), oracle.transform(new), rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("ones", [1, 2, 3])
def test_of_0_and_1_the_more_frequent_fills_as_in_scikit_learn(ones: int) -> None:
    values = np.array([0, 0, *[1] * ones, np.nan])[:, None]
    oracle = SimpleImputer(strategy="most_frequent").fit_transform(values)
    numbers = Numbers.learn(values, ["a"], "mean")
    assert_array_equal(numbers.scaled(values), oracle)


def test_columns_that_do_not_vary_are_left_out() -> None:
    values = np.array([[1, 7, np.nan, 0, 2], [1, np.nan, np.nan, 0, 3]])
    assert Numbers.learn(values, list("abcde"), "mean").names == ["e"]


def test_no_column_at_all() -> None:
    numbers = Numbers.learn(np.empty((3, 0)), [], "mean")
    assert numbers.scaled(np.empty((2, 0))).shape == (2, 0)


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_numbers_of_any_size_are_scaled(unit: float) -> None:
    values = np.array([1.0, 2.0, 4.0])[:, None]
    expected = Numbers.learn(values, ["a"], "mean").scaled(values)
    found = Numbers.learn(values * unit, ["a"], "mean").scaled(values * unit)
    assert_allclose(found, expected, rtol=1e-12)
