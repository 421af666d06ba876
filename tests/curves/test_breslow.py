import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from consurv.curves import KaplanMeier
from consurv.curves.breslow import breslow
from consurv.errors import InvalidInput
from consurv.outcome import Outcome


def by_hand(log_risk, outcome):
    """Breslow's estimate, one event time after the other."""
    risk, total, steps = np.exp(log_risk), 0.0, {}
    for t in np.unique(outcome.time[outcome.event]):
        events = np.count_nonzero((outcome.time == t) & outcome.event)
        total += events / risk[outcome.time >= t].sum()
        steps[t] = total
    return np.array(list(steps)), np.array(list(steps.values()))


@pytest.fixture(scope="module")
def simulated():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    time, censored = rng.exponential(np.exp(-X[:, 0])), rng.exponential(2.0, 200)
    return X, Outcome(time=np.minimum(time, censored), event=time <= censored)


class TestBreslow:
    def test_agrees_with_a_loop_when_times_are_tied(self):
        rng = np.random.default_rng(0)
        outcome = Outcome(rng.integers(1, 8, 60), rng.random(60) < 0.6)
        scores = rng.normal(size=60)
        times, hazard = by_hand(scores, outcome)
        baseline = breslow(scores, outcome)
        k = len(times)
        assert_allclose(baseline.times[:k], times)
        assert_allclose(np.exp(baseline.log_hazard[:k]), hazard, rtol=1e-12)

    def test_stays_flat_until_the_last_censoring(self):
        baseline = breslow(np.zeros(3), Outcome([1, 2, 9], [1, 1, 0]))
        assert baseline.times.tolist() == [1, 2, 9]
        assert baseline.log_hazard[-1] == baseline.log_hazard[-2]

    def test_ends_at_the_last_event_if_nothing_follows(self):
        assert breslow(np.zeros(2), Outcome([1, 2], [0, 1])).times.tolist() == [2]

    def test_of_equal_risks_is_nelson_and_aalen(self):
        y = Outcome([1, 2, 2, 3, 5], [1, 1, 0, 1, 1])
        km = KaplanMeier(y)
        expected = np.cumsum(km.events / km.at_risk)[km.events > 0]
        assert_allclose(np.exp(breslow(np.zeros(5), y).log_hazard), expected)

    @pytest.mark.parametrize("level", [-2000.0, 2000.0])
    def test_survives_scores_whose_exponential_does_not(self, level):
        y = Outcome([1, 2, 3], [1, 1, 1])
        scores = np.array([0.3, -0.2, 0.1])
        near = breslow(scores, y).curves(scores)
        far = breslow(scores + level, y).curves(scores + level)
        assert_allclose(far.survival, near.survival, rtol=1e-9)

    def test_of_an_enormous_risk_is_a_survival_of_zero(self):
        curves = breslow(np.zeros(2), Outcome([1, 2], [1, 1])).curves(np.array([9999]))
        assert curves.survival[0, 1:].tolist() == [0, 0]

    def test_gives_the_curves_of_lifelines_for_a_linear_cox_model(self, simulated):
        lifelines = pytest.importorskip("lifelines")
        X, y = simulated
        frame = pd.DataFrame(X, columns=list("abc")).assign(t=y.time, e=y.event)
        cox = lifelines.CoxPHFitter().fit(frame, "t", "e")
        scores = np.log(cox.predict_partial_hazard(frame).to_numpy())
        curves = breslow(scores, y).curves(scores)
        theirs = cox.predict_survival_function(frame)
        assert_allclose(
            curves.survival_at(theirs.index.to_numpy()), theirs.T, atol=1e-12
        )


class TestWhatIsGiven:
    def test_any_form_of_outcomes_is_taken(self):
        found = breslow([0, 0], (np.array([True, False]), np.array([1.0, 2.0])))
        assert_allclose(found.times, [1, 2])

    def test_bad_input_is_refused(self):
        y = Outcome([1, 2], [1, 0])
        with pytest.raises(InvalidInput, match="log_risk has 1 NaN"):
            breslow([0, np.nan], y)
        with pytest.raises(InvalidInput, match="log_risk has 3, outcome has 2"):
            breslow([0, 0, 0], y)
        with pytest.raises(InvalidInput, match="none of the 2 subjects has an event"):
            breslow([0, 0], Outcome([1, 2], [0, 0]))
