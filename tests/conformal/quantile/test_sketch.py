"""Sketches of many partitions: how far they are off, and how long they get."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consurv.conformal.censoring.rules import RULES
from consurv.conformal.parts import partitions
from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import Blocks
from consurv.conformal.quantile import sketch
from consurv.conformal.quantile.questions import ask
from consurv.conformal.quantile.sketch import Sketch, quantiles_of
from consurv.distributed.spill import Spilled
from consurv.outcome import Outcome

LEVELS = np.array([0.8, 0.5, 0.2])
COLUMNS = np.arange(3)


def blocks(count, n, seed=0):
    """Return blocks that resemble each other to a few parts in a million."""
    rng = np.random.default_rng(seed)
    time = np.linspace(1, 100, n)
    for _ in range(count):
        own = Outcome(time * (1 + 1e-6 * rng.random(n)), np.ones(n))
        yield Block(np.tile([10.0, 50.0, 90.0], (n, 1)), LEVELS, own)


def sketched(count, n, size):
    made = list(blocks(count, n))
    parts = RULES["uncensored"]().sweeps(Blocks(made), np.random.default_rng(0))
    scores = np.sort(
        np.concatenate([b.reading - b.outcome.time[:, None] for b in made]), 0
    )
    return ask(parts, Sketch(COLUMNS, 0, size, many=True)), scores


def ranks_off(outline, scores):
    """Return how far the ranks of a sketch are off, at most, at each level."""
    off = []
    for p in range(3):
        places = np.quantile(scores[:, p], np.linspace(0.02, 0.98, 97))
        true = np.searchsorted(scores[:, p], places, side="right")
        below = outline.scores[p][:, None] <= places
        off.append(np.abs((outline.weights[p][:, None] * below).sum(axis=0) - true))
    return np.max(off, axis=1)


class TestSketch:
    def test_parts_that_are_alike_are_not_all_off_by_the_same(self):
        outline, scores = sketched(100, 500, 10)
        # In the same place in all parts it would be off by up to 100 x 25 subjects.
        assert (ranks_off(outline, scores) < 4 * np.sqrt(outline.between)).all()
        assert np.sqrt(outline.between) == pytest.approx([250] * 3)

    def test_it_is_thinned_where_it_gets_long(self):
        outline, scores = sketched(200, 600, 64)
        n = 200 * 600
        assert outline.scores.shape[1] <= 1.5 * quantiles_of(n) < 200 * 64
        assert outline.weights.sum(axis=1) == pytest.approx([n] * 3)
        assert (ranks_off(outline, scores) < 4 * np.sqrt(outline.between)).all()

    def test_a_level_where_nobody_counts_does_not_matter(self, monkeypatch):
        made = [
            replace(block, reading=block.reading * [1, 1, np.inf])
            for block in blocks(200, 600)
        ]
        parts = RULES["uncensored"]().sweeps(Blocks(made), np.random.default_rng(0))
        outline = ask(parts, Sketch(COLUMNS, 0, 64, many=True))
        assert outline.n.tolist() == [120_000, 120_000, 0]
        assert outline.scores.shape[1] <= 1.5 * quantiles_of(120_000)

    def test_what_is_listed_is_never_thinned(self, monkeypatch):
        monkeypatch.setattr(sketch, "quantiles_of", lambda n: 8)
        made = Blocks(list(blocks(30, 10)))
        parts = RULES["uncensored"]().sweeps(made, np.random.default_rng(0))
        assert ask(parts, Sketch(COLUMNS)).scores.shape == (3, 300)

    @pytest.mark.parametrize("rule", ["uncensored", "kaplan-meier"])
    def test_the_answer_does_not_depend_on_it(self, rule, monkeypatch):
        monkeypatch.setattr(partitions, "FEW_POINTS", 0)
        monkeypatch.setattr(partitions, "_FEWEST", 4)
        rng = np.random.default_rng(3)
        x, limit = np.exp(rng.normal(0, 0.5, 4000)), rng.exponential(20, 4000)
        true = 10 * x * rng.weibull(1.5, 4000)
        y = Outcome(np.minimum(true, limit), true <= limit)
        q = 12 * x[:, None] * (-np.log(LEVELS)) ** 0.8
        rows = np.array_split(np.arange(4000), 25)
        found = []
        for size in (8, 4096):
            monkeypatch.setattr(partitions, "quantiles_of", lambda n, size=size: size)
            monkeypatch.setattr(sketch, "quantiles_of", lambda n, size=size: size)
            parts = [Block(q[some], LEVELS, y[some]) for some in rows]
            with Spilled(LEVELS, lambda parts=parts: iter(parts)) as subjects:
                from consurv.conformal.adjustments import ADJUSTMENTS

                kind = ADJUSTMENTS["time"]
                rng = np.random.default_rng(0)
                chosen = kind.choose_rule(rule, None)
                found.append(kind.make(subjects, chosen, rng).shifts)
                assert subjects.rounds <= 8
        assert_array_equal(*found)
