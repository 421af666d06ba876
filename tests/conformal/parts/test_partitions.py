"""Subjects elsewhere: only questions go there and only summaries come back."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv.conformal.adjustments import ADJUSTMENTS
from consurv.conformal.adjustments.shifts import find_shifts
from consurv.conformal.censoring.rules import RULES
from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import (
    Blocks,
    Outcomes,
    Partitions,
    Several,
    refer,
)
from consurv.conformal.quantile.questions import merge
from consurv.conformal.recalibration.shapes import FINE_LEVELS
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import CalibrationWarning, InvalidInput
from consurv.outcome import Outcome

LEVELS = np.arange(1, 20) / 20


class Posted(Partitions):
    """Blocks that can be reached by letters only."""

    def __init__(self, blocks, reference=None, member=False, letters=None):
        self.levels, self.n_parts = blocks[0].levels, len(blocks)
        self._blocks, self._reference, self._member = blocks, reference, member
        self.letters = [] if letters is None else letters

    def ask(self, question):
        letter = pickle.dumps((question, self._reference, self._member))
        answers = []
        for block in self._blocks:
            asked, curve, member = pickle.loads(letter)
            there = replace(block, reference=curve, member=member)
            answers.append(pickle.dumps(asked.answer(there)))
        self.letters.append((len(letter), sum(map(len, answers))))
        return merge([pickle.loads(answer) for answer in answers])

    def _referring_to(self, curve, member):
        return Posted(self._blocks, curve, member, self.letters)

    @property
    def has_reference(self):
        return self._reference is not None


def subjects(n, seed=0, *, whole=False, endless=False):
    rng = np.random.default_rng(seed)
    x = np.exp(rng.normal(0, 0.5, n))
    true, limit = 10 * x * rng.weibull(1.5, n), rng.exponential(14, n)
    time, q = np.minimum(true, limit), 12 * x[:, None] * (-np.log(LEVELS)) ** 0.8
    if whole:
        time, q = np.ceil(time), np.ceil(q)
    if endless:
        q[::7, :4] = np.inf
        q[::50] = np.inf
    return q, Outcome(time, true <= limit)


def blocks_of(q, y, seed, proportional=False):
    rng = np.random.default_rng(seed)
    owner = rng.integers(0, 5, len(y))
    rows = [rng.permutation(np.flatnonzero(owner == i)) for i in range(6)]
    return [Block(q[r], LEVELS, y[r], proportional=proportional) for r in rows]


@pytest.mark.filterwarnings("ignore:.*infinite percentile times")
@pytest.mark.filterwarnings("ignore:too few events")
@pytest.mark.parametrize("rule", [n for n, rule in RULES.items() if rule().anywhere])
@pytest.mark.parametrize("kind", ["time", "log-time"])
@pytest.mark.parametrize("how", [{}, {"whole": True}, {"endless": True}])
def test_shifts_are_the_same_and_take_few_rounds(kind, rule, how):
    q, y = subjects(3000, **how)
    kind, rng = ADJUSTMENTS[kind], np.random.default_rng(0)
    chosen = kind.choose_rule(rule, None)
    whole = Block(q, LEVELS, y, proportional=kind._proportional)
    here = kind.make([whole], chosen, rng)
    there = Posted(blocks_of(q, y, 1, kind._proportional))
    found = kind.make(there, chosen, rng)
    numbers = [next(iter(made.attributes().values())) for made in (here, found)]
    scale = y.time.max() if kind.kind == "time" else 1.0
    assert_allclose(numbers[1], numbers[0], rtol=0, atol=1e-9 * scale)
    assert_array_equal(found.identified, here.identified)
    assert (found.n_infinite, found.n_conformal) == (here.n_infinite, 3000)
    assert found.kaplan_meier == here.kaplan_meier
    assert len(there.letters) <= 8


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("rule", "drop", "bytes_each"),
    [
        ("uniform", 1.05, 10),
        ("self-consistent", 1.0, 10),
        ("self-consistent", 1.05, 18),
    ],
)
def test_levels_are_the_same(rule, drop, bytes_each, weighted):
    _, y = subjects(2000)
    rng = np.random.default_rng(1)
    at = rng.uniform(0.1, 0.9, 2000)
    if weighted:
        y, bytes_each = y.weighted(rng.uniform(1, 2, 2000)), bytes_each + 8
    both = np.stack([at, np.minimum(at * drop, 1)], axis=1)
    kind, rng = ADJUSTMENTS["level"], np.random.default_rng(0)
    here = kind.make([Block(both, LEVELS, y)], rule, rng)
    there = Posted(blocks_of(both, y, 2))
    found = kind.make(there, rule, rng)
    assert_allclose(found.adjusted_levels, here.adjusted_levels, atol=1e-12 * weighted)
    assert there.letters[-1][1] < bytes_each * 2000 + 6 * 1000


def read_off(n, change="none", *, stretch=1.0, censored=0.3, seed=5):
    """Return what is read off raw curves, and the outcomes of their subjects."""
    rng = np.random.default_rng(seed)
    x, width = rng.normal(size=n), np.exp(rng.normal(scale=0.2, size=n)) / 1.5
    true = 10 * np.exp(0.7 * x) * rng.exponential(size=n) ** width
    limit = rng.exponential(3, n) if censored > 0.5 else 25
    y = Outcome(np.minimum(true, limit), true <= limit)
    q = 10 * np.exp(0.7 * x[:, None]) * (-np.log(FINE_LEVELS)) ** width[:, None]
    q *= stretch
    if change == "late":
        q += 6
    elif change == "whole":
        q, y = np.ceil(q), Outcome(np.ceil(y.time), y.event)
    elif change == "steps":
        grid = np.quantile(true, np.linspace(0.02, 1, 40))
        q = grid[np.minimum(np.searchsorted(grid, q), 39)]
    elif change == "twins":
        q, y = np.ceil(q[:1] * np.ones((n, 1))), Outcome(np.ceil(y.time), y.event)
    return np.column_stack([q, np.zeros(n), np.full(n, np.inf)]), y


def recalibrated(reading, y, tolerance=1e-9):
    """Return rounds of a recalibration that is the same in memory and by letters."""
    kind, rng = ADJUSTMENTS["recalibrated"], np.random.default_rng(0)
    here = kind.make([Block(reading, LEVELS, y)], "likelihood", rng)
    there = Posted(blocks_of(reading, y, 1))
    found = kind.make(there, "likelihood", rng)
    times = [made.apply(reading[:200])._times_at(LEVELS) for made in (here, found)]
    assert_allclose(times[1], times[0], rtol=0, atol=tolerance * y.time.max())
    # Where the ridge stands still is known less sharply than the times are.
    assert found.dof == pytest.approx(here.dof, abs=max(1e-6, 100 * tolerance))
    assert_array_equal(found.identified, here.identified)
    return len(there.letters)


@pytest.mark.filterwarnings("ignore:too few events")
@pytest.mark.parametrize("change", ["none", "late", "whole", "steps"])
@pytest.mark.parametrize("stretch", [1.0, 1.6])
def test_few_subjects_are_fetched(change, stretch):
    assert recalibrated(*read_off(300, change, stretch=stretch)) == 2


@pytest.mark.filterwarnings("ignore:too few events")
@pytest.mark.parametrize(
    ("change", "how"),
    [
        ("none", {}),
        ("none", {"stretch": 0.6, "seed": 1}),
        ("none", {"stretch": 1.6, "censored": 0.8}),
        ("late", {}),
        ("late", {"seed": 1}),
        ("whole", {"stretch": 0.6}),
        ("whole", {"stretch": 1.6, "seed": 1}),
        ("steps", {"seed": 2}),
        ("steps", {"stretch": 1.6}),
        ("twins", {"stretch": 1.6}),
    ],
)
def test_recalibrations_are_the_same_and_take_few_rounds(change, how):
    """Of twins, who have one mark, the part is too long to be fetched."""
    n = 22_000 if change == "twins" else 12_000
    # The first steps to a delay rest on few events: they blow rounding up, by chance.
    # Times beyond the follow-up, up to five times as long, count here, too.
    tolerance = 1e-6 if change == "late" else 1e-9
    assert 8 <= recalibrated(*read_off(n, change, **how), tolerance) <= 30


def test_those_without_a_shape_are_not_fetched():
    reading, y = read_off(10_500, stretch=1.6)
    reading[:2000, :-2] = np.inf
    with pytest.warns(CalibrationWarning, match="2000 subjects have curves that never"):
        assert recalibrated(reading, y) <= 8


@pytest.mark.parametrize("n", [2000, 10_500])
@pytest.mark.parametrize("each", [0.2, 7.0])
def test_so_are_those_of_weights(n, each):
    """Where many weigh little all of them find the way, round by round."""
    reading, y = read_off(n, stretch=1.6)
    weight = each * np.random.default_rng(1).uniform(0.5, 1.5, n)
    rounds = recalibrated(reading, y.weighted(weight))
    assert rounds == 2 if n < 10_000 else rounds <= 30


@pytest.mark.parametrize(
    "rule", [n for n, make in RULES.items() if not make().anywhere]
)
def test_rules_that_need_all_rows_are_refused(rule):
    there = Posted(blocks_of(*subjects(200), 0))
    with pytest.raises(InvalidInput, match="in memory only; elsewhere choose one of"):
        find_shifts(there, RULES[rule](), np.random.default_rng(0))


def test_so_are_draws():
    there, rule = Posted(blocks_of(*subjects(200), 0)), RULES["kaplan-meier"]()
    with pytest.raises(InvalidInput, match="in memory only"):
        find_shifts(there, rule.with_samples(10), np.random.default_rng(0))


def test_letters_are_small():
    q, y = subjects(20_000, whole=True)
    there = Posted(blocks_of(q, y, 0))
    ADJUSTMENTS["time"].make(there, RULES["kaplan-meier"](), np.random.default_rng(0))
    # 19 levels with a thousand quantiles and their weights, from each of six parts.
    assert max(back for _, back in there.letters) < 6 * 19 * 1024 * 30


class TestRefer:
    def test_counts_make_the_curve_of_all(self):
        q, y = subjects(300, whole=True)
        curve, referred = refer(Posted(blocks_of(q, y, 3)), "conformal", None)
        assert curve == KaplanMeier(y)
        assert referred.has_reference

    def test_without_events_there_is_none(self):
        y = Outcome([1.0, 2.0], [0, 0])
        subjects = Blocks([Block(np.ones((2, 1)), np.array([0.5]), y)])
        with pytest.raises(
            InvalidInput, match="no event was observed among 2 subjects"
        ):
            refer(subjects, "conformal", None)


def test_several_questions_are_one_round():
    there = Posted(blocks_of(*subjects(50), 0))
    first, second = there.ask(Several((Outcomes(), Outcomes())))
    assert first.n == second.n == 50
    assert len(there.letters) == 1
