"""The concordance index against brute force, other libraries and known answers."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lifelines.utils import concordance_index as lifelines_concordance
from sksurv.metrics import concordance_index_censored

from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.metrics import concordance_index, concordance_of_risk
from consurv.outcome import Outcome

# The four patients of the paper's appendix on discrimination: true times in the
# order C, B, D, A; only the medians of B and C are in the wrong order.
FOUR_TIMES = [2.5, 1.5, 1.0, 2.1]  # A, B, C, D
FOUR_MEDIANS = [3.0, 1.0, 1.2, 2.0]


def curves_with_medians(medians):
    """Straight lines from (0, 1) through (median, 1/2)."""
    medians = np.asarray(medians, dtype=float)[:, None]
    return SurvivalCurves(medians, np.full(medians.shape, 0.5))


def brute_force(time, event, risk, *, tied_risks="half", tied_times="drop"):
    """Every pair, one by one, by the words of the docstring."""
    score = pairs = 0.0
    for i in range(len(time)):
        for j in range(len(time)):
            later = time[i] < time[j] or (time[i] == time[j] and not event[j])
            if i != j and event[i] and later:
                if risk[i] == risk[j] and tied_risks == "drop":
                    continue
                pairs += 1
                score += 0.5 if risk[i] == risk[j] else float(risk[i] > risk[j])
            same = i < j and event[i] and event[j] and time[i] == time[j]
            if same and tied_times == "half":
                pairs += 1
                score += 0.5
    return score / pairs


def tied_data(rng, n):
    """Few distinct times and risks, 40 % censored."""
    time = rng.integers(1, 9, n).astype(float)
    event = rng.random(n) < 0.6
    risk = rng.integers(0, 5, n) / 4
    return time, event, risk


class TestKnownAnswers:
    def test_the_papers_four_patients_give_five_of_six(self):
        result = concordance_index(
            Outcome(FOUR_TIMES, [1, 1, 1, 1]), curves_with_medians(FOUR_MEDIANS)
        )
        assert float(result) == 5 / 6
        assert (result.n_concordant, result.n_discordant) == (5, 1)
        assert (result.n_tied_risk, result.n_tied_time, result.n_pairs) == (0, 0, 6)

    def test_with_the_fourth_patient_censored_four_of_five(self):
        result = concordance_index(
            Outcome(FOUR_TIMES, [1, 1, 1, 0]), curves_with_medians(FOUR_MEDIANS)
        )
        assert float(result) == 4 / 5
        assert result.n_pairs == 5

    def test_a_clairvoyant_scores_one_its_opposite_zero_a_constant_half(self):
        time = np.random.default_rng(1).permutation(50) + 1.0
        y = Outcome(time, np.arange(50) % 3 > 0)
        assert float(concordance_of_risk(y, -time)) == 1
        assert float(concordance_of_risk(y, time)) == 0
        assert float(concordance_of_risk(y, np.full(50, 0.3))) == 0.5

    def test_two_subjects_are_enough(self):
        assert float(concordance_of_risk(([1, 0], [1.0, 2.0]), [1.0, 0.0])) == 1

    def test_counts_beyond_32_bits_are_exact(self):
        n = 100_000
        time = np.arange(1.0, n + 1)
        result = concordance_of_risk(Outcome(time, np.ones(n)), -time)
        assert result.n_concordant == result.n_pairs == n * (n - 1) // 2
        reverse = concordance_of_risk(Outcome(time, np.ones(n)), time)
        assert reverse.n_discordant == n * (n - 1) // 2


class TestTies:
    def test_hand_worked_counts_with_every_kind_of_tie(self):
        # Events at 2, 2 and 3, censorings at 2 and 4. Comparable: each event at 2
        # with {censored 2, event 3, censored 4}, the event at 3 with censored 4.
        y = Outcome([2, 2, 2, 3, 4], [1, 1, 0, 1, 0])
        result = concordance_of_risk(y, [5.0, 3.0, 3.0, 4.0, 3.0])
        assert (result.n_concordant, result.n_discordant) == (4, 1)
        assert (result.n_tied_risk, result.n_tied_time) == (2, 1)
        assert result.n_pairs == 7
        assert float(result) == 5 / 7

    def test_tied_risks_can_be_dropped(self):
        y = Outcome([2, 2, 2, 3, 4], [1, 1, 0, 1, 0])
        result = concordance_of_risk(y, [5, 3, 3, 4, 3], tied_risks="drop")
        assert float(result) == 4 / 5
        assert result.n_pairs == 5

    def test_tied_event_times_can_count_half(self):
        y = Outcome([2, 2, 2, 3, 4], [1, 1, 0, 1, 0])
        result = concordance_of_risk(y, [5, 3, 3, 4, 3], tied_times="half")
        assert float(result) == 5.5 / 8
        assert result.n_pairs == 8

    def test_a_censoring_at_the_time_of_an_event_is_later(self):
        assert float(concordance_of_risk(([0, 1], [2.0, 2.0]), [0.0, 1.0])) == 1

    def test_two_events_at_one_time_are_not_comparable(self):
        with pytest.raises(InvalidInput, match="no comparable pair"):
            concordance_of_risk(([1, 1], [2.0, 2.0]), [0.0, 1.0])

    @pytest.mark.parametrize("scale", [1e-300, 1e-8, 1.0, 1e9, 2.0**40])
    def test_the_unit_of_the_predictions_does_not_matter(self, scale):
        rng = np.random.default_rng(2)
        time, event, _ = tied_data(rng, 200)
        predicted = rng.exponential(size=200)
        expected = concordance_of_risk((event, time), -predicted)
        assert concordance_of_risk((event, time), -predicted * scale) == expected

    def test_infinite_medians_tie_with_each_other_and_come_last(self):
        survival = np.array([[0.5], [1.0], [1.0]])
        curves = SurvivalCurves(np.full((3, 1), 2.0), survival)
        result = concordance_index(Outcome([1, 2, 3], [1, 1, 1]), curves)
        assert (result.n_concordant, result.n_tied_risk) == (2, 1)
        assert float(result) == 2.5 / 3


class TestAgainstOthers:
    @pytest.mark.parametrize("n", [2, 3, 7, 64, 65, 400])
    def test_agrees_with_lifelines_and_scikit_survival_on_heavy_ties(self, n):
        time, event, risk = tied_data(np.random.default_rng(n), n)
        event[np.argmin(time)] = True
        time[np.argmax(time)] += 10
        ours = concordance_of_risk((event, time), risk)
        theirs = concordance_index_censored(event, time, risk)
        assert float(ours) == pytest.approx(theirs[0], rel=1e-14)
        assert (ours.n_concordant, ours.n_discordant, ours.n_tied_risk) == theirs[1:4]
        assert float(ours) == pytest.approx(
            lifelines_concordance(time, -risk, event), rel=1e-14
        )

    def test_agrees_with_lifelines_on_many_subjects(self):
        rng = np.random.default_rng(3)
        time = np.ceil(rng.exponential(50, 20_000))
        event = rng.random(20_000) < 0.5
        risk = np.round(-np.log(time) + rng.normal(size=20_000), 2)
        assert float(concordance_of_risk((event, time), risk)) == pytest.approx(
            lifelines_concordance(time, -risk, event), rel=1e-13
        )

    @settings(deadline=None, max_examples=60)
    @given(
        st.lists(
            st.tuples(
                st.integers(1, 5), st.booleans(), st.sampled_from([-np.inf, -1, 0, 2])
            ),
            max_size=25,
        ),
        st.sampled_from(["half", "drop"]),
        st.sampled_from(["half", "drop"]),
    )
    def test_equals_brute_force(self, subjects, tied_risks, tied_times):
        # Two comparable subjects first, so that there is always a pair.
        rows = [(1, True, 0.5), (2, False, 0.0), *subjects]
        time, event, risk = map(list, zip(*rows, strict=True))
        options = {"tied_risks": tied_risks, "tied_times": tied_times}
        assert float(
            concordance_of_risk((event, time), risk, **options)
        ) == pytest.approx(brute_force(time, event, risk, **options), rel=1e-15)


class TestInvariance:
    def test_the_order_of_rows_does_not_matter(self):
        rng = np.random.default_rng(4)
        time, event, risk = tied_data(rng, 300)
        rows = rng.permutation(300)
        expected = concordance_of_risk((event, time), risk)
        assert concordance_of_risk((event[rows], time[rows]), risk[rows]) == expected

    def test_reversed_risks_give_the_complement(self):
        time, event, risk = tied_data(np.random.default_rng(5), 300)
        index = float(concordance_of_risk((event, time), risk))
        assert float(concordance_of_risk((event, time), -risk)) == pytest.approx(
            1 - index, rel=1e-14
        )

    def test_every_form_of_outcome_and_risk_gives_the_same(self):
        time, event, risk = tied_data(np.random.default_rng(6), 40)
        expected = concordance_of_risk(Outcome(time, event), risk)
        frame = pd.DataFrame({"event": event, "time": time}, index=range(40, 0, -1))
        assert concordance_of_risk(frame, pd.Series(risk)) == expected
        assert concordance_of_risk(frame, list(risk)) == expected
        assert concordance_of_risk(frame, risk[:, None].astype(">f4")) == expected

    def test_the_callers_arrays_stay_as_they_were(self):
        time, event, risk = tied_data(np.random.default_rng(7), 40)
        before = risk.copy()
        concordance_of_risk((event, time), risk)
        np.testing.assert_array_equal(risk, before)


class TestRiskFromCurves:
    # Equal medians, unlike means and probabilities at 1.
    times = np.array([1.0, 2.0, 4.0, 8.0])
    survival = np.array([[0.9, 0.5, 0.1, 0.0], [0.6, 0.5, 0.4, 0.3]])
    y = Outcome([1.0, 3.0], [1, 1])

    def test_the_median_is_the_default(self):
        curves = SurvivalCurves(self.times, self.survival)
        result = concordance_index(self.y, curves)
        assert result == concordance_index(self.y, curves, risk="median")
        assert float(result) == 0.5

    def test_the_mean_on_request(self):
        curves = SurvivalCurves(self.times, self.survival)
        assert float(concordance_index(self.y, curves, risk="mean")) == 1

    @pytest.mark.parametrize(("time", "expected"), [(1, 0), (2.0, 0.5), (4.0, 1)])
    def test_the_probability_at_a_time_on_request(self, time, expected):
        curves = SurvivalCurves(self.times, self.survival)
        assert float(concordance_index(self.y, curves, risk=time)) == expected

    def test_small_probabilities_are_told_apart(self):
        curves = SurvivalCurves([1.0, 9.0], [[1e-30, 0.0], [2e-30, 0.0]])
        assert float(concordance_index(self.y, curves, risk=1.0)) == 1

    @pytest.mark.parametrize(
        "risk", ["Mode", 0.0, -1.0, np.nan, np.inf, True, None, [1.0]]
    )
    def test_refuses_what_is_no_risk(self, risk):
        with pytest.raises(InvalidInput, match=r"risk=.* must be one of 'median'"):
            concordance_index(
                self.y, SurvivalCurves(self.times, self.survival), risk=risk
            )


class TestResult:
    def test_is_frozen_and_names_the_index(self):
        result = concordance_of_risk(([1, 0], [1.0, 2.0]), [1.0, 0.0])
        assert result.c_index == result.value == float(result)
        with pytest.raises(FrozenInstanceError):
            result.value = 0.0


class TestBadInput:
    def test_refuses_outcomes_without_an_event(self):
        with pytest.raises(InvalidInput, match="no event among its 2 subjects"):
            concordance_of_risk(([0, 0], [1.0, 2.0]), [1.0, 0.0])

    @pytest.mark.parametrize("n", [0, 1])
    def test_refuses_fewer_than_two_subjects(self, n):
        with pytest.raises(InvalidInput, match=r"no (event|comparable pair) among"):
            concordance_of_risk(([1][:n], [1.0][:n]), [1.0][:n])

    def test_refuses_when_the_only_event_comes_last(self):
        with pytest.raises(InvalidInput, match="no comparable pair among its 3"):
            concordance_of_risk(([0, 0, 1], [1.0, 2.0, 3.0]), [1.0, 0.0, 2.0])

    def test_refuses_when_dropping_ties_leaves_nothing(self):
        with pytest.raises(InvalidInput, match="all 1 comparable pairs have equal"):
            concordance_of_risk(([1, 0], [1.0, 2.0]), [1.0, 1.0], tied_risks="drop")

    def test_refuses_lengths_that_differ(self):
        with pytest.raises(InvalidInput, match="y has 2, risk has 3"):
            concordance_of_risk(([1, 0], [1.0, 2.0]), [1.0, 1.0, 1.0])

    @pytest.mark.parametrize("option", ["tied_risks", "tied_times"])
    def test_refuses_an_unknown_tie_rule(self, option):
        with pytest.raises(InvalidInput, match=f"{option}='all' is not valid"):
            concordance_of_risk(([1, 0], [1.0, 2.0]), [1.0, 0.0], **{option: "all"})

    @pytest.mark.parametrize(
        ("risk", "message"),
        [
            ([1.0, np.nan], "risk has 1 NaN values, the first at row 1"),
            ([1.0, np.inf], "risk has 1 infinite values, the first at row 1"),
            (["a", "b"], "risk holds text"),
            (np.ma.masked_array([1.0, 2.0], [0, 1]), "risk is a masked array"),
            (np.ones((2, 2)), "risk must be 1-dimensional"),
            (Outcome([1, 2], [1, 0]).to_structured(), "risk has dtype"),
            (np.array(["2020", "2021"], "datetime64[Y]"), "risk holds dates"),
        ],
    )
    def test_refuses_scores_that_are_no_numbers(self, risk, message):
        with pytest.raises(InvalidInput, match=message):
            concordance_of_risk(([1, 0], [1.0, 2.0]), risk)

    def test_risk_scores_in_place_of_curves_get_the_way_out(self):
        with pytest.raises(InvalidInput, match=r"concordance_of_risk\(y, risk\)"):
            concordance_index(([1, 0], [1.0, 2.0]), np.array([1.0, 0.0]))
