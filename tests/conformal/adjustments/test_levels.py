import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from consurv import (
    CalibrationWarning,
    InvalidInput,
    KaplanMeier,
    Outcome,
    SurvivalCurves,
    breslow,
    conformal_levels,
)
from consurv.conformal import LevelAdjustment
from consurv.conformal.adjustments.levels import find_levels
from consurv.conformal.adjustments.probabilities import Counts
from consurv.conformal.parts.blocks import Block
from consurv.conformal.quantile.search import rank
from consurv.metrics import d_calibration

LEVELS = np.arange(1, 20) / 20


def mass(survival, event, u):
    """N·F(u), by its definition."""
    total = 0.0
    for s, happened in zip(survival, event, strict=True):
        if happened:
            total += s <= u
        else:
            total += 1 if s == 0 else min(1, u / s)
    return total


def brute_force(survival, event, level):
    """The smallest u with N·F(u) ≥ k, by halving [0, 1]."""
    n = len(survival)
    k = min(rank(level, n), n) - (1e-9 + 1e-12 * n)
    low, high = -1e-9, 1.0
    if mass(survival, event, 0.0) >= k:
        return 0.0
    for _ in range(80):
        middle = (low + high) / 2
        if mass(survival, event, middle) >= k:
            high = middle
        else:
            low = middle
    return high


def quiet(*args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrationWarning)
        return conformal_levels(*args, **options)


class TestByHand:
    def test_events_alone_give_order_statistics(self):
        # N = 4, k = ⌈5ρ⌉: the k-th smallest probability.
        survival, event = [0.3, 0.9, 0.7, 0.2], [1, 1, 1, 1]
        moved = conformal_levels(survival, [0.2, 0.4, 0.6, 0.8], event)
        assert_array_equal(moved, [0.2, 0.3, 0.7, 0.9])

    def test_a_censored_subject_rises_in_proportion(self):
        # N·F(u) = 1(0.2 ≤ u) + 1(0.9 ≤ u) + min(1, u/0.8). k = 1: at the event 0.2,
        # where it jumps from 0.25 to 1.25. k = 2: 1 + u/0.8 = 2 at 0.8.
        survival, event = [0.2, 0.9, 0.8], [1, 1, 0]
        assert_allclose(conformal_levels(survival, [0.25, 0.5], event), [0.2, 0.8])

    def test_the_answer_may_lie_between_the_probabilities(self):
        # Two censored at 0.8 and 0.4: u/0.8 + u/0.4 = 1 at u = 0.8/3.
        moved = conformal_levels([0.8, 0.4, 0.9], [0.25], [0, 0, 1])
        assert_allclose(moved, [0.8 / 3])

    def test_probability_0_counts_from_the_start(self):
        moved = conformal_levels([0.0, 0.0, 0.5, 0.6], [0.2, 0.4, 0.6], [1, 0, 1, 1])
        assert_array_equal(moved, [0, 0, 0.5])

    def test_probability_1_counts_at_the_end(self):
        moved = conformal_levels([1.0, 1.0, 0.5], [0.25, 0.5, 0.75], [1, 1, 1])
        assert_array_equal(moved, [0.5, 1, 1])

    def test_ties_overshoot(self):
        moved = conformal_levels([0.5] * 4, [0.2, 0.4, 0.8], [1] * 4)
        assert_array_equal(moved, [0.5, 0.5, 0.5])

    def test_levels_keep_their_order(self):
        survival, event = [0.3, 0.9, 0.7, 0.2], [1, 1, 1, 1]
        moved = conformal_levels(survival, [0.8, 0.2], event)
        assert_array_equal(moved, [0.9, 0.2])

    def test_too_high_a_rank_takes_the_level_at_which_all_count(self):
        with pytest.warns(CalibrationWarning, match="3 subjects are too few for the"):
            moved = conformal_levels([0.2, 0.6, 0.7], [0.9], [1, 1, 0])
        assert_allclose(moved, [0.7])

    def test_without_events_the_model_speaks_for_itself(self):
        with pytest.warns(CalibrationWarning, match="no event was observed"):
            moved = conformal_levels([0.5, 0.5, 0.5], [0.25], [0, 0, 0])
        assert_allclose(moved, [0.5 / 3])


