import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV, cross_val_score

from consurv import InvalidInput, Outcome
from consurv.datasets import load_dataset
from consurv.metrics import d_calibration
from consurv.models import KaplanMeierModel
from consurv.splits import (
    StratifiedSurvivalKFold,
    folds,
    split,
    train_validation_test,
)

KINDS = ("event", "event+time", None)


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
    def test_events_are_balanced(self, outcome, fraction):
        kept, held = split(outcome, fraction, 0)
        shares = [outcome[rows].n_events / len(rows) for rows in (kept, held)]
        assert abs(shares[0] - shares[1]) < 1.5 / len(held)

    @pytest.mark.parametrize("fraction", [0.1, 0.3, 0.5])
    def test_events_and_times_are_balanced(self, outcome, fraction):
        kept, held = split(outcome, fraction, 0, stratify="event+time")
        # Every cell holds about 4 % to 16 %; at random its share in 100 held
        # subjects would be off by up to 7 points.
        difference = quartile_shares(outcome, kept) - quartile_shares(outcome, held)
        assert abs(difference).max() < 1.5 / (fraction * len(outcome)) * 2

    def test_a_seed_fixes_it_and_another_changes_it(self, outcome):
        np.testing.assert_array_equal(
            split(outcome, 0.2, 3)[1], split(outcome, 0.2, 3)[1]
        )
        assert set(split(outcome, 0.2, 3)[1]) != set(split(outcome, 0.2, 4)[1])

    @pytest.mark.parametrize("stratify", KINDS)
    def test_every_subject_is_held_out_equally_often(self, stratify):
        y = Outcome(time=np.arange(1, 31), event=np.arange(30) % 2)
        count = np.zeros(30)
        for seed in range(2000):
            count[split(y, 0.2, seed, stratify=stratify)[1]] += 1
        # Standard error sqrt(0.2 * 0.8 / 2000) = 0.009; 30 subjects, 4 of them.
        assert abs(count / 2000 - 0.2).max() < 0.036

    @pytest.mark.parametrize(
        ("stratify", "share"),
        [(None, 15 / 29), ("event", 8 / 15), ("event+time", 1.0)],
    )
    def test_the_fate_of_neighbours(self, stratify, share):
        """One half of 30 leaves out a given other with 15/29, one half of the 15 with
        an event with 8/15 (or 7/15, if it holds 8, which is the same on average); in
        runs of two by time they are always apart."""
        y = Outcome(time=np.arange(1, 31), event=np.arange(30) % 2)
        apart = [
            np.isin([3, 5], split(y, 0.5, seed, stratify=stratify)[1]).sum() == 1
            for seed in range(2000)
        ]
        # Standard error 0.011.
        assert np.mean(apart) == pytest.approx(share, abs=0.035)

    def test_a_bad_way_to_stratify_is_refused(self, outcome):
        for cut in (split, folds):
            with pytest.raises(InvalidInput, match=r"stratify='time'.*'event\+time'"):
                cut(outcome, 0.5 if cut is split else 2, stratify="time")

    @pytest.mark.parametrize("fraction", [0, 1, -0.1, "half", True])
    def test_a_bad_fraction_is_refused(self, outcome, fraction):
        with pytest.raises(InvalidInput, match="strictly between 0 and 1"):
            split(outcome, fraction)

    def test_too_few_subjects_are_refused(self):
        with pytest.raises(InvalidInput, match="1 subjects are too few"):
            split(Outcome(time=[1], event=[1]), 0.5)


