import numpy as np
import pytest
from numpy.testing import assert_allclose

from consurv.curves.risk_sets import RiskSets
from consurv.outcome import Outcome


@pytest.fixture
def tied():
    """Whole-number times: many ties of events with events and censorings."""
    rng = np.random.default_rng(0)
    return Outcome(rng.integers(1, 8, 60), rng.random(60) < 0.6), rng.normal(size=60)


class TestRiskSets:
    def test_agree_with_a_loop_when_times_are_tied(self, tied):
        y, scores = tied
        expected = np.zeros(60)
        for t in y.time[y.event]:
            risk = np.exp(scores) * (y.time >= t)
            expected += risk / risk.sum()
        sets = RiskSets(y)
        residuals = sets.residuals(scores[sets.order])
        assert_allclose(residuals, (y.event - expected)[sets.order], atol=1e-12)
        assert residuals.sum() == pytest.approx(0, abs=1e-12)

    def test_know_the_total_risk_at_each_event_time(self, tied):
        y, scores = tied
        sets = RiskSets(y)
        times = np.unique(y.time[y.event])[::-1]
        totals = [np.exp(scores[y.time >= t]).sum() for t in times]
        assert_allclose(np.exp(sets.log_at_risk(scores[sets.order])), totals)
        counts = [np.sum(y.event & (y.time == t)) for t in times]
        assert sets.counts.tolist() == counts

    @pytest.mark.parametrize("size", [-1e6, 1e6])
    def test_bear_scores_that_are_far_apart(self, tied, size):
        y, scores = tied
        sets = RiskSets(y)
        residuals = sets.residuals(size * scores[sets.order])
        assert np.isfinite(residuals).all()
        assert residuals.sum() == pytest.approx(0, abs=1e-6)
