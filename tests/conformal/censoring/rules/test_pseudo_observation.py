"""A censored subject at its pseudo-observation."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv.conformal.censoring.rules.pseudo_observation import PseudoObservationRule
from consurv.conformal.parts.blocks import Block
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.outcome import Outcome

HAND = Outcome([2, 3, 4, 5, 6], [1, 0, 1, 0, 1])


def times(y, reference=None, *, member=False):
    block = Block(np.zeros((len(y), 1)), np.array([0.5]), y, reference, member)
    found = PseudoObservationRule().contribution(block, np.random.default_rng(0))
    assert_array_equal(found.point_rows, np.arange(len(y)))
    assert found.law is None
    return found.point_times


class TestContribution:
    def test_members_by_hand(self):
        # 5·14/3 − 4·4.5 = 16/3 and 5·14/3 − 4·4.25 = 19/3; events stay.
        assert_allclose(times(HAND), [2, 16 / 3, 4, 19 / 3, 6], rtol=1e-14)

    def test_an_outsider_by_hand(self):
        # Sample 2, 3+, 4, 6: θ = 17/4; with 5+ θ₊ = 14/3: 5·14/3 − 4·17/4 = 19/3.
        km = KaplanMeier(Outcome([2, 3, 4, 6], [1, 0, 1, 1]))
        assert_allclose(times(Outcome([5, 1], [0, 1]), km), [19 / 3, 1], rtol=1e-14)

    @pytest.mark.parametrize("seed", range(5))
    def test_by_refitting_for_each_subject(self, seed):
        rng = np.random.default_rng(seed)
        y = Outcome(rng.integers(1, 9, 20), rng.random(20) < 0.6)
        theta = KaplanMeier(y).mean()
        members = y.time.copy()
        for i in np.flatnonzero(~y.event):
            rest = np.arange(20) != i
            members[i] = 20 * theta - 19 * KaplanMeier(y[rest]).mean()
        assert_allclose(times(y), members, rtol=1e-11)
        assert_array_equal(times(y), times(y, KaplanMeier(y), member=True))
        outsiders = y.time.copy()
        for i in np.flatnonzero(~y.event):
            more = KaplanMeier(Outcome([*y.time, y.time[i]], [*y.event, False]))
            outsiders[i] = 21 * more.mean() - 20 * theta
        assert_allclose(times(y, KaplanMeier(y)), outsiders, rtol=1e-11)

    def test_the_only_event_may_stand_among_censored_subjects(self):
        # Only censored subjects are left out in turn, never the event.
        assert np.isfinite(times(Outcome([2, 3, 5], [0, 1, 0]))).all()

    def test_without_censoring_no_curve_is_needed(self):
        assert_array_equal(times(Outcome([1, 2], [1, 1])), [1, 2])
