"""Kaplan–Meier with weights: rows repeated so often."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv import KaplanMeier, Outcome
from consurv.errors import InvalidInput


def sample(seed, n=200, whole=True):
    rng = np.random.default_rng(seed)
    time = rng.exponential(10, n)
    y = Outcome(np.ceil(time) if whole else time, rng.random(n) < 0.6)
    return y, rng.integers(0, 4, n)


class TestWeights:
    @pytest.mark.parametrize("seed", range(6))
    def test_whole_numbers_are_repeated_rows(self, seed):
        y, weight = sample(seed, whole=seed % 2 == 0)
        repeated = KaplanMeier(y[np.repeat(np.arange(len(y)), weight)])
        assert KaplanMeier(y, sample_weight=weight) == repeated
        assert KaplanMeier(y, sample_weight=weight).n == weight.sum()

    def test_ones_change_nothing(self):
        y, _ = sample(1)
        assert KaplanMeier(y, sample_weight=np.ones(len(y))) == KaplanMeier(y)

    def test_a_factor_changes_no_survival(self):
        y, weight = sample(2)
        half, whole = (KaplanMeier(y.weighted(k * weight)) for k in (0.3, 1))
        assert_allclose(half.survival, whole.survival, rtol=1e-12)
        assert_allclose(half.at_risk, 0.3 * whole.at_risk, rtol=1e-12)
        assert half.n == pytest.approx(0.3 * whole.n)

    def test_the_order_of_rows_changes_no_bit(self):
        y, weight = sample(3)
        y, rng = y.weighted(weight / 7 + 0.01), np.random.default_rng(0)
        assert KaplanMeier(y[rng.permutation(len(y))]) == KaplanMeier(y)

    def test_comes_down_to_zero_where_the_last_are_events(self):
        y = Outcome([1, 2, 3, 3], [0, 1, 1, 1], weight=[0.1, 0.2, 0.3, 0.7])
        assert KaplanMeier(y).s_max == 0

    def test_is_made_anew_from_its_arrays(self):
        y, weight = sample(4)
        km = KaplanMeier(y.weighted(weight * 0.7))
        assert KaplanMeier.from_arrays(**km.to_arrays()) == km
        assert_array_equal(km.at_risk, km.to_arrays()["at_risk"])

    def test_an_event_of_weight_zero_is_none(self):
        y = Outcome([1, 2], [1, 0], weight=[0, 1])
        with pytest.raises(InvalidInput, match="has no event"):
            KaplanMeier(y)

    def test_pseudo_observations_of_members_are_refused(self):
        y, weight = sample(5)
        with pytest.raises(InvalidInput, match="no plain meaning with weights"):
            KaplanMeier(y).member_pseudo_observations(y.weighted(weight))
        with pytest.raises(InvalidInput, match="no plain meaning with weights"):
            KaplanMeier(y.weighted(weight * 0.5)).member_pseudo_observations(y)

    @pytest.mark.parametrize("seed", range(4))
    def test_an_outsider_is_one_subject_more(self, seed):
        """(N + 1)θ₊ − Nθ by curves made anew, past the end of the sample too."""
        y, weight = sample(seed, n=40, whole=seed % 2 == 0)
        y = y.weighted(0.3 * weight + 0.1)
        km = KaplanMeier(y)
        new = Outcome(np.linspace(0.5, 1.5 * km.t_max, 9), [0, 1, 0, 0, 1, 0, 0, 1, 0])
        found = km.outsider_pseudo_observations(new)
        for one, value in zip((new[i] for i in range(9)), found, strict=True):
            more = KaplanMeier(Outcome.concatenate([y, one]))
            wanted = (km.n + 1) * more.mean() - km.n * km.mean()
            assert value == pytest.approx(wanted, rel=1e-9)
