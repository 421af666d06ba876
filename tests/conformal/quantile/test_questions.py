"""Partitions of the conformal set: summaries that merge, rounds, the same answer."""

from __future__ import annotations

import tracemalloc
from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import consurv.conformal.quantile.search as quantile
from consurv.conformal.censoring.rules import RULES
from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import Blocks
from consurv.conformal.quantile.brackets import Bracket, Window
from consurv.conformal.quantile.masses import UNIT, in_units, to_mass
from consurv.conformal.quantile.questions import ask
from consurv.conformal.quantile.search import conformal_quantiles
from consurv.conformal.quantile.sketch import Sketch
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.outcome import Outcome

LEVELS = np.arange(1, 10) / 10
COLUMNS = np.arange(len(LEVELS))


def subjects(n, seed, *, ties):
    rng = np.random.default_rng(seed)
    x = np.exp(rng.normal(0, 0.5, n))
    true, limit = 10 * x * rng.weibull(1.5, n), np.minimum(rng.exponential(18, n), 15)
    time = np.minimum(true, limit)
    q = 12 * x[:, None] * (-np.log(LEVELS)) ** 0.8
    if ties:  # and flat stretches: nothing happens between two whole numbers
        time, q = np.ceil(time), np.round(q)
    return q, Outcome(time, true <= limit)


def partitions(rule, q, y, km, rows):
    blocks = [Block(q[part], LEVELS, y[part], km, member=True) for part in rows]
    return RULES[rule]().sweeps(Blocks(blocks), np.random.default_rng(0))


def shuffled(n, seed):
    """Split n rows into parts of any size, in any order, some of them empty."""
    rng = np.random.default_rng(seed)
    owner = rng.integers(0, rng.integers(1, 9), n)
    return [rng.permutation(np.flatnonzero(owner == i)) for i in rng.permutation(9)]


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("rule", ["uncensored", "kaplan-meier"])
def test_200_shuffled_partitions_choose_the_same_breakpoint(rule, ties, monkeypatch):
    monkeypatch.setattr(quantile, "FEW_PIECES", 0)
    q, y = subjects(80, 1, ties=ties)
    km = KaplanMeier(y)
    everyone = partitions(rule, q, y, km, [np.arange(80)])
    whole = conformal_quantiles(everyone, COLUMNS, LEVELS)
    for seed in range(200):
        parts = partitions(rule, q, y, km, shuffled(80, seed))
        found = conformal_quantiles(parts, COLUMNS, LEVELS)
        # On the straight tail of the curve two ways round differently.
        scale = 1e-12 * km.t_end
        assert np.abs(found.scores - whole.scores).max() <= (0 if ties else scale)
        assert_array_equal(found.n_events, whole.n_events)
        assert_array_equal(found.n, whole.n)


@pytest.mark.parametrize("ties", [True, False])
def test_so_do_those_of_recalibrated_curves(ties):
    q, y = subjects(120, 2, ties=ties)
    km = KaplanMeier(y)
    whole = conformal_quantiles(
        partitions("auto", q, y, km, [np.arange(120)]), COLUMNS, LEVELS
    )
    for seed in range(50):
        parts = partitions("auto", q, y, km, shuffled(120, seed))
        found = conformal_quantiles(parts, COLUMNS, LEVELS)
        # The mass is a line there, and reaches the rank to 1e-9.
        assert np.abs(found.scores - whole.scores).max() <= 1e-9 * q.max()


@pytest.mark.parametrize("rule", ["uncensored", "kaplan-meier", "auto"])
@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("n", [500, 20_000])
def test_eight_rounds_are_enough(rule, ties, n):
    q, y = subjects(n, 3, ties=ties)
    parts = partitions(rule, q, y, KaplanMeier(y), np.array_split(np.arange(n), 3))
    # Beside these "auto" looks at all blocks twice, for its strata and its tables.
    allowed = 6 if rule == "auto" else 8
    assert conformal_quantiles(parts, COLUMNS, LEVELS).rounds <= allowed


@pytest.mark.parametrize("unit", [1.0, 0.1])
@pytest.mark.parametrize("rule", ["kaplan-meier", "auto"])
def test_so_they_are_where_scores_are_whole_days(rule, unit):
    levels = np.arange(1, 20) / 20
    rng = np.random.default_rng(2)
    x, n = rng.normal(size=20_000), 20_000
    true, limit = 100 * np.exp(x / 2) * rng.weibull(1.5, n), rng.exponential(150, n)
    y = Outcome(np.ceil(np.minimum(true, limit)) * unit, true <= limit)
    q = 110 * np.exp(0.4 * x)[:, None] * (-np.log(levels)) ** (1 / 1.3)
    block = Block(np.ceil(q) * unit, levels, y, KaplanMeier(y), member=True)
    parts = RULES[rule]().sweeps(Blocks([block]), np.random.default_rng(0))
    found = conformal_quantiles(parts, np.arange(19), levels)
    assert found.rounds <= 6


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("levels", [[2], COLUMNS[1:], COLUMNS])
def test_looking_at_a_few_rows_copies_no_others(order, levels):
    q, event = np.ones((300_000, 9), order=order), np.zeros(300_000)
    event[::3000] = 1
    parts = partitions("uncensored", q, Outcome(event + 1, event), None, [slice(None)])
    question = Window(np.array(levels), *np.zeros((2, len(levels))), np.zeros((9, 0)))
    tracemalloc.start()
    ask(parts, question)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300_000  # bytes, where a column has 2,400,000


