import numpy as np
import pytest
from scipy import stats

from consurv import InvalidInput
from studies.statistics import (
    Interval,
    holm,
    mean_interval,
    paired_test,
    rounded,
    same_digits,
    unpaired_test,
)


@pytest.fixture
def samples():
    rng = np.random.default_rng(0)
    first = rng.normal(0.5, 0.1, 10)
    return first, first + rng.normal(0.02, 0.03, 10)


class TestMeanInterval:
    def test_is_that_of_scipy(self, samples):
        result = mean_interval(samples[0])
        low, high = stats.t.interval(
            0.95, 9, loc=samples[0].mean(), scale=stats.sem(samples[0])
        )
        assert result.mean == pytest.approx(samples[0].mean())
        assert (result.low, result.high) == pytest.approx((low, high))
        assert result.n == 10

    def test_one_seed_has_no_interval(self):
        result = mean_interval([0.3])
        assert result == Interval(0.3, None, 1)
        assert result.low is None
        assert result.high is None
        assert result.holds(0.3)
        assert not result.holds(0.31)

    def test_holds_its_ends(self):
        assert Interval(1.0, 0.5, 3).holds(1.5)
        assert not Interval(1.0, 0.5, 3).holds(1.51)

    def test_needs_a_seed(self):
        with pytest.raises(InvalidInput, match="at least one seed"):
            mean_interval([])


class TestTests:
    def test_paired_is_that_of_scipy(self, samples):
        assert paired_test(*samples) == pytest.approx(stats.ttest_rel(*samples).pvalue)

    def test_unpaired_is_student_not_welch(self, samples):
        first, second = samples[0], samples[1][:4] * 3
        p = unpaired_test(first, second)
        assert p == pytest.approx(stats.ttest_ind(first, second).pvalue)
        welch = stats.ttest_ind(first, second, equal_var=False).pvalue
        assert p != pytest.approx(welch, rel=0.01)

    def test_order_of_variants_does_not_matter(self, samples):
        assert paired_test(*samples) == paired_test(*samples[::-1])
        assert unpaired_test(*samples) == pytest.approx(unpaired_test(*samples[::-1]))

    def test_no_difference_at_all_has_p_1(self):
        assert paired_test([0.7, 0.8], [0.7, 0.8]) == 1
        assert unpaired_test([0.7, 0.7], [0.7, 0.7]) == 1

    def test_a_constant_difference_has_p_0(self):
        assert paired_test([0.7, 0.8, 0.6], [0.8, 0.9, 0.7]) == 0
        assert unpaired_test([0.7, 0.7], [0.8, 0.8]) == 0

    def test_last_bits_are_no_difference(self):
        first = np.array([0.7, 0.8, 0.6])
        assert paired_test(first, first + np.array([1e-16, 2e-16, 0])) == 1
        assert paired_test(first * 1e5, first * 1e5 * (1 + 1e-15)) == 1

    def test_small_differences_are_seen(self):
        first = np.array([0.7, 0.8, 0.6])
        second = first + np.array([1e-8, 2e-8, 1.5e-8])
        expected = stats.ttest_rel(first, second).pvalue
        assert paired_test(first, second) == pytest.approx(expected, rel=1e-5)

    def test_one_seed_has_none(self):
        assert paired_test([0.7], [0.8]) is None
        assert unpaired_test([0.7], [0.8, 0.9]) is None


class TestHolm:
    def test_by_hand(self):
        # Sorted 0.01, 0.02, 0.03, 0.5: times 4, 3, 2, 1 and never falling.
        result = holm([0.03, 0.5, 0.01, 0.02])
        assert result == pytest.approx([0.06, 0.5, 0.04, 0.06])

    def test_cells_without_a_test_are_left_alone(self):
        assert holm([0.01, None, 0.2]) == [0.02, None, 0.2]

    def test_never_exceeds_one(self):
        assert holm([0.9, 0.8]) == [1, 1]

    def test_of_nothing(self):
        assert holm([]) == []


class TestDigits:
    @pytest.mark.parametrize(
        ("first", "second", "same"),
        [
            (0.64321, 0.64324, True),
            (0.64321, 0.64328, False),
            (0.00012341, 0.00012339, True),  # significant digits, not decimals
            (0.00012341, 0.00012361, False),
            (12345.0, 12346.0, False),
            (12345.1, 12345.4, True),
            (0.0, 0.0, True),
            (0.0, 1e-9, False),
        ],
    )
    def test_four_significant_digits(self, first, second, same):
        assert same_digits(first, second) is same

    def test_rounds(self):
        assert rounded(0.123456) == 0.1235
        assert rounded(-98765.4) == -98770
