"""The quantile of F against brute force: every candidate score, exact fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import ceil

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import consurv.conformal.quantile.search as quantile
from consurv.conformal.adjustments import shifts
from consurv.conformal.censoring.laws.law import AtScore
from consurv.conformal.censoring.laws.sampled import SampledLaw
from consurv.conformal.quantile.masses import LevelMass, Pieces
from consurv.conformal.quantile.search import rank
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.outcome import Outcome
from tests.conformal.masses import smallest_score

# The rule that these tests are about; others are named where they are meant.
conformal_shifts = partial(shifts.conformal_shifts, censoring="kaplan-meier")

pytestmark = pytest.mark.filterwarnings("ignore::consurv.errors.CalibrationWarning")

LEVELS = [0.07, 0.2, 0.5, 0.85]


class BruteCurve:
    """Kaplan–Meier by its definition, in fractions, with the straight tail."""

    def __init__(self, y):
        self.events = sorted({Fraction(t) for e, t in y if e})
        self.survival = [Fraction(1)]
        for u in self.events:
            at_risk = sum(1 for t in y.time if t >= u)
            dead = sum(1 for e, t in y if e and t == u)
            self.survival.append(self.survival[-1] * (at_risk - dead) / at_risk)
        self.t_max, self.s_max = Fraction(max(y.time)), self.survival[-1]
        self.t_end = self.t_max / (1 - self.s_max)

    def at(self, t):
        """Return S(t) of the extended curve."""
        if t > self.t_max:
            return max(1 - t / self.t_end, Fraction(0))
        return self.survival[sum(1 for u in self.events if u <= t)]

    def law(self, c):
        """Return the law of T given T > c: atoms {time: mass}, piece (a, b, mass)."""
        alive = self.at(c)
        if alive == 0:
            return {c: Fraction(1)}, None
        drops = -np.diff(np.array(self.survival, dtype=object))
        atoms = {
            u: drop / alive for u, drop in zip(self.events, drops, strict=True) if u > c
        }
        if self.s_max == 0:
            return atoms, None
        piece = max(c, self.t_max), self.t_end, min(self.s_max, alive) / alive
        return atoms, piece


def brute_force(q, levels, y, reference=None):
    """Return the smallest s with N·F(s) ≥ k, and whether F jumps there.

    Scores of atoms are rounded as q − t is; everything else is exact. F is evaluated
    by its definition at every place where it jumps or turns.
    """
    curve = BruteCurve(y if reference is None else reference)
    laws = [
        ({Fraction(t): Fraction(1)}, None) if e else curve.law(Fraction(t))
        for e, t in y
    ]
    return tuple(
        np.array(column)
        for column in zip(
            *(_brute_force_at(q[:, p], level, laws) for p, level in enumerate(levels)),
            strict=True,
        )
    )


def _brute_force_at(q, level, laws):
    rows = [(x, law) for x, law in zip(q, laws, strict=True) if x < np.inf]
    k = min(ceil(Fraction(level).limit_denominator(1000) * (len(rows) + 1)), len(rows))
    atoms = [
        (Fraction(x - float(t)), mass) for x, (at, _) in rows for t, mass in at.items()
    ]
    pieces = [
        (Fraction(x) - piece[1], Fraction(x) - piece[0], piece[2])
        for x, (_, piece) in rows
        if piece is not None
    ]

    def mass(s, atom_counts):
        steps = sum(
            (m for position, m in atoms if atom_counts(position, s)), Fraction()
        )
        share = (
            m * min(max((s - lo) / (hi - lo), Fraction(0)), Fraction(1))
            for lo, hi, m in pieces
        )
        return steps + sum(share, Fraction())

    def below(position, s):
        return position <= s

    def strictly_below(position, s):
        return position < s

    places = sorted({p for p, _ in atoms} | {p for piece in pieces for p in piece[:2]})
    lo, hi = 0, len(places) - 1
    while lo < hi:
        middle = (lo + hi) // 2
        if mass(places[middle], below) >= k:
            hi = middle
        else:
            lo = middle + 1
    before = mass(places[lo], strictly_below)
    if before < k:
        return float(places[lo]), True
    # The mass reaches k on the straight way from the last place to this one.
    start = places[lo - 1]
    level_there = mass(start, below)
    steepness = (before - level_there) / (places[lo] - start)
    return float(start + (k - level_there) / steepness), False


def assert_equals_brute_force(q, levels, y, reference=None):
    wanted, jumps = brute_force(q, levels, y, reference)
    given = None if reference is None else KaplanMeier(reference)
    shifts = conformal_shifts(q, levels, y, kaplan_meier=given)
    assert_array_equal(shifts[jumps], wanted[jumps])
    scale = max(np.abs(q[q < np.inf]).max(), y.time.max())
    assert_allclose(shifts, wanted, rtol=1e-12, atol=1e-12 * scale)
    return jumps


@pytest.fixture(params=["listed at once", "searched"])
def path(request, monkeypatch):
    """Run a test with all breakpoints listed, and again through the search."""
    few = 1 << 30 if request.param == "listed at once" else 0
    monkeypatch.setattr(quantile, "FEW_PIECES", few)
    return request.param


def random_case(seed, *, whole):
    """Return percentile times (crossing), outcomes, and a foreign sample."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 22)), int(rng.integers(2, 16))
    censored = rng.uniform(0.1, 0.9)
    if whole:
        time, other = rng.integers(1, 15, n), rng.integers(1, 12, m)
        q = rng.integers(0, 20, (n, len(LEVELS))).astype(float)
    else:
        time, other = rng.exponential(5, n), rng.exponential(4, m)
        q = rng.exponential(6, (n, len(LEVELS)))
    event, their_event = rng.random(n) > censored, rng.random(m) > 0.5
    event[0] = their_event[0] = True
    return q, Outcome(time, event), Outcome(other, their_event)