def test_few_points_are_listed_in_one_round():
    q, y = subjects(300, 8, ties=False)
    q[::7, 2] = np.inf  # these do not count at one level
    parts = partitions("margin", q, y, KaplanMeier(y), shuffled(300, 8))
    found = conformal_quantiles(parts, COLUMNS, LEVELS)
    assert found.rounds == 1
    for p, level in enumerate(LEVELS):
        own = [
            part.block.percentile_times[part.point_rows, p] - part.point_times
            for part in parts
        ]
        scores = np.concatenate(own)
        scores = scores[scores < np.inf]
        assert found.n[p] == len(scores)
        assert found.scores[p] == np.sort(scores)[quantile.rank(level, len(scores)) - 1]


@pytest.mark.parametrize("rule", ["kaplan-meier", "auto"])
def test_laws_answer_many_levels_as_one_after_another(rule):
    q, y = subjects(200, 9, ties=False)
    parts = partitions(rule, q, y, KaplanMeier(y), [np.arange(200)])
    ends = np.linspace(-1.0, 0.0, 9), np.linspace(1.0, 2.0, 9)
    limit = np.full(9, np.inf)
    together = ask(parts, Bracket(COLUMNS, *ends, limit))
    for p in range(9):
        lo, hi = (end[[p]] for end in ends)
        alone = ask(parts, Bracket(COLUMNS[[p]], lo, hi, limit[[p]]))
        assert_array_equal(together.law[p], alone.law[0])
        assert_array_equal(together.n_pieces[p], alone.n_pieces[0])
        inside = together.level == p
        assert_array_equal(together.position[inside], alone.position)
        assert_array_equal(together.jump[inside], alone.jump)


class TestSummaries:
    @pytest.mark.parametrize("rule", ["kaplan-meier", "auto"])
    def test_the_exact_mass_is_the_same_for_any_split_to_the_last_bit(self, rule):
        q, y = subjects(3000, 4, ties=False)
        km = KaplanMeier(y)
        (whole,) = partitions(rule, q, y, km, [np.arange(3000)])
        ends = np.full(len(LEVELS), -1.0), np.full(len(LEVELS), 2.0)
        question = Bracket(COLUMNS, *ends, np.zeros(len(LEVELS)))
        rows = whole.law_rows
        parts = [
            type(whole)(
                whole.block,
                np.empty(0, int),
                np.empty(0),
                rows[part],
                whole.law.select(part),
            )
            for part in shuffled(len(rows), 4)
        ]
        assert_array_equal(ask(parts, question).law, ask([whole], question).law)

    def test_points_are_counted_below_and_listed_in_a_window(self):
        q, y = subjects(1000, 5, ties=True)
        parts = partitions("uncensored", q, y, None, shuffled(1000, 5))
        lo, hi = np.full(9, -1.0), np.full(9, 3.0)
        found = ask(parts, Window(COLUMNS, lo, hi, np.empty((9, 0))))
        for p in range(9):
            scores = (q[:, p] - y.time)[y.event]
            assert found.below[p] == np.count_nonzero(scores <= -1)
            inside = scores[(scores > -1) & (scores <= 3)]
            assert_array_equal(np.sort(found.points[found.level == p]), np.sort(inside))

    def test_hold_arrays_alone(self):
        q, y = subjects(200, 6, ties=False)
        parts = partitions("kaplan-meier", q, y, KaplanMeier(y), [np.arange(200)])
        ends = np.zeros(9), np.ones(9)
        for question in (
            Sketch(COLUMNS),
            Window(COLUMNS, *ends, np.zeros((9, 3))),
            Bracket(COLUMNS, *ends, np.full(9, np.inf)),
        ):
            summary = ask(parts, question)
            for field in fields(summary):
                value = getattr(summary, field.name)
                assert isinstance(value, np.ndarray)
                assert value.dtype.kind in "ifb"

    def test_a_sample_stands_for_all(self, monkeypatch):
        from consurv.conformal.parts import blocks

        q, y = subjects(5000, 7, ties=False)
        parts = partitions("kaplan-meier", q, y, KaplanMeier(y), [np.arange(5000)])
        whole = ask(parts, Sketch(COLUMNS))
        monkeypatch.setattr(blocks, "_SAMPLE", 500)
        some = ask(parts, Sketch(COLUMNS))
        assert_array_equal(some.n, whole.n)
        assert_array_equal(some.n_law, whole.n_law)
        assert some.weights.sum(axis=1) == pytest.approx(whole.weights.sum(axis=1))
        assert (some.variance > whole.variance).all()
        found = conformal_quantiles(parts, COLUMNS, LEVELS).scores
        monkeypatch.undo()
        assert_array_equal(found, conformal_quantiles(parts, COLUMNS, LEVELS).scores)


class TestUnits:
    def test_are_the_sum_in_any_order(self):
        rng = np.random.default_rng(0)
        shares = rng.random(50_000)
        exact = float(sum(map(Fraction, shares.tolist())))
        found = in_units(shares)
        assert to_mass(found) == pytest.approx(exact, abs=50_000 * UNIT)
        assert_array_equal(in_units(shares[rng.permutation(50_000)]), found)

    def test_of_ends(self):
        assert in_units(np.array([0.0, 1.0, 0.5])).tolist() == [1, round(0.5 / UNIT)]
        assert to_mass(np.array([[3, round(0.25 / UNIT)]])) == [3.25]