class TestBruteForce:
    @pytest.mark.parametrize("seed", range(20))
    def test_random_sets_with_ties_zeros_and_ones(self, seed):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 40))
        survival = np.round(rng.random(n), int(rng.integers(1, 4)))
        survival[rng.random(n) < 0.1] = rng.integers(0, 2)
        event = rng.random(n) < rng.random()
        event[0] = True
        expected = [brute_force(survival, event, level) for level in LEVELS]
        # Where F is flat the tolerance of k moves u by 1e-9 over the slope.
        assert_allclose(quiet(survival, LEVELS, event), expected, atol=1e-7)

    @settings(max_examples=100, deadline=None)
    @given(
        st.lists(
            # Below 1e-290 a probability counts as 0.
            st.tuples(st.just(0.0) | st.floats(1e-290, 1), st.booleans()),
            min_size=2,
            max_size=12,
        )
    )
    def test_any_probabilities(self, subjects):
        survival, event = (np.array(part) for part in zip(*subjects, strict=True))
        moved = quiet(survival, LEVELS, event)
        n = len(survival)
        for level, u in zip(LEVELS, moved, strict=True):
            k = min(rank(level, n), n)
            assert mass(survival, event, u) >= k - 1e-8
            below = np.nextafter(u, -1) - 1e-7 * u
            assert u == 0 or mass(survival, event, below) < k

    def test_tiny_probabilities_do_not_drown_the_others(self):
        survival = np.array([1e-290, 1e-160, 0.5, 0.25, 0.75])
        event = np.array([0, 0, 0, 1, 1])
        # The first two count wholly almost at once: 2 + u/0.5 = 3 at u = 0.5, where
        # the event at 0.25 came before: k = 3 there.
        assert_allclose(conformal_levels(survival, [0.5, 0.66], event), [0.25, 0.5])


class TestShape:
    @pytest.fixture
    def case(self):
        rng = np.random.default_rng(0)
        return rng.random(500), rng.random(500) < 0.6

    @pytest.mark.parametrize("rule", ["uniform", "self-consistent"])
    def test_higher_levels_are_read_higher(self, case, rule):
        moved = conformal_levels(case[0], LEVELS, case[1], censoring=rule)
        assert (np.diff(moved) >= 0).all()
        assert (moved >= 0).all()
        assert (moved <= 1).all()

    @pytest.mark.parametrize("rule", ["uniform", "self-consistent"])
    def test_parts_in_any_order_and_split_give_the_same_bits(self, case, rule):
        survival, event = case
        # Some curves drop at the event.
        reading = np.stack([survival, np.maximum(survival, survival[::-1])], axis=1)
        before = None if rule == "uniform" else reading[:, 1]
        whole = find_levels(survival, event, LEVELS, rule, before)
        y = Outcome(time=np.ones(500), event=event)
        order = np.random.default_rng(1).permutation(500)
        pieces = np.split(order, [3, 200, 201])
        blocks = [Block(reading[rows], LEVELS, y[rows]) for rows in pieces]
        split = LevelAdjustment.find(blocks, rule, np.random.default_rng())
        assert_array_equal(split.adjusted_levels, whole.levels)
        assert_array_equal(split.identified, whole.identified)
        assert split.n_conformal == 500

    def test_it_is_the_count_of_d_calibration(self, case):
        # With ρ* among its levels, D-cal counts between k and k + 1 subjects there.
        survival, event = case
        n = len(survival)
        curves = SurvivalCurves([1.0], np.zeros((n, 1)))  # S(t) = 1 − t
        y = Outcome(time=1 - survival, event=event)
        count = d_calibration(y, curves, n_bins=100).cumulative * n
        moved = conformal_levels(survival, LEVELS, event)
        ranks = [rank(level, n) for level in LEVELS]
        for u, k in zip(moved, ranks, strict=True):
            # F rises, so it lies between the counts at the two nearest levels.
            below, above = int(np.floor(100 * u)), int(np.ceil(100 * u))
            assert count[below - 1] <= k + 1 - 1e-9
            assert count[above - 1] >= k - 1e-6
            assert k - 1e-6 <= mass(survival, event, u) < k + 1


class TestSampling:
    def draw(self, survival, event, n_samples, seed):
        """The paper's way: R probabilities for each censored subject."""
        rng = np.random.default_rng(seed)
        n = len(survival)
        drawn = survival[~event, None] * rng.random(((~event).sum(), n_samples))
        points = np.concatenate([survival[event], drawn.ravel()])
        weight = np.concatenate(
            [np.ones(event.sum()), np.full(drawn.size, 1 / n_samples)]
        )
        order = np.argsort(points)
        total = np.cumsum(weight[order])
        ranks = [rank(level, n) - 1e-9 for level in LEVELS]
        return points[order][np.searchsorted(total, ranks)]

    def test_draws_converge_to_the_exact_levels(self):
        rng = np.random.default_rng(3)
        survival, event = rng.random(400) ** 1.5, rng.random(400) < 0.5
        exact = conformal_levels(survival, LEVELS, event)
        errors = []
        for n_samples in (10, 100, 1000):
            drawn = [self.draw(survival, event, n_samples, seed) for seed in range(8)]
            errors.append(np.sqrt(np.mean((np.array(drawn) - exact) ** 2)))
        # As one over the root of R; a jump of F makes single errors 0.
        assert errors[0] / errors[1] > 2
        assert errors[1] / errors[2] > 2
        assert errors[2] < 1e-3