@pytest.mark.usefixtures("path")
class TestAgainstBruteForce:
    @pytest.mark.parametrize("seed", range(20))
    @pytest.mark.parametrize("whole", [True, False])
    def test_with_the_curve_of_the_set_itself(self, seed, whole):
        q, y, _ = random_case(seed, whole=whole)
        assert_equals_brute_force(q, LEVELS, y)

    @pytest.mark.parametrize("seed", range(100, 120))
    @pytest.mark.parametrize("whole", [True, False])
    def test_with_a_foreign_curve(self, seed, whole):
        q, y, other = random_case(seed, whole=whole)
        assert_equals_brute_force(q, LEVELS, y, other)

    @pytest.mark.parametrize("seed", range(200, 206))
    def test_all_subjects_with_events(self, seed):
        q, y, _ = random_case(seed, whole=True)
        everyone = Outcome(y.time, np.ones(len(y)))
        assert assert_equals_brute_force(q, LEVELS, everyone).all()

    @pytest.mark.parametrize("seed", range(300, 306))
    def test_all_subjects_censored_under_a_foreign_curve(self, seed):
        q, y, other = random_case(seed, whole=True)
        nobody = Outcome(y.time, np.zeros(len(y)))
        assert_equals_brute_force(q, LEVELS, nobody, other)

    @pytest.mark.parametrize("seed", range(400, 406))
    def test_subjects_censored_in_the_tail_and_past_the_end(self, seed):
        # S = 1/2 after t = 2, t_max = 4, t_end = 8.
        other = Outcome([2, 4], [1, 0])
        rng = np.random.default_rng(seed)
        y = Outcome([1, 2, 3, 4, 5, 6.5, 8, 8.5, 11, 3], [0] * 9 + [1])
        q = rng.integers(2, 12, (10, len(LEVELS))).astype(float)
        jumps = assert_equals_brute_force(q, LEVELS, y, other)
        assert not jumps.all()  # some answers lie on the straight tail

    @pytest.mark.parametrize("seed", range(500, 506))
    def test_subjects_censored_where_the_curve_is_zero(self, seed):
        other = Outcome([2, 3, 4], [1, 0, 1])
        y = Outcome([1, 3, 4, 5, 6, 2], [0, 0, 0, 0, 0, 1])
        q = np.random.default_rng(seed).integers(2, 9, (6, len(LEVELS))).astype(float)
        assert assert_equals_brute_force(q, LEVELS, y, other).all()

    @pytest.mark.parametrize("seed", range(600, 606))
    def test_infinite_rows_do_not_count(self, seed):
        q, y, other = random_case(seed, whole=True)
        rng = np.random.default_rng(seed)
        q[rng.random(q.shape) < 0.3] = np.inf
        q[:2] = [3, 4, 5, 6]  # at least two remain
        assert_equals_brute_force(q, LEVELS, y, other)

    def test_a_censoring_time_that_only_rounding_keeps_from_the_end(self):
        # t_end = 2 / (1 − 4/5) is 10, rounded 10.000000000000002. The subject
        # censored at 10 is a point there and leaves the tail of the others alone.
        other = Outcome([1, 2, 2, 2, 2], [1, 0, 0, 0, 0])
        assert 0 < KaplanMeier(other).t_end - 10 < 1e-14
        y = Outcome([10, 2, 3, 4, 5, 1], [0, 0, 0, 0, 0, 1])
        q = np.array([9.0, 8, 7, 6, 5, 4])[:, None] * np.ones(len(LEVELS))
        assert_equals_brute_force(q, LEVELS, y, other)

    def test_percentile_times_of_all_magnitudes(self):
        q, y, other = random_case(7, whole=False)
        q *= 10.0 ** np.random.default_rng(7).uniform(-9, 9, (len(q), 1))
        wanted, _ = brute_force(q, LEVELS, y, other)
        shifts = conformal_shifts(q, LEVELS, y, kaplan_meier=KaplanMeier(other))
        assert_allclose(shifts, wanted, rtol=1e-12)

    def test_scores_far_smaller_than_the_times(self):
        # q − T is of the order of the rounding of q and T: only differences count.
        rng = np.random.default_rng(8)
        y = Outcome(1e6 + rng.integers(0, 9, 20) * 2.0**-30, rng.random(20) < 0.6)
        q = 1e6 + rng.integers(0, 9, (20, len(LEVELS))) * 2.0**-30
        wanted, jumps = brute_force(q, LEVELS, y)
        shifts = conformal_shifts(q, LEVELS, y)
        assert_array_equal(shifts[jumps], wanted[jumps])
        # A point of the tail is known to the rounding of t_end, not of the score.
        assert_allclose(shifts, wanted, rtol=0, atol=1e-15 * KaplanMeier(y).t_end)


