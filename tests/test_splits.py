import numpy as np
import pytest

from consurv import InvalidInput, Outcome
from consurv.splits import folds, split


@pytest.fixture
def outcome():
    rng = np.random.default_rng(1)
    return Outcome(time=rng.exponential(size=997) + 0.01, event=rng.random(997) < 0.37)


def quartile_shares(y, rows):
    """Share of events, and of events and censorings by quartile of time."""
    edges = np.quantile(y.time, [0.25, 0.5, 0.75])
    group = np.searchsorted(edges, y.time) + 4 * y.event
    return np.bincount(group[rows], minlength=8) / len(rows)


class TestSplit:
    @pytest.mark.parametrize("fraction", [0.1, 0.3, 0.5, 0.8])
    def test_parts_are_disjoint_and_complete(self, outcome, fraction):
        kept, held = split(outcome, fraction, 0)
        assert len(held) == pytest.approx(fraction * len(outcome), abs=1)
        np.testing.assert_array_equal(
            np.sort(np.concatenate([kept, held])), np.arange(len(outcome))
        )

    @pytest.mark.parametrize("fraction", [0.1, 0.3, 0.5])
    def test_events_and_times_are_balanced(self, outcome, fraction):
        kept, held = split(outcome, fraction, 0)
        # Every cell holds about 4 % to 16 %; at random its share in 100 held
        # subjects would be off by up to 7 points.
        difference = quartile_shares(outcome, kept) - quartile_shares(outcome, held)
        assert abs(difference).max() < 1.5 / (fraction * len(outcome)) * 2

    def test_a_seed_fixes_it_and_another_changes_it(self, outcome):
        np.testing.assert_array_equal(
            split(outcome, 0.2, 3)[1], split(outcome, 0.2, 3)[1]
        )
        assert set(split(outcome, 0.2, 3)[1]) != set(split(outcome, 0.2, 4)[1])

    def test_every_subject_is_held_out_equally_often(self):
        y = Outcome(time=np.arange(1, 31), event=np.arange(30) % 2)
        count = np.zeros(30)
        for seed in range(2000):
            count[split(y, 0.2, seed)[1]] += 1
        # Standard error sqrt(0.2 * 0.8 / 2000) = 0.009; 30 subjects, 4 of them.
        assert abs(count / 2000 - 0.2).max() < 0.036

    @pytest.mark.parametrize("fraction", [0, 1, -0.1, "half", True])
    def test_a_bad_fraction_is_refused(self, outcome, fraction):
        with pytest.raises(InvalidInput, match="strictly between 0 and 1"):
            split(outcome, fraction)

    def test_too_few_subjects_are_refused(self):
        with pytest.raises(InvalidInput, match="1 subjects are too few"):
            split(Outcome(time=[1], event=[1]), 0.5)


class TestFolds:
    @pytest.mark.parametrize("n_folds", [2, 5, 10])
    def test_sizes_and_balance(self, outcome, n_folds):
        fold = folds(outcome, n_folds, 0)
        sizes = np.bincount(fold)
        assert len(sizes) == n_folds
        assert np.ptp(sizes) <= 1
        whole = quartile_shares(outcome, np.arange(len(outcome)))
        for i in range(n_folds):
            part = quartile_shares(outcome, np.flatnonzero(fold == i))
            assert abs(part - whole).max() < 3 / sizes[i]

    @pytest.mark.parametrize("n_folds", [1, 4])
    def test_a_bad_number_is_refused(self, n_folds):
        with pytest.raises(InvalidInput, match="between 2 and the number of subjects"):
            folds(Outcome(time=[1, 2, 3], event=[1, 1, 1]), n_folds)