class TestSelfConsistent:
    def test_without_censoring_it_is_the_same(self):
        survival = np.random.default_rng(0).random(99)
        event = np.ones(99, dtype=bool)
        assert_array_equal(
            conformal_levels(survival, LEVELS, event, censoring="self-consistent"),
            conformal_levels(survival, LEVELS, event),
        )

    def test_by_hand(self):
        # Censored at 0.8, it hands a third of its weight to each of the three below:
        # N·F jumps by 4/3 at 0.6, 0.5 and 0.1. k = 1, 2, 3.
        survival, event = [0.8, 0.5, 0.1, 0.6], [0, 1, 1, 1]
        moved = conformal_levels(
            survival, [0.2, 0.4, 0.6], event, censoring="self-consistent"
        )
        assert_array_equal(moved, [0.1, 0.5, 0.6])

    def test_below_the_last_event_it_is_uniform(self):
        # The event at 0.5 jumps by 4/3 from 8/3; the censored at 0.4 and 0.2 share
        # 8/3: (4/3)(u/0.4 + u/0.2) = 1 at u = 0.1.
        survival, event = [0.9, 0.5, 0.4, 0.2], [0, 1, 0, 0]
        moved = conformal_levels(survival, [0.2], event, censoring="self-consistent")
        assert_allclose(moved, [0.1])

    @pytest.mark.parametrize("seed", range(5))
    def test_it_is_kaplan_meier_on_probabilities(self, seed):
        rng = np.random.default_rng(seed)
        survival = np.round(rng.random(60), 2).clip(0.02, 0.99)
        event = rng.random(60) < 0.6
        event[survival == survival.min()] = True  # nothing is left below them
        km = KaplanMeier(Outcome(time=1 - survival, event=event))
        moved = conformal_levels(survival, LEVELS, event, censoring="self-consistent")
        for level, u in zip(LEVELS, moved, strict=True):
            k = rank(level, 60)
            # P(S ≤ u) = P(1 − S ≥ 1 − u); the values are a hundredth apart.
            assert 60 * km.survival_before(1 - u - 0.005) >= k - 1e-6
            assert 60 * km.survival_before(1 - u + 0.005) < k

    def test_the_adjusted_set_is_calibrated_by_its_own_curves(self):
        # D-cal counts censored subjects by the adjusted curves: so does this rule, up
        # to the lines between levels. The paper's uses the raw ones, which are 1.5
        # times too long here.
        rng = np.random.default_rng(0)
        n = 2000
        true, limit = rng.exponential(1, n), rng.exponential(1.2, n)
        y = Outcome(time=np.minimum(true, limit), event=true <= limit)
        grid = np.linspace(0.01, 20, 2000)
        curves = SurvivalCurves(grid, np.tile(np.exp(-grid / 1.5), (n, 1)))
        survival = curves.survival_at_observed(y.time)
        off = {}
        for rule in ("uniform", "self-consistent"):
            moved = conformal_levels(survival, LEVELS, y.event, censoring=rule)
            adjusted = SurvivalCurves.from_percentile_times(
                curves._times_at(moved), LEVELS
            )
            result = d_calibration(y, adjusted)
            off[rule] = np.abs(result.cumulative - result.levels).max()
        assert off["self-consistent"] < 2e-3
        assert off["uniform"] > 0.01


