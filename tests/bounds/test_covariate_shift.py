"""Lower bounds for new subjects from elsewhere, by a known density ratio."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv import ConformalLowerBound, Outcome
from consurv.bounds import METHODS
from consurv.errors import CalibrationWarning, InvalidInput
from consurv.models import CoxPH
from tests.test_weights import BAD

pytestmark = pytest.mark.filterwarnings("ignore:.* bounds lie beyond")
TIMES = np.geomspace(0.001, 500, 150)
WEIGHTED = ["aipcw", "ipcw", "kaplan-meier"]


def same_for_all(X):
    """A model that does not look at the subjects: the wrong one under a shift."""
    return TIMES, np.exp(-TIMES / np.full((len(X), 1), 10.0))


def censoring(X):
    return TIMES, np.exp(-TIMES / np.full((len(X), 1), 20.0))


def given(**settings):
    return ConformalLowerBound(same_for_all, censoring_model=censoring, **settings)


def ratio(X):
    """The density of N(1, 1) over that of N(0, 1)."""
    return np.exp(X[:, 0] - 0.5)


def draw(rng, n, *, mean=0.0, censored=False):
    X = rng.normal(mean, size=(n, 1))
    time = rng.exponential(10 * np.exp(-X[:, 0]))
    limit = rng.exponential(20, n) if censored else np.full(n, np.inf)
    return X, Outcome(np.minimum(time, limit), time <= limit), time


def coverage(seed, repeats, n, *, weighted, own=True, censored=False, **settings):
    """Return the mean share of new subjects that a bound covers, and its error."""
    rng, shares = np.random.default_rng(seed), []
    for _ in range(repeats):
        X, y, _ = draw(rng, n, censored=censored)
        new, _, time = draw(rng, 50, mean=1.0)
        weight, theirs = (ratio(X), ratio(new)) if weighted else (None, None)
        model = given(**settings).conformalize(X, y, sample_weight=weight)
        theirs = theirs if own else None
        bound = model.predict_lower_bound(new, sample_weight=theirs)
        shares.append(np.mean(time >= bound))
    return np.mean(shares), np.std(shares) / np.sqrt(repeats)


@pytest.mark.filterwarnings("ignore:the bound of .* subjects is 0")
class TestCoverage:
    def test_is_what_was_asked_with_the_ratio_and_far_off_without(self):
        found, error = coverage(0, 250, 300, weighted=True)
        assert 0.9 - 3 * error < found < 0.93
        plain, _ = coverage(0, 250, 300, weighted=False)
        assert plain < 0.8

    @pytest.mark.parametrize("method", WEIGHTED)
    def test_is_so_under_censoring(self, method):
        found, error = coverage(1, 20, 600, weighted=True, censored=True, method=method)
        assert 0.9 - 3 * error - 0.01 < found < 0.93

    def test_of_a_single_subject_counts_its_own_weight(self):
        # With few subjects the own weight matters: without it coverage is less.
        found, error = coverage(2, 400, 60, weighted=True, coverage=0.7)
        assert found > 0.7 - 3 * error
        short, _ = coverage(2, 400, 60, weighted=True, own=False, coverage=0.7)
        assert short < found


class TestWeights:
    RNG = np.random.default_rng(3)
    X, Y, _ = draw(RNG, 300, censored=True)
    WEIGHT = RNG.integers(1, 4, 300).astype(float)
    NEW = RNG.normal(size=(5, 1))

    @pytest.mark.parametrize("method", WEIGHTED)
    @pytest.mark.parametrize("all_seen", [True, False])
    def test_whole_weights_are_repeated_rows_for_a_new_one_of_weight_one(
        self, method, all_seen
    ):
        y = Outcome(self.Y.time, np.ones(300)) if all_seen else self.Y
        rows = np.repeat(np.arange(300), self.WEIGHT.astype(int))
        how = {"method": method, "least_seen": 0.2}
        found = given(**how).conformalize(self.X, y, sample_weight=self.WEIGHT)
        wanted = given(**how).conformalize(self.X[rows], y[rows])
        assert_allclose(
            found.predict_lower_bound(self.NEW, sample_weight=np.ones(5)),
            wanted.predict_lower_bound(self.NEW),
            rtol=1e-9,
        )

    @pytest.mark.parametrize("method", WEIGHTED)
    def test_ones_change_nothing(self, method):
        plain = given(method=method).conformalize(self.X, self.Y)
        ones = given(method=method)
        ones.conformalize(self.X, self.Y, sample_weight=np.ones(300))
        bound = plain.predict_lower_bound(self.NEW)
        assert_array_equal(ones.predict_lower_bound(self.NEW), bound)
        found = ones.predict_lower_bound(self.NEW, sample_weight=np.ones(5))
        assert_allclose(found, bound, rtol=1e-12)

    @pytest.mark.parametrize("method", WEIGHTED)
    def test_only_their_ratios_matter(self, method):
        found = []
        for factor in (1.0, 7.0):
            model = given(method=method)
            model.conformalize(self.X, self.Y, sample_weight=factor * self.WEIGHT)
            new = factor * np.array([0.1, 1, 2, 5, 9])
            found.append(model.predict_lower_bound(self.NEW, sample_weight=new))
        assert_allclose(found[0], found[1], rtol=1e-12)
        assert (np.diff(found[0]) <= 0).all()  # who weighs more is less sure
        assert found[0][0] > found[0][-1]

    def test_without_own_weights_new_subjects_weigh_as_the_others_on_average(self):
        model = given().conformalize(self.X, self.Y, sample_weight=self.WEIGHT)
        mean = np.full(5, self.WEIGHT.mean())
        assert_allclose(
            model.predict_lower_bound(self.NEW),
            model.predict_lower_bound(self.NEW, sample_weight=mean),
            rtol=1e-12,
        )

    def test_who_weighs_too_much_gets_zero_and_a_warning(self):
        model = given().conformalize(self.X, self.Y, sample_weight=self.WEIGHT)
        with pytest.warns(CalibrationWarning, match="the bound of 2 of 5 subjects is"):
            found = model.predict_lower_bound(
                self.NEW, sample_weight=[1, 1e6, 1, 1e4, 1]
            )
        assert_array_equal(found == 0, [False, True, False, True, False])

    def test_zero_leaves_a_subject_out(self):
        weight = np.where(np.arange(300) % 3 == 0, 0.0, 1.0)
        limit = np.where(self.Y.event, np.inf, self.Y.time)
        model = given()
        model.conformalize(self.X, self.Y, sample_weight=weight, censoring_time=limit)
        some = weight > 0
        wanted = given().conformalize(self.X[some], self.Y[some])
        assert model.n_conformal_ == 200
        assert_array_equal(
            model.predict_lower_bound(self.NEW), wanted.predict_lower_bound(self.NEW)
        )

    def test_fit_takes_them_for_the_rows_that_calibrate(self):
        how = {"random_state": 0, "conformal_set": "cross"}
        plain = ConformalLowerBound(CoxPH(), **how).fit(self.X, self.Y)
        model = ConformalLowerBound(CoxPH(), **how)
        late = np.where(self.Y.time > np.median(self.Y.time), 5.0, 1.0)
        model.fit(self.X, self.Y, sample_weight=late)
        found, wanted = (m.predict_lower_bound(self.NEW) for m in (model, plain))
        assert (found > wanted).all()
        assert model.weights_.largest >= 5

    def test_many_levels_are_looked_at_evenly_and_cautiously(self, monkeypatch):
        model = given().conformalize(self.X, self.Y)
        exact = model.predict_lower_bound(self.NEW, sample_weight=np.ones(5))
        monkeypatch.setattr("consurv.weighting.sample._MOST", 40)
        coarse = model.predict_lower_bound(self.NEW, sample_weight=np.ones(5))
        assert (coarse <= exact).all()
        assert_allclose(coarse, exact, rtol=0.5)


class TestRefusals:
    X, Y, _ = draw(np.random.default_rng(4), 100, censored=True)

    @pytest.mark.parametrize("method", [n for n in METHODS if n not in WEIGHTED])
    def test_other_methods(self, method):
        with pytest.raises(InvalidInput, match="takes no sample_weight; choose one of"):
            given(method=method).conformalize(
                self.X, self.Y, sample_weight=np.full(100, 2.0)
            )

    def test_other_methods_of_new_subjects(self):
        model = given(method="focused").conformalize(self.X, self.Y)
        with pytest.raises(InvalidInput, match="method='focused' takes no"):
            model.predict_lower_bound(self.X, sample_weight=np.full(100, 2.0))

    @pytest.mark.parametrize(("weight", "message"), BAD)
    def test_bad_weights_of_new_subjects(self, weight, message):
        model = given().conformalize(self.X, self.Y)
        message = message.replace("y has 3", "X has 3")
        with pytest.raises(InvalidInput, match=message):
            model.predict_lower_bound(self.X[:3], sample_weight=weight)

    @pytest.mark.parametrize(("weight", "message"), BAD)
    def test_bad_weights_of_those_who_calibrate(self, weight, message):
        with pytest.raises(InvalidInput, match=message):
            given().conformalize(self.X[:3], self.Y[:3], sample_weight=weight)

    def test_screening(self):
        model = given().conformalize(self.X, self.Y, sample_weight=np.full(100, 2.0))
        with pytest.raises(InvalidInput, match="screen takes no weights"):
            model.screen(self.X, 1.0)

    def test_weights_that_are_worth_too_few_subjects(self):
        weight = np.r_[np.full(3, 1e6), np.ones(97)]
        with pytest.raises(InvalidInput, match="the 100 at hand are worth 3"):
            given().conformalize(self.X, self.Y, sample_weight=weight)