class TestFolds:
    @pytest.mark.parametrize("n_folds", [2, 5, 10])
    @pytest.mark.parametrize("stratify", KINDS)
    def test_sizes(self, outcome, n_folds, stratify):
        sizes = np.bincount(folds(outcome, n_folds, 0, stratify=stratify))
        assert len(sizes) == n_folds
        assert np.ptp(sizes) <= 1

    @pytest.mark.parametrize("n_folds", [2, 5, 10])
    def test_events_are_balanced(self, outcome, n_folds):
        fold = folds(outcome, n_folds, 0)
        assert np.ptp(np.bincount(fold, weights=outcome.event)) <= 1

    @pytest.mark.parametrize("n_folds", [2, 5, 10])
    def test_times_are_balanced(self, outcome, n_folds):
        fold = folds(outcome, n_folds, 0, stratify="event+time")
        sizes = np.bincount(fold)
        whole = quartile_shares(outcome, np.arange(len(outcome)))
        for i in range(n_folds):
            part = quartile_shares(outcome, np.flatnonzero(fold == i))
            assert abs(part - whole).max() < 3 / sizes[i]

    @pytest.mark.parametrize("n_folds", [1, 4, 2.5, "3", None, True])
    def test_a_bad_number_is_refused(self, n_folds):
        with pytest.raises(InvalidInput, match="between 2 and the number of subjects"):
            folds(Outcome(time=[1, 2, 3], event=[1, 1, 1]), n_folds)


class TestTrainValidationTest:
    @pytest.mark.parametrize("shares", [(0.1, 0.1), (0.09, 0.1), (0.2, 0.5)])
    def test_parts_are_disjoint_and_complete(self, outcome, shares):
        parts = train_validation_test(outcome, *shares, random_state=0)
        np.testing.assert_array_equal(
            np.sort(np.concatenate(parts)), np.arange(len(outcome))
        )
        for rows, share in zip(parts[1:], shares, strict=True):
            assert len(rows) == pytest.approx(share * len(outcome), abs=1)
            assert (np.diff(rows) > 0).all()

    def test_events_and_times_are_balanced(self, outcome):
        whole = quartile_shares(outcome, np.arange(len(outcome)))
        parts = train_validation_test(outcome, random_state=0, stratify="event+time")
        for rows in parts:
            # No cell is off by more than 3 subjects of a part.
            assert abs(quartile_shares(outcome, rows) - whole).max() < 3 / len(rows)

    def test_a_seed_fixes_it_and_another_changes_it(self, outcome):
        first, again, other = (
            train_validation_test(outcome, random_state=seed) for seed in (3, 3, 4)
        )
        for one, same, different in zip(first, again, other, strict=True):
            np.testing.assert_array_equal(one, same)
            assert set(one) != set(different)

    def test_a_generator_moves_on(self, outcome):
        rng = np.random.default_rng(0)
        first, second = (
            train_validation_test(outcome, random_state=rng)[2] for _ in "ab"
        )
        assert set(first) != set(second)

    @pytest.mark.parametrize("name", ["validation", "test"])
    @pytest.mark.parametrize("share", [0, 1, "a tenth"])
    def test_a_bad_share_is_refused(self, outcome, name, share):
        with pytest.raises(InvalidInput, match=f"{name}=.*strictly between 0 and 1"):
            train_validation_test(outcome, **{name: share})

    def test_shares_that_leave_nothing_are_refused(self, outcome):
        with pytest.raises(InvalidInput, match=r"test=0\.6 leave nothing for training"):
            train_validation_test(outcome, 0.4, 0.6)

    def test_too_few_subjects_are_refused(self):
        with pytest.raises(InvalidInput, match="too few to hold out"):
            train_validation_test(Outcome(time=[1, 2], event=[1, 1]), 0.3, 0.3, 0)


class MeanTime(BaseEstimator):
    """A model that predicts the mean time of its training rows."""

    def __init__(self, factor=1.0):
        self.factor = factor

    def fit(self, X, y):
        self.mean_ = Outcome.of(y).time.mean() * self.factor
        return self

    def score(self, X, y):
        return -abs(Outcome.of(y).time.mean() - self.mean_)


