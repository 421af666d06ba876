import numpy as np
import pytest
from scipy.stats import chisquare

from consurv import KaplanMeier, Outcome
from consurv.datasets import TableEncoder, make_seer_like, make_weibull
from consurv.errors import InvalidInput
from consurv.metrics import concordance_index, d_calibration

SITES = {
    "brain": (73703, 10, 0.4012),
    "liver": (82841, 14, 0.3757),
    "stomach": (100360, 14, 0.4340),
}


def uncensored(data):
    return Outcome(time=data.true_time, event=np.ones(len(data), dtype=bool))


def same(a, b):
    return a.X.equals(b.X) and np.array_equal(a.y, b.y)


class TestMakeWeibull:
    @pytest.mark.parametrize("dependent", [False, True])
    @pytest.mark.parametrize("censoring", [0, 0.1, 0.4, 0.9])
    def test_censors_the_share_that_was_asked_for(self, censoring, dependent):
        data = make_weibull(
            1234, censoring=censoring, dependent_censoring=dependent, random_state=0
        )
        assert data.censored == pytest.approx(censoring, abs=0.5 / 1234)

    @pytest.mark.parametrize("dependent", [False, True])
    def test_true_curves_are_calibrated(self, dependent):
        data = make_weibull(20_000, dependent_censoring=dependent, random_state=1)
        curves = data.true_curves(data.X)
        for outcome in (uncensored(data), data.outcome):
            assert d_calibration(outcome, curves).p_value > 0.05

    def test_curves_of_others_are_not(self):
        data = make_weibull(2000, random_state=1)
        shuffled = data.true_curves(data.X.iloc[::-1])
        assert d_calibration(uncensored(data), shuffled).p_value < 0.001

    def test_true_curves_are_the_formula(self):
        data = make_weibull(50, shape=0.8, scale=3.0, random_state=2)
        times = np.geomspace(0.01, 30, 40)
        risk = np.exp(data.X.to_numpy() @ data.coefficients)[:, np.newaxis]
        expected = np.exp(-risk * (times / 3.0) ** 0.8)
        found = data.true_curves(data.X).survival_at(times)
        np.testing.assert_allclose(found, expected, atol=1e-4)
        assert data.true_curves(data.X.to_numpy()).survival.shape[0] == 50

    def test_observed_times_never_pass_the_true_ones(self):
        data = make_weibull(500, random_state=3)
        event, time = data.y["event"], data.y["time"]
        np.testing.assert_array_equal(time[event], data.true_time[event])
        assert (time[~event] < data.true_time[~event]).all()

    def test_effect_is_the_spread_of_the_log_risk(self):
        data = make_weibull(20_000, n_features=3, effect=0.7, random_state=4)
        assert data.log_risk(data.X).std() == pytest.approx(0.7, abs=0.02)
        none = make_weibull(2000, effect=0, random_state=4)
        assert not none.log_risk(none.X).any()

    def test_more_effect_ranks_better(self):
        found = []
        for effect in (0.2, 1.0, 3.0):
            data = make_weibull(2000, effect=effect, random_state=5)
            curves = data.true_curves(data.X)
            found.append(float(concordance_index(data.outcome, curves)))
        assert found == sorted(found)
        assert found[0] < 0.6
        assert found[-1] > 0.85

    def test_dependent_censoring_biases_kaplan_meier_upwards(self):
        bias = {}
        for dependent in (False, True):
            data = make_weibull(20_000, dependent_censoring=dependent, random_state=6)
            median = np.median(data.true_time)
            bias[dependent] = float(KaplanMeier(data.y).survival_at(median)) - 0.5
        # Standard error about 0.005.
        assert abs(bias[False]) < 0.015
        assert bias[True] > 0.03

    def test_a_seed_fixes_it_and_another_changes_it(self):
        first, again, other = (make_weibull(99, random_state=s) for s in (1, 1, 2))
        assert same(first, again)
        assert not same(first, other)

    @pytest.mark.parametrize(
        ("params", "message"),
        [
            ({"n": 0}, "n=0.*>= 1"),
            ({"n_features": 0}, "n_features=0"),
            ({"effect": -1}, "effect=-1.*>= 0"),
            ({"censoring": 1.0}, "censoring=1.0.*between 0 and 1"),
            ({"censoring": True}, "censoring=True"),
            ({"dependent_censoring": "yes"}, "dependent_censoring='yes'"),
            ({"shape": 0}, "shape=0"),
            ({"scale": -2.0}, "scale=-2.0"),
        ],
    )
    def test_bad_parameters_are_refused(self, params, message):
        with pytest.raises(InvalidInput, match=message):
            make_weibull(**({"n": 10} | params))

    def test_other_features_are_refused(self):
        data = make_weibull(10, random_state=0)
        with pytest.raises(InvalidInput, match=r"X has 3 columns.*5 features"):
            data.true_curves(np.zeros((2, 3)))
        with pytest.raises(InvalidInput, match="lacks the column 'x4'"):
            data.true_curves(data.X.drop(columns="x4"))

    def test_finds_its_columns_by_name(self):
        data = make_weibull(10, random_state=0)
        turned = data.X[data.X.columns[::-1]].assign(other=1)
        np.testing.assert_allclose(data.log_risk(turned), data.log_risk(data.X))

    def test_shows_its_size(self):
        data = make_weibull(10, censoring=0.5, random_state=0)
        assert repr(data) == "SimulatedDataset(n=10, features=5, censored=50.00%)"