def large_case(seed, n, *, whole, tail):
    rng = np.random.default_rng(seed)
    x = np.exp(rng.normal(0, 0.5, n))
    true, censoring = 10 * x * rng.weibull(1.5, n), rng.exponential(18, n)
    if tail:
        censoring = np.minimum(censoring, 12)
    time, event = np.minimum(true, censoring), true <= censoring
    if whole:
        time = np.ceil(time)
    if not tail:
        last = np.argmax(time)
        time[last], event[last] = time[last] + 1, True
    levels = np.arange(1, 20) / 20
    q = 12 * x[:, None] * (-np.log(levels)) ** 0.8
    return np.round(q) if whole else q, levels, Outcome(time, event)


class DenseMass:
    """N·F at one level with all N × M scores in one matrix."""

    def __init__(self, q, y):
        self.km = KaplanMeier(y)
        self.events = q[y.event] - y.time[y.event]
        self.q, self.c = q[~y.event], y.time[~y.event]
        self.alive = self.km.survival_at(self.c)

    def __call__(self, s):
        reach = np.ones(self.c.size)
        later = self.q - s > self.c
        reach[later] = self.km.survival_before(self.q[later] - s) / self.alive[later]
        return np.count_nonzero(self.events <= s) + reach.sum()

    def quantile(self, k):
        """Return the weighted quantile of all scores (a curve without a tail)."""
        drops = -np.diff(self.km.event_survival)
        spread = self.alive > 0
        mass = drops / self.alive[spread, None]
        mass *= self.km.event_times > self.c[spread, None]
        scores = self.q[spread, None] - self.km.event_times
        past = self.q[~spread] - self.c[~spread]
        scores = np.concatenate([self.events, past, scores.ravel()])
        mass = np.concatenate([np.ones(self.events.size + past.size), mass.ravel()])
        order = np.argsort(scores)
        reached = np.cumsum(mass[order]) >= k - 1e-7
        return scores[order][np.argmax(reached)]


