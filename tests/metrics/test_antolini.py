"""Antolini's concordance index against a loop over pairs, and facts."""

from __future__ import annotations

import numpy as np
import pytest

from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.metrics import antolini, antolini_concordance_index, concordance_of_risk
from consurv.outcome import Outcome


def make(n=70, seed=0, digits=1):
    """Outcomes and curves with ties; the curves cross."""
    rng = np.random.default_rng(seed)
    time, censoring = rng.exponential(5, n), rng.exponential(8, n)
    y = Outcome(np.ceil(np.minimum(time, censoring)), time <= censoring)
    grid = np.arange(1.0, 9)
    falls = rng.dirichlet(np.ones(9), n)[:, :8]
    survival = 1 - np.cumsum(falls, axis=1)
    return y, grid, np.round(survival, digits).clip(0, 1)


def brute_force(y, curves):
    less = tied = pairs = 0
    for i in np.flatnonzero(y.event):
        at = curves.survival_at([y.time[i]])[:, 0]
        for j in range(len(y)):
            if y.time[j] > y.time[i] or (y.time[j] == y.time[i] and not y.event[j]):
                pairs += 1
                less += at[i] < at[j]
                tied += at[i] == at[j]
    return less, tied, pairs


class TestAntoliniConcordanceIndex:
    @pytest.mark.parametrize("interpolation", ["linear", "step", "pchip"])
    @pytest.mark.parametrize("own_grid", [False, True])
    def test_equals_a_loop_over_pairs(self, interpolation, own_grid):
        y, grid, survival = make()
        times = np.tile(grid, (len(y), 1)) if own_grid else grid
        curves = SurvivalCurves(times, survival, interpolation)
        less, tied, pairs = brute_force(y, curves)
        assert tied > 20 or interpolation != "step"
        result = antolini_concordance_index(y, curves)
        assert result.n_concordant == less
        assert result.n_tied == tied
        assert result.n_discordant == pairs - less - tied
        assert float(result) == (less + tied / 2) / pairs
        dropped = antolini_concordance_index(y, curves, tied_risks="drop")
        assert float(dropped) == less / (pairs - tied)
        strict = antolini_concordance_index(y, curves, tied_risks="discordant")
        assert float(strict) == less / pairs

    @pytest.mark.parametrize(("events", "subjects"), [(1, 1), (3, 7), (1000, 2)])
    def test_the_size_of_the_blocks_does_not_matter(
        self, monkeypatch, events, subjects
    ):
        y, grid, survival = make()
        curves = SurvivalCurves(grid, survival)
        wanted = antolini_concordance_index(y, curves)
        monkeypatch.setattr(antolini, "_EVENTS", events)
        monkeypatch.setattr(antolini, "_SUBJECTS", subjects)
        assert antolini_concordance_index(y, curves) == wanted

    def test_is_harrells_index_where_curves_do_not_cross(self):
        y, _, _ = make(300)
        grid = np.linspace(0.5, y.time.max(), 30)
        rate = np.exp(np.random.default_rng(2).normal(-2, 0.7, 300))
        curves = SurvivalCurves(grid, np.exp(-grid * rate[:, None]))
        assert float(antolini_concordance_index(y, curves)) == float(
            concordance_of_risk(y, rate)
        )

    def test_looks_at_the_time_of_the_event(self):
        # The curves cross at 2: the first subject is below before, above after.
        curves = SurvivalCurves([1.0, 3.0], [[0.5, 0.4], [0.8, 0.1]])
        early = ([1, 1], [1.0, 5.0])
        late = ([1, 1], [3.0, 5.0])
        assert float(antolini_concordance_index(early, curves)) == 1.0
        assert float(antolini_concordance_index(late, curves)) == 0.0

    def test_a_clairvoyant_scores_one(self):
        time = np.array([1.0, 2.0, 2.0, 5.0])
        curves = SurvivalCurves(time[:, None], np.zeros((4, 1)), "step")
        y = Outcome(time, np.ones(4))
        assert float(antolini_concordance_index(y, curves)) == 1.0

    def test_equal_curves_score_one_half(self):
        y, grid, survival = make()
        curves = SurvivalCurves(grid, np.tile(survival[:1], (len(y), 1)))
        assert float(antolini_concordance_index(y, curves)) == 0.5

    def test_row_order_does_not_matter(self):
        y, grid, survival = make()
        curves = SurvivalCurves(grid, survival)
        order = np.random.default_rng(4).permutation(len(y))
        assert antolini_concordance_index(
            y[order], curves[order]
        ) == antolini_concordance_index(y, curves)


class TestRefusals:
    def test_refuses_outcomes_without_a_comparable_pair(self):
        curves = SurvivalCurves([2.0], [[0.5], [0.2]])
        with pytest.raises(InvalidInput, match="no comparable pair among its 2"):
            antolini_concordance_index(([0, 1], [1.0, 2.0]), curves)

    def test_refuses_to_drop_all_pairs(self):
        curves = SurvivalCurves([2.0], [[0.5], [0.5]])
        with pytest.raises(InvalidInput, match="all 1 comparable pairs have equal"):
            antolini_concordance_index(([1, 1], [1.0, 2.0]), curves, tied_risks="drop")

    def test_refuses_an_unknown_tie_rule(self):
        curves = SurvivalCurves([2.0], [[0.5], [0.5]])
        with pytest.raises(InvalidInput, match="tied_risks='all' is not valid"):
            antolini_concordance_index(([1, 1], [1.0, 2.0]), curves, tied_risks="all")
