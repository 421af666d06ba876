"""Conformal shifts: worked examples, properties, blocks, warnings, bad input."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import consurv.conformal.quantile.search as quantile
from consurv.conformal.adjustments import shifts
from consurv.conformal.adjustments.adjust import adjust
from consurv.conformal.adjustments.shifts import find_shifts
from consurv.conformal.censoring.laws.sampled import SampledLaw
from consurv.conformal.censoring.rules import RULES, CensoringRule, resolve_rule
from consurv.conformal.censoring.rules.kaplan_meier import KaplanMeierRule
from consurv.conformal.parts.blocks import Block, Contribution
from consurv.conformal.quantile.masses import LevelMass
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import CalibrationWarning, InvalidInput
from consurv.outcome import Outcome
from tests.conformal.masses import Mass, smallest_score

# The rule that these tests are about; others are named where they are meant.
conformal_shifts = partial(shifts.conformal_shifts, censoring="kaplan-meier")

quiet = pytest.mark.filterwarnings("ignore::consurv.errors.CalibrationWarning")

# S = 4/5 after 2, 8/15 after 4 (one of three), 0 after 6.
HAND = Outcome(time=[2, 3, 4, 5, 6], event=[1, 0, 1, 0, 1])
HAND_Q = np.array([[4.0], [7.0], [6.0], [8.0], [9.0]])


def shift_at(level, q=HAND_Q, y=HAND, **options):
    return conformal_shifts(q, [level], y, **options)[0]


class TestByHand:
    # The events have the scores 4 − 2 = 2, 6 − 4 = 2 and 9 − 6 = 3: a tie.

    @pytest.mark.parametrize(("level", "shift"), [(0.2, 2), (0.5, 2), (0.6, 3)])
    def test_uncensored(self, level, shift):
        # N = 3; k = ⌈0.8⌉ = 1, 2 and ⌈2.4⌉ = 3 of 2, 2, 3.
        assert shift_at(level, censoring="uncensored") == shift

    @pytest.mark.parametrize(
        ("level", "shift"), [(0.1, 5 / 3), (0.3, 2), (0.6, 2), (0.8, 3)]
    )
    def test_margin(self, level, shift):
        # E[T | T > 3] = (4·(4/5 − 8/15) + 6·8/15) / (4/5) = 16/3, E[T | T > 5] = 6.
        # Scores 7 − 16/3 = 5/3 and 8 − 6 = 2, so 5/3, 2, 2, 2, 3; k = 1, 2, 4, 5.
        assert shift_at(level, censoring="margin") == pytest.approx(shift, rel=1e-14)

    @pytest.mark.parametrize(
        ("level", "shift"), [(0.1, 5 / 3), (0.3, 5 / 3), (0.5, 2), (0.6, 2), (0.8, 3)]
    )
    def test_pseudo_observation(self, level, shift):
        # θ = 2 + 2·4/5 + 2·8/15 = 14/3. Without the second subject S = 3/4, 1/2, 0
        # and θ₋ = 4.5: 5·14/3 − 4·4.5 = 16/3. Without the fourth S = 3/4, 3/8, 0 and
        # θ₋ = 4.25: 19/3. Scores 5/3 and 8 − 19/3 = 5/3, so 5/3, 5/3, 2, 2, 3.
        found = shift_at(level, censoring="pseudo-observation")
        assert found == pytest.approx(shift, rel=1e-14)

    @pytest.mark.parametrize(
        ("level", "shift"), [(0.1, 2), (0.5, 2), (0.6, 3), (0.8, 3)]
    )
    def test_kaplan_meier(self, level, shift):
        # Censored at 3: the event comes at 4 (1/3) or 6 (2/3), scores 3 and 1.
        # Censored at 5: at 6, score 2. Mass 2/3 at 1, 11/3 at 2, 5 at 3, so k = 1 is
        # reached at 2 and k = 4 at 3.
        assert shift_at(level) == shift

    @pytest.mark.parametrize(
        ("level", "shift"), [(0.2, 2), (0.4, 3), (0.6, 4), (0.8, 5)]
    )
    def test_kaplan_meier_with_a_tail(self, level, shift):
        # S = 1/2 from 2 on, t_max = 4, t_end = 8: both censored subjects are spread
        # over (4, 8), their scores over (1, 5). Events at the scores 2 and 4.
        # N·F(s) = (s − 1)/2 + [s ≥ 2] + [s ≥ 4] reaches 1 at 2 (a jump), 2 at 3 (on
        # the line), 3 at 4 (a jump), 4 at 5 (the end of the line).
        y = Outcome(time=[2, 2, 4, 4], event=[1, 1, 0, 0])
        assert shift_at(level, [[4.0], [6.0], [9.0], [9.0]], y) == shift

    def test_rules_with_a_given_curve(self):
        # S = 3/4 from 2, 3/8 from 4, 0 from 6. Censored at 5: the law is a point at
        # 6. As an outsider: with it S = 4/5, 8/15, 0, θ₊ = 14/3, θ = 17/4, so
        # 5·14/3 − 4·17/4 = 19/3.
        km = KaplanMeier(Outcome(time=[2, 3, 4, 6], event=[1, 0, 1, 1]))
        y = Outcome(time=[1, 5], event=[1, 0])
        for rule, score in (
            ("kaplan-meier", 8 - 6),
            ("margin", 8 - 6),
            ("pseudo-observation", 8 - 19 / 3),
        ):
            # The event has the score 9 − 1 = 8: k = ⌈0.3·3⌉ = 1 takes the other.
            found = shift_at(0.3, [[9], [8]], y, censoring=rule, kaplan_meier=km)
            assert found == pytest.approx(score, rel=1e-14)

    def test_a_perfect_model_with_one_score_too_many(self):
        # Ten exact predictions: all scores 0, whatever the level.
        t = np.arange(1.0, 11)
        q = np.repeat(t[:, None], 3, axis=1)
        y = Outcome(t, np.ones(10))
        assert_array_equal(conformal_shifts(q, [0.2, 0.5, 0.9], y), np.zeros(3))


@st.composite
def cases(draw):
    n = draw(st.integers(2, 12))
    whole = st.integers(1, 12)
    time = draw(st.lists(whole, min_size=n, max_size=n))
    event = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    q = draw(st.lists(st.integers(0, 16), min_size=n, max_size=n))
    assume(sum(event) >= 2)
    return np.array(q, float)[:, None], Outcome(time, event)


# Rules by which a level does not depend on others; the rest has tests of its own.
PLAIN = ("kaplan-meier", "margin", "pseudo-observation", "uncensored")
RULE_NAMES = st.sampled_from(PLAIN)
RANK_LEVELS = np.arange(1, 10) / 10


def same_column(q):
    return np.repeat(q, len(RANK_LEVELS), axis=1)


@quiet
class TestProperties:
    @given(cases(), RULE_NAMES, st.integers(-20, 20))
    @settings(max_examples=50)
    def test_adding_a_constant_to_the_times_adds_it_to_the_shift(
        self, case, rule, constant
    ):
        q, y = case
        shift = shift_at(0.4, q, y, censoring=rule)
        moved = shift_at(0.4, q + constant, y, censoring=rule)
        assert moved == pytest.approx(shift + constant, rel=1e-12, abs=1e-11)

    @given(cases(), RULE_NAMES, st.sampled_from([-30, -3, 1, 30]))
    @settings(max_examples=50)
    def test_a_power_of_two_is_only_a_unit(self, case, rule, power):
        q, y = case
        unit = 2.0**power
        scaled = Outcome(y.time * unit, y.event)
        shift = shift_at(0.4, q, y, censoring=rule)
        assert shift_at(0.4, q * unit, scaled, censoring=rule) == shift * unit

    @given(cases(), RULE_NAMES, st.integers(0, 2**32 - 1))
    @settings(max_examples=50)
    def test_the_order_of_subjects_does_not_matter(self, case, rule, seed):
        q, y = case
        order = np.random.default_rng(seed).permutation(len(y))
        levels = RANK_LEVELS
        shifts = conformal_shifts(same_column(q), levels, y, censoring=rule)
        again = conformal_shifts(
            same_column(q)[order], levels, y[order], censoring=rule
        )
        assert_allclose(again, shifts, rtol=1e-12, atol=1e-11)

    @given(cases(), RULE_NAMES)
    @settings(max_examples=50)
    def test_of_equal_columns_the_shift_never_falls_as_the_level_grows(
        self, case, rule
    ):
        q, y = case
        shifts = conformal_shifts(same_column(q), RANK_LEVELS, y, censoring=rule)
        assert (np.diff(shifts) >= 0).all()

    @given(cases(), RULE_NAMES)
    @settings(max_examples=50)
    def test_columns_do_not_see_each_other(self, case, rule):
        q, y = case
        both = conformal_shifts(np.hstack([q, q[::-1]]), [0.3, 0.7], y, censoring=rule)
        alone = shift_at(0.3, q, y, censoring=rule)
        other = shift_at(0.7, q[::-1], y, censoring=rule)
        assert_allclose(both, [alone, other], rtol=1e-14)

    @given(cases())
    @settings(max_examples=50)
    def test_lies_between_the_extreme_scores(self, case):
        q, y = case
        km = KaplanMeier(y)
        scores = np.concatenate([q[:, 0] - y.time, q[:, 0] - km.t_end])
        shifts = conformal_shifts(same_column(q), RANK_LEVELS, y)
        assert (shifts >= scores.min() - 1e-12).all()
        assert (shifts <= scores.max() + 1e-12).all()

    @given(cases())
    @settings(max_examples=50)
    def test_a_censored_subject_pulls_no_higher_than_an_event_there(self, case):
        # T > c means a smaller score than an event at c.
        q, y = case
        km = KaplanMeier(y)
        events = Outcome(y.time, np.ones(len(y)))
        spread = conformal_shifts(same_column(q), RANK_LEVELS, y, kaplan_meier=km)
        assert (spread <= conformal_shifts(same_column(q), RANK_LEVELS, events)).all()

    @given(cases())
    @settings(max_examples=40)
    def test_the_search_finds_what_the_list_holds(self, case):
        q, y = case
        shifts = conformal_shifts(same_column(q), RANK_LEVELS, y)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(quantile, "FEW_PIECES", 0)
            searched = conformal_shifts(same_column(q), RANK_LEVELS, y)
        # Mass that falls short of the rank by 1e-9 counts as reaching it; along the
        # tail, where each law has at least the slope 1/t_end, that is so much time.
        assert_allclose(searched, shifts, rtol=0, atol=2e-9 * KaplanMeier(y).t_end)


def survival_data(n, seed, *, whole=False):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    true = 10 * np.exp(0.5 * x) * rng.weibull(1.5, n)
    censoring = np.minimum(rng.exponential(18, n), 20)
    time = np.minimum(true, censoring)
    time = np.ceil(time) if whole else time
    levels = np.arange(1, 20) / 20
    q = 12 * np.exp(0.5 * x)[:, None] * (-np.log(levels)) ** 0.8
    return q, levels, Outcome(time, true <= censoring)


@quiet
class TestUnits:
    @pytest.mark.parametrize("rule", sorted(RULES))
    @pytest.mark.parametrize("power", [-30, 30])
    @pytest.mark.parametrize("few", [0, 1 << 14])
    def test_powers_of_two_bit_for_bit(self, rule, power, few, monkeypatch):
        monkeypatch.setattr(quantile, "FEW_PIECES", few)
        q, levels, y = survival_data(300, 0)
        unit = 2.0**power
        shifts = conformal_shifts(q, levels, y, censoring=rule)
        scaled = conformal_shifts(
            q * unit, levels, Outcome(y.time * unit, y.event), censoring=rule
        )
        assert_array_equal(scaled, shifts * unit)
        curves = adjust(q, levels, shifts)
        in_unit = adjust(q * unit, levels, scaled)
        assert_array_equal(in_unit.times, curves.times * unit)
        assert_array_equal(in_unit.mean(), curves.mean() * unit)
        assert_array_equal(in_unit.rearranged, curves.rearranged)
        assert_array_equal(in_unit.clipped, curves.clipped)

    @pytest.mark.parametrize("rule", sorted(RULES))
    @pytest.mark.parametrize("unit", [1e-9, 1e9])
    @pytest.mark.parametrize("few", [0, 1 << 14])
    def test_powers_of_ten_to_rounding(self, rule, unit, few, monkeypatch):
        monkeypatch.setattr(quantile, "FEW_PIECES", few)
        q, levels, y = survival_data(300, 1)
        shifts = conformal_shifts(q, levels, y, censoring=rule)
        scaled = conformal_shifts(
            q * unit, levels, Outcome(y.time * unit, y.event), censoring=rule
        )
        assert_allclose(scaled / unit, shifts, rtol=1e-11, atol=1e-12)
        medians = adjust(q * unit, levels, scaled).median() / unit
        assert_allclose(medians, adjust(q, levels, shifts).median(), rtol=1e-11)


def random_blocks(q, levels, y, km, seed, **options):
    """Split the subjects into blocks of any size, in any order, some empty."""
    rng = np.random.default_rng(seed)
    owner = rng.integers(0, rng.integers(1, 12), len(y))
    rows = [rng.permutation(np.flatnonzero(owner == i)) for i in range(13)]
    return [
        Block(q[part], levels, y[part], km, **options)
        for part in (rows[i] for i in rng.permutation(13))
    ]


@quiet
class TestBlocks:
    @pytest.mark.parametrize("rule", sorted(RULES))
    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("whole", [True, False])
    @pytest.mark.parametrize("few", [0, 1 << 20])
    def test_any_split_in_any_order_gives_the_same_shift(
        self, rule, seed, whole, few, monkeypatch
    ):
        monkeypatch.setattr(quantile, "FEW_PIECES", few)
        q, levels, y = survival_data(200, seed, whole=whole)
        rng = np.random.default_rng(0)
        km = KaplanMeier(y)
        together = find_shifts([Block(q, levels, y)], RULES[rule](), rng)
        blocks = random_blocks(q, levels, y, km, seed, member=True)
        apart = find_shifts(blocks, RULES[rule](), rng)
        # Sweeps and "auto" bend everywhere, and are found to the 1e-9 of mass.
        rounding = 1e-12 if rule in PLAIN else 1e-8
        assert_allclose(apart.shifts, together.shifts, rtol=rounding, atol=rounding)
        assert_array_equal(apart.n_subjects, together.n_subjects)

    def test_one_subject_a_block(self):
        q, levels, y = survival_data(60, 5)
        km = KaplanMeier(y)
        rule, rng = KaplanMeierRule(), np.random.default_rng(0)
        blocks = [
            Block(q[[i]], levels, y[[i]], km)
            for i in np.random.default_rng(5).permutation(60)
        ]
        shifts = find_shifts(blocks, rule, rng).shifts
        assert_allclose(shifts, conformal_shifts(q, levels, y), rtol=1e-12)

    @pytest.mark.parametrize("few", [0, 1 << 20])
    def test_samples_of_the_law_may_be_split_too(self, few, monkeypatch):
        monkeypatch.setattr(quantile, "FEW_PIECES", few)
        rng = np.random.default_rng(6)
        q, times = rng.exponential(5, 80), rng.exponential(5, (80, 50))
        points = rng.normal(size=70)
        whole = [LevelMass(points, Mass(SampledLaw(times), q).of)]
        for seed in range(5):
            owner = np.random.default_rng(seed).integers(0, 4, 80)
            parts = [
                LevelMass(
                    points[i::4], Mass(SampledLaw(times[owner == i]), q[owner == i]).of
                )
                for i in (2, 0, 3, 1)
            ]
            for k in (1, 40, 75, 150):
                assert smallest_score(parts, k) == smallest_score(whole, k)

    def test_members_and_outsiders_of_the_sample_differ(self):
        q, levels, y = survival_data(40, 7)
        km, rng = KaplanMeier(y), np.random.default_rng(0)
        rule = RULES["pseudo-observation"]()
        own = find_shifts([Block(q, levels, y)], rule, rng).shifts
        members = find_shifts([Block(q, levels, y, km, member=True)], rule, rng).shifts
        outsiders = find_shifts([Block(q, levels, y, km)], rule, rng).shifts
        assert_array_equal(own, members)
        assert (own != outsiders).any()


@quiet
class TestInfiniteRows:
    def test_do_not_count_and_are_told_once(self):
        # Two infinite rows leave the hand-worked set: N stays 5.
        q = np.vstack([HAND_Q, [[np.inf], [np.inf]]])
        y = Outcome([*HAND.time, 6, 7], [*HAND.event, 1, 0])
        with pytest.warns(CalibrationWarning, match="2 subjects have infinite") as seen:
            shift = shift_at(0.6, q, y, kaplan_meier=KaplanMeier(HAND))
        assert shift == 3
        assert len(seen) == 1

    # By "auto" the law at one level looks at the whole curve.
    @pytest.mark.parametrize("rule", sorted(set(RULES) - {"auto"}))
    def test_count_level_by_level(self, rule):
        q, levels, y = survival_data(100, 8)
        alone = conformal_shifts(q[:, 10:], levels[10:], y, censoring=rule)
        q[:50, :10] = np.inf
        with pytest.warns(CalibrationWarning, match="infinite"):
            shifts = conformal_shifts(q, levels, y, censoring=rule)
        assert_array_equal(shifts[10:], alone)
        assert np.isfinite(shifts).all()

    def test_the_result_says_how_many_count(self):
        q, levels, y = survival_data(50, 9)
        q[:3, :2] = np.inf
        block = Block(q[:, [0, 5]], levels[[0, 5]], y)
        with pytest.warns(CalibrationWarning, match="3 subjects"):
            result = find_shifts([block], KaplanMeierRule(), np.random.default_rng(0))
        assert result.n_subjects.tolist() == [47, 50]
        assert result.n_infinite == 3


class TestTooFewSubjects:
    def test_beyond_the_last_rank_is_the_largest_score(self):
        # ⌈0.9·6⌉ = 6 > 5 and ⌈0.95·6⌉ = 6 > 5, but ⌈0.5·6⌉ = 3.
        q = np.repeat(HAND_Q, 3, axis=1)
        with pytest.warns(CalibrationWarning, match=r"levels 0.9, 0.95: the") as seen:
            shifts = conformal_shifts(q, [0.9, 0.5, 0.95], HAND)
        assert_array_equal(shifts, [3, 2, 3])
        assert len(seen) == 1
        assert seen[0].filename == __file__  # it points at the caller

    def test_the_result_marks_those_levels(self):
        block = Block(np.repeat(HAND_Q, 2, axis=1), np.array([0.5, 0.9]), HAND)
        with pytest.warns(CalibrationWarning, match="5 subjects are too few"):
            result = find_shifts([block], KaplanMeierRule(), np.random.default_rng(0))
        assert result.beyond.tolist() == [False, True]
        assert_array_equal(result.shifts, [2, 3])

    def test_with_a_tail_it_is_the_end_of_the_largest_spread(self):
        # Scores spread over (1, 5) as above.
        y = Outcome(time=[2, 2, 4, 4], event=[1, 1, 0, 0])
        with pytest.warns(CalibrationWarning, match="too few"):
            assert shift_at(0.9, [[4.0], [6.0], [9.0], [9.0]], y) == 5

    def test_exactly_n_is_no_reason_to_warn(self):
        assert shift_at(0.8) == 3  # ⌈0.8·6⌉ = 5 = N


class TestNoEvents:
    CENSORED = Outcome(time=[2, 5], event=[0, 0])

    @pytest.mark.parametrize("rule", ["kaplan-meier", "margin", "pseudo-observation"])
    def test_under_a_given_curve_is_a_warning(self, rule):
        km = KaplanMeier(HAND)
        with pytest.warns(CalibrationWarning, match="no event was observed") as seen:
            shift_at(0.5, [[4], [8]], self.CENSORED, censoring=rule, kaplan_meier=km)
        assert len(seen) == 1

    @pytest.mark.parametrize("rule", ["kaplan-meier", "margin", "pseudo-observation"])
    def test_without_a_given_curve_is_an_error(self, rule):
        with pytest.raises(InvalidInput, match="2 subjects has no event"):
            shift_at(0.5, [[4], [8]], self.CENSORED, censoring=rule)

    @quiet
    @pytest.mark.parametrize("km", [None, KaplanMeier(HAND)])
    def test_is_an_error_where_only_events_count(self, km):
        with pytest.raises(InvalidInput, match=r"0 subjects count.*at least two"):
            shift_at(
                0.5,
                [[4], [8]],
                self.CENSORED,
                censoring="uncensored",
                kaplan_meier=km,
            )


class TestRefused:
    def test_one_subject(self):
        with pytest.raises(InvalidInput, match="1 subjects count"):
            shift_at(0.5, [[4.0]], Outcome([3], [1]))

    def test_one_event_where_only_events_count(self):
        y = Outcome([3, 4, 5], [1, 0, 0])
        with pytest.raises(InvalidInput, match=r"1 subjects count.*events only"):
            shift_at(0.5, [[4.0]] * 3, y, censoring="uncensored")

    @pytest.mark.parametrize("rule", sorted(RULES))
    @pytest.mark.parametrize("n", [0, 1])
    def test_nobody_or_one_subject(self, rule, n):
        y = Outcome(np.ones(n), np.ones(n))
        with pytest.raises(InvalidInput, match=f"{n} subjects count"):
            shift_at(0.5, np.ones((n, 1)), y, censoring=rule)

    def test_no_finite_row(self):
        q = [[np.inf]] * 5
        with pytest.raises(InvalidInput, match=r"only 0 of 5 .* level 0.5 are finite"):
            shift_at(0.5, q)

    def test_one_finite_row(self):
        q = [[np.inf]] * 4 + [[3.0]]
        with pytest.raises(InvalidInput, match=r"only 1 of 5 .* at least two"):
            shift_at(0.5, q)

    def test_columns_and_levels_that_do_not_fit(self):
        with pytest.raises(InvalidInput, match="1 columns but there are 2 levels"):
            conformal_shifts(HAND_Q, [0.4, 0.5], HAND)

    def test_rows_and_outcomes_that_do_not_fit(self):
        with pytest.raises(InvalidInput, match="percentile_times has 4, y has 5"):
            conformal_shifts(HAND_Q[:4], [0.5], HAND)

    def test_one_dimension(self):
        with pytest.raises(InvalidInput, match="must be 2-dimensional"):
            conformal_shifts([4.0, 5.0], [0.5], HAND)

    @pytest.mark.parametrize("bad", [np.nan, -np.inf])
    def test_nan_and_minus_infinity(self, bad):
        q = HAND_Q.copy()
        q[2] = bad
        with pytest.raises(InvalidInput, match=r"percentile_times has 1 .* row 2"):
            shift_at(0.5, q)

    @pytest.mark.parametrize("levels", [[0.0], [1.0], [1.5]])
    def test_levels_outside_the_unit_interval(self, levels):
        with pytest.raises(InvalidInput, match="strictly between 0 and 1"):
            conformal_shifts(HAND_Q, levels, HAND)

    def test_unknown_rule_lists_the_names(self):
        with pytest.raises(
            InvalidInput,
            match=r"unknown censoring rule 'km'.* uncensored, margin, "
            r"pseudo-observation, kaplan-meier",
        ):
            shift_at(0.5, censoring="km")

    def test_a_rule_that_is_none(self):
        with pytest.raises(InvalidInput, match="censoring=7 is neither a name"):
            shift_at(0.5, censoring=7)

    @pytest.mark.parametrize("rule", ["uncensored", "margin", "pseudo-observation"])
    def test_samples_with_another_rule(self, rule):
        with pytest.raises(InvalidInput, match=f"n_samples=10 goes with .*{rule}"):
            shift_at(0.5, censoring=rule, n_samples=10)

    @pytest.mark.parametrize("n_samples", [0, -1, 1.5, True, "10"])
    def test_samples_that_are_no_count(self, n_samples):
        with pytest.raises(InvalidInput, match=r"n_samples=.* whole number >= 1"):
            shift_at(0.5, n_samples=n_samples)

    def test_outcomes_that_say_nothing(self):
        with pytest.raises(InvalidInput, match="does not say what is time"):
            conformal_shifts(HAND_Q, [0.5], np.ones((5, 2)))


class TestAccepted:
    def test_names_in_any_case_and_instances(self):
        for rule in ("Kaplan-Meier", "KAPLAN-MEIER", KaplanMeierRule()):
            assert shift_at(0.6, censoring=rule) == 3

    def test_a_rule_of_the_users_own(self):
        class Everyone(CensoringRule):
            def contribution(self, block, rng):
                rows = np.arange(len(block.outcome))
                return Contribution.of_points(block, rows, block.outcome.time)

        # Censored taken for events: scores 2, 4, 2, 3, 3.
        assert shift_at(0.8, censoring=Everyone()) == 4

    def test_samples_turn_the_rule_into_a_sampling_one(self):
        assert resolve_rule("kaplan-meier", 5) == KaplanMeierRule(5)
        assert resolve_rule(KaplanMeierRule(9), None) == KaplanMeierRule(9)

    @pytest.mark.parametrize(
        "convert",
        [
            lambda q: q.tolist(),
            lambda q: q.astype(np.float32),
            lambda q: q.astype(int),
            lambda q: q.astype(">f8"),
            lambda q: np.asfortranarray(q),
            lambda q: np.repeat(q, 2, axis=0)[::2],
            lambda q: pd.DataFrame(q, index=[4, 2, 0, 1, 3]),
            lambda q: pl.DataFrame(q),
        ],
    )
    def test_percentile_times_in_any_form(self, convert):
        q = np.hstack([HAND_Q, HAND_Q])
        wanted = conformal_shifts(q, [0.5, 0.6], HAND)
        assert_array_equal(conformal_shifts(convert(q), [0.5, 0.6], HAND), wanted)

    @quiet
    def test_read_only_input_is_left_as_it_was(self):
        q, levels, y = survival_data(80, 10)
        before = q.copy()
        q.setflags(write=False)
        for rule in RULES:
            conformal_shifts(q, levels, y, censoring=rule)
        assert_array_equal(q, before)

    def test_levels_in_any_order(self):
        q, levels, y = survival_data(80, 11)
        shifts = conformal_shifts(q, levels, y)
        order = np.random.default_rng(0).permutation(19)
        assert_array_equal(
            conformal_shifts(q[:, order], levels[order], y), shifts[order]
        )

    def test_exact_shifts_need_no_seed(self):
        q, levels, y = survival_data(80, 12)
        first = conformal_shifts(q, levels, y, random_state=1)
        assert_array_equal(first, conformal_shifts(q, levels, y, random_state=2))

    def test_sampled_shifts_repeat_with_their_seed(self):
        q, levels, y = survival_data(80, 12)
        first, second, other = (
            conformal_shifts(q, levels, y, n_samples=20, random_state=seed)
            for seed in (1, np.random.default_rng(1), 2)
        )
        assert_array_equal(first, second)
        assert (first != other).any()