class TestStratifiedSurvivalKFold:
    def test_every_subject_is_tested_once(self, outcome):
        cv = StratifiedSurvivalKFold(5, random_state=0)
        X, tested = np.zeros((len(outcome), 1)), []
        for train, test in cv.split(X, outcome):
            assert not set(train) & set(test)
            assert len(train) + len(test) == len(outcome)
            tested.append(test)
        np.testing.assert_array_equal(
            np.sort(np.concatenate(tested)), np.arange(len(outcome))
        )
        assert len(tested) == cv.get_n_splits(X, outcome) == 5

    def test_folds_are_balanced(self, outcome):
        whole = quartile_shares(outcome, np.arange(len(outcome)))
        cv = StratifiedSurvivalKFold(10, random_state=1, stratify="event+time")
        for _, test in cv.split(None, outcome):
            assert abs(quartile_shares(outcome, test) - whole).max() < 3 / len(test)

    @pytest.mark.parametrize("form", [lambda y: y, Outcome.to_structured])
    def test_works_in_cross_val_score(self, outcome, form):
        X, y = np.zeros((len(outcome), 1)), form(outcome)
        cv = StratifiedSurvivalKFold(4, random_state=0, stratify="event+time")
        scores = cross_val_score(MeanTime(), X, y, cv=cv)
        assert scores.shape == (4,)
        # Balanced folds have nearly the same mean time; an even split does not.
        assert scores.min() > -0.05
        np.testing.assert_array_equal(scores, cross_val_score(MeanTime(), X, y, cv=cv))

    def test_works_in_a_search(self, outcome):
        cv = StratifiedSurvivalKFold(3, random_state=0)
        search = GridSearchCV(MeanTime(), {"factor": [0.5, 1.0, 2.0]}, cv=cv)
        search.fit(np.zeros((len(outcome), 1)), outcome.to_structured())
        assert search.best_params_ == {"factor": 1.0}

    @pytest.mark.parametrize("n_splits", [1, 2.5, True])
    def test_a_bad_number_is_refused(self, n_splits):
        with pytest.raises(InvalidInput, match=r"n_splits=.*whole number >= 2"):
            StratifiedSurvivalKFold(n_splits)

    def test_missing_outcomes_are_refused(self):
        with pytest.raises(InvalidInput, match="y is missing"):
            next(StratifiedSurvivalKFold(2).split(np.zeros((4, 1))))

    def test_fewer_subjects_than_folds_are_refused(self):
        y = Outcome(time=[1, 2], event=[1, 0])
        with pytest.raises(InvalidInput, match="between 2 and the number of subjects"):
            next(StratifiedSurvivalKFold(3).split(np.zeros((2, 1)), y))


@pytest.mark.slow
def test_kaplan_meier_is_as_good_as_chance_lets_it():
    """D-cal of the Kaplan-Meier curve of the training rows, x 10³, over 60 splits of
    GBSG: what chance leaves to 220 test rows with all that is right."""
    outcome = load_dataset("GBSG").outcome
    found = {}
    for stratify in KINDS:
        errors = []
        for seed in range(60):
            train, test = split(outcome, 0.1, seed, stratify=stratify)
            X = np.zeros((len(outcome), 1))
            model = KaplanMeierModel().fit(X[train], outcome[train].to_structured())
            curves = model.predict_survival_function(X[test])
            errors.append(1e3 * float(d_calibration(outcome[test], curves)))
        found[stratify] = np.mean(errors)
    assert found["event+time"] < 0.02
    # Event alone fixes the censored share, and with it part of the histogram.
    assert 0.2 < found["event"] < 0.4
    assert 0.5 < found[None] < 0.9


@pytest.mark.parametrize("seed", ["x", -1, 1.5])
def test_a_bad_seed_is_refused(seed):
    y = Outcome(time=range(1, 61), event=[1, 0] * 30)
    calls = [
        lambda: folds(y, 3, seed),
        lambda: split(y, 0.3, seed),
        lambda: train_validation_test(y, random_state=seed),
        lambda: next(StratifiedSurvivalKFold(3, random_state=seed).split(None, y)),
    ]
    for call in calls:
        with pytest.raises(InvalidInput, match=f"random_state={seed!r} is not valid"):
            call()