class TestDrops:
    """Curves that drop at an event: its probability is even on (S(t), S(t⁻)]."""

    def test_by_hand(self):
        # N·F rises from 0 to 1 on (0, 0.5] and from 1 to 2 on (0.5, 0.8].
        survival, before = [0.0, 0.5], [0.5, 0.8]
        for rule in ("uniform", "self-consistent"):
            moved = quiet(
                survival, [0.3, 0.6], [1, 1], survival_before=before, censoring=rule
            )
            assert_allclose(moved, [0.5, 0.8])

    def test_product_limit_by_hand(self):
        # The first two events are spread over (0.4, 0.8], half above the censored at
        # 0.6: Y = 4, so N·F falls from 4 to 3 there. Of the 3 at 0.6 one is censored,
        # and the other half takes 1 of the 2 that are left: 3·1/2 down to 1.5 at 0.4.
        # The event at 0.1 has the rest. k = 2: 1.5 + 1.5(u − 0.4)/0.2 = 2.
        survival, before = [0.4, 0.4, 0.6, 0.1], [0.8, 0.8, 0.6, 0.1]
        moved = quiet(
            survival,
            [0.2, 0.4, 0.8],
            [1, 1, 0, 1],
            survival_before=before,
            censoring="self-consistent",
        )
        assert_allclose(moved, [0.1, 0.4 + 0.2 / 3, 0.8])

    @pytest.mark.parametrize("rule", ["uniform", "self-consistent"])
    def test_it_is_the_limit_of_many_draws(self, rule):
        rng = np.random.default_rng(2)
        n, draws = 40, 400
        survival = np.round(rng.random(n), 1) * 0.8
        before = survival + np.round(0.2 * rng.random(n), 1)
        event = rng.random(n) < 0.6
        exact = quiet(survival, LEVELS, event, survival_before=before, censoring=rule)
        # Every subject becomes many, with probabilities all over the drop.
        way = (np.arange(draws) + 0.5) / draws
        high = np.where(event, before, survival)
        many = (survival[:, None] + way * (high - survival)[:, None]).ravel()
        ranks = np.array([rank(level, n) for level in LEVELS])
        levels = (ranks - 0.5 / draws) / (n + 1 / draws)
        near = quiet(many, levels[ranks <= n], np.repeat(event, draws), censoring=rule)
        assert_allclose(exact[ranks <= n], near, atol=2e-3)

    @pytest.mark.parametrize("n_times", [14, 24])
    def test_a_right_model_on_few_times_is_left_alone(self, n_times):
        # Exponential times on a lattice, a third censored; the model knows the law.
        rng, unit = np.random.default_rng(n_times), 3 / n_times
        scale = np.exp(rng.normal(0, 0.5, 4000))
        true = unit * np.ceil(scale * rng.exponential(1, 4000) / unit)
        limit = unit * np.ceil(2 * rng.exponential(1, 4000) / unit)
        time, event = np.minimum(true, limit), true <= limit
        survival, before = np.exp(-time / scale), np.exp(-(time - unit) / scale)
        off = {}
        for name, known in {"S(t)": None, "both": before}.items():
            moved = quiet(
                survival,
                LEVELS,
                event,
                survival_before=known,
                censoring="self-consistent",
            )
            off[name] = 1000 * np.mean((moved - LEVELS) ** 2)
        assert off["both"] < 0.3
        assert off["S(t)"] > 5 * off["both"]

    def test_where_nothing_drops_it_changes_nothing(self):
        rng = np.random.default_rng(0)
        survival, event = rng.random(200), rng.random(200) < 0.6
        for rule in ("uniform", "self-consistent"):
            assert_array_equal(
                quiet(survival, LEVELS, event, censoring=rule),
                quiet(
                    survival, LEVELS, event, survival_before=survival, censoring=rule
                ),
            )

    @pytest.mark.parametrize(
        ("before", "said"),
        [
            ([0.5, 0.2], r"lower than survival_at_observed in 1 rows.* 1: 0.2 < 0.4"),
            ([0.5, 1.5], r"survival_before has 1 values outside"),
            ([0.5], "event has 2, survival_before has 1"),
        ],
    )
    def test_bad_input_is_named(self, before, said):
        with pytest.raises(InvalidInput, match=said):
            conformal_levels([0.5, 0.4], [0.5], [1, 1], survival_before=before)


class TestIdentified:
    def test_levels_without_events_are_named(self):
        # Everyone is censored at 0.4: no event is below.
        survival = np.append(np.linspace(0.95, 0.41, 50), np.full(50, 0.4))
        event = np.repeat([True, False], 50)
        with pytest.warns(CalibrationWarning, match=r"levels 0\.1, 0\.2, 0\.3: "):
            found = find_levels(survival, event, np.array([0.1, 0.2, 0.3, 0.9]))
        assert found.identified.tolist() == [False, False, False, True]

    def test_a_drop_counts_by_its_part(self):
        counts = Counts.of(np.array([0.2, 0.6]), np.ones(2, bool), np.array([0.4, 0.6]))
        found = counts.events_below(np.array([0.1, 0.3, 0.5, 0.6, 1.0]))
        assert_allclose(found, [0, 0.5, 1, 2, 2])