class TestMakeSeerLike:
    @pytest.mark.parametrize("dependent", [False, True])
    @pytest.mark.parametrize("site", SITES)
    def test_has_the_size_and_censoring_of_the_site(self, site, dependent):
        n, n_features, censored = SITES[site]
        data = make_seer_like(site, dependent_censoring=dependent, random_state=0)
        assert data.X.shape == (len(data), n_features) == (n, n_features)
        assert data.censored == pytest.approx(censored, abs=1e-4)
        months = data.y["time"]
        np.testing.assert_array_equal(months, np.round(months))
        assert (months.min(), months.max()) == (1, 227)
        assert TableEncoder().fit_transform(data.X).shape == (n, n_features)

    @pytest.mark.parametrize("dependent", [False, True])
    def test_true_curves_are_right_at_every_month(self, dependent):
        data = make_seer_like("brain", dependent_censoring=dependent, random_state=1)
        rows = slice(0, 20_000)
        curves = data.true_curves(data.X[rows])
        month = np.minimum(data.true_time[rows], 227)
        # With atoms, a uniform place between S before and S at the event is uniform.
        after = curves.survival_at_observed(month)
        after = np.where(data.true_time[rows] > 227, 0, after)
        before = curves.survival_at_observed(month - 1)
        last = curves.survival_at([227])[:, 0]
        before = np.where(data.true_time[rows] > 227, last, before)
        place = np.random.default_rng(0).uniform(after, before)
        counts = np.histogram(place, bins=10, range=(0, 1))[0]
        assert chisquare(counts).pvalue > 0.01

    def test_observed_months_never_pass_the_true_ones(self):
        data = make_seer_like("liver", random_state=2)
        event, time = data.y["event"], data.y["time"]
        np.testing.assert_array_equal(time[event], data.true_time[event])
        assert (time[~event] < data.true_time[~event]).all()

    def test_kaplan_meier_finds_the_truth_unless_censoring_depends(self):
        bias = {}
        for dependent in (False, True):
            data = make_seer_like(
                "stomach", dependent_censoring=dependent, random_state=3
            )
            found = KaplanMeier(data.y).survival_at([6, 24, 60])
            true = [(data.true_time > t).mean() for t in (6, 24, 60)]
            bias[dependent] = np.abs(found - true).max()
        assert bias[False] < 0.01
        assert bias[True] > 0.02

    def test_a_seed_fixes_it_and_another_changes_it(self):
        first, again, other = (
            make_seer_like("brain", random_state=s) for s in (1, 1, 2)
        )
        assert same(first, again)
        assert not same(first, other)

    def test_bad_parameters_are_refused(self):
        with pytest.raises(InvalidInput, match="Choose one of: brain, liver, stomach"):
            make_seer_like("lung")
        with pytest.raises(InvalidInput, match="dependent_censoring=1 is not valid"):
            make_seer_like("brain", dependent_censoring=1)