class TestLargerSets:
    @pytest.mark.parametrize("whole", [True, False])
    @pytest.mark.parametrize(("n", "few"), [(300, 1 << 30), (300, 0), (2000, 0)])
    def test_equals_the_weighted_quantile_of_all_scores(
        self, n, few, whole, monkeypatch
    ):
        monkeypatch.setattr(quantile, "FEW_PIECES", few)
        q, levels, y = large_case(n, n, whole=whole, tail=False)
        levels, q = levels[::3], q[:, ::3]
        wanted = [
            DenseMass(q[:, p], y).quantile(rank(level, n))
            for p, level in enumerate(levels)
        ]
        assert_array_equal(conformal_shifts(q, levels, y), wanted)

    @pytest.mark.parametrize("whole", [True, False])
    @pytest.mark.parametrize("few", [0, 100, 1 << 14])
    def test_is_the_first_place_that_reaches_the_rank(self, few, whole, monkeypatch):
        monkeypatch.setattr(quantile, "FEW_PIECES", few)
        q, levels, y = large_case(3, 2000, whole=whole, tail=True)
        shifts = conformal_shifts(q, levels, y)
        for p, level in enumerate(levels):
            mass, k = DenseMass(q[:, p], y), rank(level, 2000)
            step = 1e-10
            assert mass(shifts[p] + step) >= k - 1e-8
            assert mass(shifts[p] - step) < k

    @pytest.mark.parametrize("huge", [1e9, 1e18, 1e300])
    @pytest.mark.parametrize("share", [0.002, 0.05, 0.3])
    def test_curves_that_hardly_drop_disturb_nobody(self, huge, share):
        # Finite but huge percentile times, as parametric models give them at low
        # levels: above the rank they are as good as any other large number.
        q, levels, y = large_case(4, 3000, whole=False, tail=True)
        flat = np.random.default_rng(4).random(len(q)) < share
        q[flat] = huge
        levels, q = levels[:12], q[:, :12]
        shifts = conformal_shifts(q, levels, y)
        q[flat] = 1e4
        assert_allclose(shifts, conformal_shifts(q, levels, y), rtol=1e-12)

    def test_the_search_needs_a_handful_of_passes(self, monkeypatch):
        from consurv.conformal.censoring.laws import kaplan_meier

        calls = []
        evaluate = kaplan_meier._KaplanMeierMass.at

        def counted(self, s, above):
            calls.append(s)
            return evaluate(self, s, above)

        monkeypatch.setattr(kaplan_meier._KaplanMeierMass, "at", counted)
        for tail in (True, False):
            q, levels, y = large_case(5, 30_000, whole=False, tail=tail)
            calls.clear()
            conformal_shifts(q, levels, y)
            assert len(calls) / len(levels) < 6

    def test_nearly_equal_scores_are_told_apart(self, monkeypatch):
        # All scores within a few roundings of each other.
        monkeypatch.setattr(quantile, "FEW_PIECES", 0)
        q = np.full((40, 1), 5.1)
        q[::2] = np.nextafter(5.1, 6)
        y = Outcome(np.full(40, 5.0), [True] * 20 + [False] * 20)
        other = KaplanMeier(Outcome([5.5, 5.5], [1, 1]))
        shift = conformal_shifts(q, [0.6], y, kaplan_meier=other)
        # 20 laws at 5.1 − 5.5 come first, then the 10 smaller of the 20 points.
        assert_array_equal(shift, [5.1 - 5.0])