class TestTimesAt:
    @pytest.mark.parametrize("interpolation", ["linear", "step", "pchip"])
    def test_inside_it_is_the_inverse_of_the_curves(self, interpolation):
        curves = SurvivalCurves([1, 2, 4], [[0.9, 0.5, 0.2]], interpolation)
        assert_array_equal(curves._times_at(LEVELS), curves.percentile_times(LEVELS))

    @pytest.mark.parametrize("interpolation", ["linear", "step", "pchip"])
    def test_level_0_is_the_end_and_level_1_the_start(self, interpolation):
        ends = SurvivalCurves([1, 2, 4], [[0.9, 0.5, 0.0]], interpolation)
        assert_array_equal(ends._times_at(np.array([0.0, 1.0])), [[4, 0]])
        flat = SurvivalCurves([1, 2, 4, 5], [[0.9, 0.5, 0.0, 0.0]], interpolation)
        assert_array_equal(flat._times_at(np.array([0.0])), [[4]])
        tail = SurvivalCurves([1, 2, 4], [[0.9, 0.5, 0.2]], interpolation)
        assert_array_equal(tail._times_at(np.array([0.0, 1.0])), [[5, 0]])

    def test_a_flat_start_is_left_at_0(self):
        curves = SurvivalCurves([1, 2], [[1.0, 0.5]])
        assert_array_equal(curves._times_at(np.array([1.0])), [[0]])

    def test_a_curve_that_never_drops_is_infinite_below_1(self):
        curves = SurvivalCurves([4], [[1.0]])
        assert_array_equal(
            curves._times_at(np.array([0.0, 0.5, 1.0])), [[np.inf] * 2 + [0]]
        )

    def test_proportional_curves_where_every_level_is_1(self):
        baseline = breslow(np.zeros(3), Outcome([1, 2, 3], [1, 0, 1]))
        curves = baseline.curves(np.zeros(2))
        assert_array_equal(curves._times_at(np.array([1.0, 1.0])), np.zeros((2, 2)))

    def test_repeated_levels(self):
        curves = SurvivalCurves([4], [[0.0]])
        assert_array_equal(curves._times_at(np.array([0.5, 0.5])), [[2, 2]])


class TestRefuses:
    @pytest.mark.parametrize(
        ("survival", "levels", "event", "said"),
        [
            ([0.5, 1.2], [0.5], [1, 1], r"1 values outside \[0, 1\].* row 1: 1.2"),
            ([0.5, -0.1], [0.5], [1, 1], "outside"),
            ([0.5, np.nan], [0.5], [1, 1], "1 NaN values"),
            ([0.5, 0.5], [0.5], [1], "survival_at_observed has 2, event has 1"),
            ([0.5, 0.5], [0.5], [1, 2], "0/1"),
            ([0.5, 0.5], [1.5], [1, 1], "strictly between 0 and 1"),
            ([0.5, 0.5], [0.5, 0.5], [1, 1], "distinct"),
            ([0.5], [0.5], [1], "1 subjects set the levels"),
        ],
    )
    def test_bad_input_is_named(self, survival, levels, event, said):
        with pytest.raises(InvalidInput, match=said):
            conformal_levels(survival, levels, event)

    def test_unknown_rules(self):
        with pytest.raises(InvalidInput, match="did you mean 'uniform'"):
            conformal_levels([0.5, 0.5], [0.5], [1, 1], censoring="unifrom")


class TestWeights:
    @pytest.mark.parametrize("censoring", ["uniform", "self-consistent"])
    @pytest.mark.parametrize("spread", [False, True])
    def test_whole_ones_are_repeated_rows(self, censoring, spread):
        rng = np.random.default_rng(0)
        survival, event = np.round(rng.random(200), 2), rng.random(200) < 0.6
        before = np.minimum(survival + 0.1 * rng.random(200), 1) if spread else None
        weight, levels = rng.integers(0, 4, 200), np.arange(1, 20) / 20
        rows = np.repeat(np.arange(200), weight)
        found = conformal_levels(
            survival,
            levels,
            event,
            censoring=censoring,
            survival_before=before,
            sample_weight=weight,
        )
        wanted = conformal_levels(
            survival[rows],
            levels,
            event[rows],
            censoring=censoring,
            survival_before=None if before is None else before[rows],
        )
        np.testing.assert_allclose(found, wanted, rtol=1e-10)

    def test_of_another_length_are_refused(self):
        with pytest.raises(InvalidInput, match="event has 3, sample_weight has 2"):
            conformal_levels([0.1, 0.2, 0.3], [0.5], [1, 1, 1], sample_weight=[1, 2])

    def test_fewer_than_two_subjects_that_count_are_refused(self):
        with pytest.raises(InvalidInput, match="1 subjects set the levels"):
            conformal_levels([0.1, 0.2], [0.5], [1, 1], sample_weight=[1, 0])
