"""Curves from laws, hazards and masses, against closed forms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from consurv import InvalidInput, SurvivalCurves

TIMES = np.array([0.3, 1.0, 4.0])
W = {
    "weibull": stats.gumbel_l,
    "extreme": stats.gumbel_l,
    "log-normal": stats.norm,
    "normal": stats.norm,
    "log-logistic": stats.logistic,
    "logistic": stats.logistic,
}


class TestFromAft:
    @pytest.mark.parametrize("law", W)
    def test_is_the_law_of_the_logarithm(self, law):
        location, scale = np.array([0.5, -1.0]), np.array([0.7, 2.0])
        curves = SurvivalCurves.from_aft(location, scale, law)
        z = (np.log(TIMES) - location[:, None]) / scale[:, None]
        assert_allclose(curves.survival_at(TIMES), W[law].sf(z), rtol=1e-12)

    def test_one_scale_serves_all(self):
        one = SurvivalCurves.from_aft([0.0, 1.0], 0.5)
        two = SurvivalCurves.from_aft([0.0, 1.0], [0.5, 0.5])
        assert_allclose(one.median(), two.median(), rtol=0)

    def test_knows_where_its_data_end(self):
        assert SurvivalCurves.from_aft([0.0], 1, last_time=7).last_time == 7

    @pytest.mark.parametrize("scale", [0.0, -1.0, [1.0, 0.0]])
    def test_a_scale_of_0_is_refused(self, scale):
        with pytest.raises(InvalidInput, match=r"scale must be > 0.*the first is"):
            SurvivalCurves.from_aft([0.0, 1.0], scale)

    def test_what_is_missing_or_does_not_fit_is_refused(self):
        with pytest.raises(InvalidInput, match="location has 1 NaN"):
            SurvivalCurves.from_aft([0.0, np.nan], 1)
        with pytest.raises(InvalidInput, match="location has 2, scale has 3"):
            SurvivalCurves.from_aft([0.0, 1.0], [1, 1, 1])
        with pytest.raises(InvalidInput, match="unknown law 'gamma'"):
            SurvivalCurves.from_aft([0.0], 1, "gamma")


class TestFromHazards:
    def test_of_a_constant_hazard_is_geometric(self):
        curves = SurvivalCurves.from_hazards(np.arange(1, 6), np.full((2, 5), 0.2))
        assert_allclose(curves.survival_at(np.arange(6.0)), [0.8 ** np.arange(6)] * 2)

    def test_logits_are_refused_with_the_way_out(self):
        with pytest.raises(InvalidInput, match=r"row 0, column 1: -1.3.*hazard-logits"):
            SurvivalCurves.from_hazards([1, 2], [[0.2, -1.3]])


class TestFromPmf:
    def test_is_what_the_hazards_give(self):
        hazards = np.random.default_rng(0).random((4, 6))
        survival = np.cumprod(1 - hazards, axis=1)
        before = np.c_[np.ones(4), survival[:, :-1]]
        pmf = before * hazards
        times = np.arange(1.0, 7)
        expected = SurvivalCurves.from_hazards(times, hazards).survival
        for masses in (pmf, np.c_[pmf, survival[:, -1]]):
            found = SurvivalCurves.from_pmf(times, masses).survival
            assert_allclose(found, expected, atol=1e-12)

    def test_float32_comes_down_to_0(self):
        pmf = np.full((1, 10), 0.1, dtype=np.float32)
        assert SurvivalCurves.from_pmf(np.arange(1, 11), pmf).survival[0, -1] == 0

    def test_masses_that_do_not_add_up_are_refused(self):
        with pytest.raises(InvalidInput, match=r"at most 1, but those of row 1 .* 1.5"):
            SurvivalCurves.from_pmf([1, 2], [[0.5, 0.5], [0.75, 0.75]])
        with pytest.raises(InvalidInput, match=r"up to 1, but those of row 0 .* 0.75"):
            SurvivalCurves.from_pmf([1, 2], [[0.5, 0.25, 0.0]])

    def test_logits_are_refused_with_the_way_out(self):
        with pytest.raises(InvalidInput, match="pmf-logits"):
            SurvivalCurves.from_pmf([1, 2], [[3.0, -1.3]])


class TestToQuantiles:
    def test_are_percentile_times_by_level(self):
        curves = SurvivalCurves.from_aft([0.0, 1.0], 0.5)
        frame = curves.to_quantiles()
        assert frame.shape == (2, 19)
        assert_allclose(frame.to_numpy(), curves.percentile_times(frame.columns))
        assert_allclose(frame[0.5], curves.median())
        assert curves.to_quantiles([0.9]).columns.tolist() == [0.9]
