import numpy as np
import pytest

from consurv.curves._search import Search
from consurv.curves.breslow import breslow
from consurv.outcome import Outcome


@pytest.mark.parametrize("n", [1, 2, 3, 1000])
def test_answers_are_those_of_a_binary_search(n):
    rng = np.random.default_rng(n)
    values = np.log(np.cumsum(rng.exponential(size=n) ** 3))
    wanted = np.concatenate(
        [values, np.nextafter(values, 99), np.nextafter(values, -99), [-1e300, 1e300]]
    )
    wanted = np.concatenate([wanted, rng.uniform(-9, 9, 4000)])
    search = Search(values)
    for _ in range(3):  # the first counts, the others have a table
        place, found = search(wanted)
        np.testing.assert_array_equal(place, np.searchsorted(values, wanted))
        np.testing.assert_array_equal(found, np.append(values, np.inf)[place])
    assert (search._guess is not None) == (n > 1)


def test_few_searches_make_no_table():
    search = Search(np.arange(100.0))
    for _ in range(10):
        search(np.zeros((2, 5)))
    assert search._guess is None
    search(np.zeros(1))
    assert search._guess is not None


def test_one_subject_is_found_as_among_many():
    rng = np.random.default_rng(0)
    risk = rng.normal(size=3000)
    y = Outcome(rng.exponential(np.exp(-risk)), rng.random(3000) < 0.7)
    baseline = breslow(risk, y)
    levels = np.arange(1, 50) / 50
    curves = baseline.curves(risk)
    many = curves.percentile_times(levels), curves.percentile_times(levels)
    np.testing.assert_array_equal(*many)
    fresh = breslow(risk, y)
    for row in (0, 17, 2999):
        one = fresh.curves(risk[row : row + 1]).percentile_times(levels)
        np.testing.assert_array_equal(one[0], many[1][row])