class TestRank:
    @pytest.mark.parametrize(
        ("level", "n", "k"),
        [
            (0.5, 4, 3),  # 2.5
            (0.5, 3, 2),  # 2 exactly
            (0.55, 99, 55),  # 55.00000000000001 in floats
            (np.arange(0.05, 1, 0.05)[2], 19, 3),  # 3.0000000000000004
            (0.1 + 0.2, 9, 3),
            (0.05, 19, 1),
            (0.95, 18, 19),  # beyond
            (1e-9, 5, 1),
        ],
    )
    def test_by_hand(self, level, n, k):
        assert rank(level, n) == k

    def test_levels_of_a_regular_grid_are_exact_for_every_n(self):
        for n in [*range(1, 400), 9999, 10**6 - 1, 10**7 - 1]:
            for i in range(1, 100):
                assert rank(i / 100, n) == -(-i * (n + 1) // 100)

    def test_is_an_int(self):
        assert type(rank(0.5, 10)) is int


class TestSmallestScore:
    def test_points_alone_give_an_order_statistic(self):
        points = np.array([3.0, 1.0, 2.0, 2.0])
        found = [smallest_score([LevelMass(points)], k) for k in (1, 2, 3, 4)]
        assert found == [1, 2, 2, 3]
        assert_array_equal(points, [3, 1, 2, 2])  # left as it was

    @pytest.mark.parametrize("few", [0, 1 << 14])
    def test_samples_count_one_rth_each(self, few, monkeypatch):
        # Scores 1 (point), 0 and 4 (halves), 2 and 2 (halves): mass 0.5 at 0,
        # 1.5 at 1, 2.5 at 2, 3 at 4.
        monkeypatch.setattr(quantile, "FEW_PIECES", few)
        law = SampledLaw(np.array([[6.0, 2.0], [3.0, 3.0]])).at(
            np.array([6.0, 5.0]), np.ones(2)
        )
        blocks = [LevelMass(np.array([1.0]), law)]
        assert [smallest_score(blocks, k) for k in (1, 2, 3)] == [1, 2, 4]

    @pytest.mark.parametrize(
        ("k", "score"), [(1, -np.inf), (2, 3), (3, 5), (4, 7), (5, np.inf)]
    )
    def test_fixed_mass_counts_at_every_score(self, k, score):
        # Two subjects count 0.6 and 0.5 whatever happens; three are points.
        block = LevelMass(np.array([5.0, 3.0, 7.0]), fixed=1.1, n_fixed=2)
        assert block.n == 5
        assert smallest_score([block], k) == score

    @pytest.mark.parametrize(("k", "score"), [(1, -np.inf), (2, 1), (3, 2), (4, 4)])
    def test_fixed_mass_beside_a_law(self, k, score):
        law = SampledLaw(np.array([[6.0, 2.0], [3.0, 3.0]])).at(
            np.array([6.0, 5.0]), np.ones(2)
        )
        # Half of the first law at 0, the other at 4, the second at 2; a point at 1.
        blocks = [LevelMass(np.array([1.0]), law, fixed=0.5, n_fixed=1)]
        blocks += [LevelMass(np.empty(0), fixed=0.5, n_fixed=1)]
        assert smallest_score(blocks, k) == score

    def test_a_block_may_be_empty(self):
        blocks = [LevelMass(np.empty(0)), LevelMass(np.array([2.0, 1.0]))]
        assert smallest_score(blocks, 2) == 2

    def test_rounded_masses_still_reach_the_rank(self):
        # Ten tenths add up to 0.9999999999999999 in floats.
        class Tenths:
            n, most_pieces, straight = 1, 10, False
            last_time = 1.0

            def sketch(self, size):
                return np.arange(10.0)[None]

            def at(self, s, above):
                return AtScore(s, np.array([[int(s[0] > 0), 0]]))

            def n_pieces(self, lo, hi):
                return np.array([10])

            def bends(self, lo, hi):
                return np.array([False])

            def pieces(self, lo, hi):
                jump = np.full(10, 0.1)
                level = np.zeros(10, int)
                return Pieces(np.zeros(1), level, np.arange(10.0), jump, 0 * jump)

        blocks = [LevelMass(np.array([20.0]), Tenths())]
        assert np.cumsum(np.full(10, 0.1))[-1] < 1
        assert smallest_score(blocks, 1) == 9
