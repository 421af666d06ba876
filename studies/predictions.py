"""What a fit predicts for its split; each thing is computed once for all variants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np

from consurv._checks import Float
from consurv.conformal.adjustments import (
    Adjustment,
    TimeAdjustment,
    adjustment_kind,
)
from consurv.conformal.adjustments.adjust import AdjustedCurves
from consurv.conformal.parts.blocks import Block, Data
from consurv.conformal.reading.inputs import read_levels
from consurv.conformal.reading.raw_model import KnownCurves, RawModel
from consurv.conformal.sets.conformal_sets import papers_choice
from consurv.curves.curves import SurvivalCurves
from consurv.curves.representations.law import Law
from consurv.errors import InvalidInput
from consurv.outcome import Outcome
from studies.preset.causes import Causes
from studies.preset.conformal import authors_shifts, authors_times, joined_as_authors
from studies.protocol import Split
from studies.variants import Variant

__all__ = ["Conformalized", "Predictions"]

_OURS = Causes()


@dataclass(frozen=True)
class Conformalized:
    """An adjustment and the seconds that it took.

    Attributes
    ----------
    adjustment : Adjustment
    predict_seconds : float
        For what is read off the curves of the conformal set, even if it was there
        already.
    shift_seconds : float
        For the adjustment itself.
    """

    adjustment: Adjustment
    predict_seconds: float
    shift_seconds: float

    @property
    def seconds(self) -> float:
        """All that conformalizing costs."""
        return self.predict_seconds + self.shift_seconds


class Predictions:
    """The raw and the calibrated curves of one fit.

    Adjustments are read, found and applied as ``ConformalSurvival`` does it, around a
    model that remembers what was read before.

    Parameters
    ----------
    model : object
        Trained.
    split : Split
    variants : sequence of Variant
        All that will be asked for.
    causes : Causes
        How parametric curves end.
    """

    def __init__(
        self,
        model: Any,
        split: Split,
        variants: Sequence[Variant],
        causes: Causes = _OURS,
    ) -> None:
        self.model, self.split, self._variants = model, split, tuple(variants)
        self.causes = causes
        grids = [read_levels(v.percentiles) for v in variants if v.percentiles]
        levels = np.unique(np.concatenate(grids)) if grids else np.empty(0)
        ends = split.train[1].time if causes.tails == "line" else None
        self._raw = _RememberingModel(
            model, levels, ends, as_authors=causes.conformal == "paper"
        )

    def fresh(self) -> Predictions:
        """Return the same with nothing computed yet."""
        return Predictions(self.model, self.split, self._variants, self.causes)

    @cached_property
    def raw(self) -> SurvivalCurves:
        """The model's curves of the test set."""
        return self._raw.curves(self.split.test[0])

    def policy(self, conformal_set: str) -> str:
        """Return the conformal set that a policy stands for."""
        if conformal_set != "paper":
            return conformal_set
        held = self.split.validation
        return papers_choice(held is not None, 0 if held is None else len(held[1]))

    def conformalize(self, variant: Variant, seed: int) -> Conformalized:
        """Find the adjustment of a variant.

        The Kaplan–Meier curve is that of the outcomes the model was trained on.
        """
        kind = adjustment_kind(variant.adjustment or "")
        levels = read_levels(variant.percentiles or 1)
        policy = self.policy(variant.conformal_set or "")
        rule = kind.choose_rule(variant.censoring, variant.n_samples)
        before = self._raw.seconds
        blocks = [
            kind.read(self._raw, data, levels, in_training=name == "train")
            for name, data in self._sets(policy)
        ]
        start = perf_counter()
        if self.causes.conformal == "paper" and _is_papers(variant):
            shifts = self._authors_adjustment(blocks)
            return self._timed(shifts, before, start)
        found = kind.make(
            blocks,
            rule,
            np.random.default_rng(seed),
            training=self.split.train[1],
            conformal_set=policy,
            censoring=kind.rule_name(rule, variant.censoring),
            n_samples=variant.n_samples,
        )
        return self._timed(found, before, start)

    def _timed(self, found: Adjustment, before: float, start: float) -> Conformalized:
        return Conformalized(found, self._raw.seconds - before, perf_counter() - start)

    def _authors_adjustment(self, blocks: Sequence[Block]) -> TimeAdjustment:
        """Find shifts by the authors' rule for censored subjects and ranks."""
        levels, y = blocks[0].levels, Outcome.concatenate([b.outcome for b in blocks])
        q = np.concatenate([block.reading for block in blocks])
        shifts = authors_shifts(q, levels, y, self.split.conditional)
        return TimeAdjustment(levels=levels, shifts=shifts, n_conformal=len(y))

    def adjusted(self, adjustment: Adjustment) -> AdjustedCurves:
        """Return the calibrated curves of the test set."""
        X = self.split.test[0]
        if self.causes.conformal == "paper" and isinstance(adjustment, TimeAdjustment):
            return adjustment.apply(self._raw.percentile_times(X, adjustment.levels))
        return adjustment.predict(KnownCurves(self._raw, self.raw), X)

    def _sets(self, policy: str) -> list[tuple[str, Data]]:
        """Return the parts of a conformal set by name."""
        known = {"train": self.split.train, "validation": self.split.validation}
        found = []
        for name in policy.split("+"):
            data = known[name]
            if data is None:
                raise InvalidInput(f"this fit has no {name} set")
            found.append((name, data))
        return found


def _is_papers(variant: Variant) -> bool:
    """Say whether a variant is the paper's method, which its code has a way to do."""
    return variant.adjustment == "time" and variant.censoring == "kaplan-meier"


class _RememberingModel(RawModel):
    """A model that reads the curves of a set once, at the levels of all variants.

    CQRNN gives percentile times of its own, which may cross; where its levels are not
    those of a variant its rearranged curves are read.

    With *grid*, times, a parametric curve is known there alone, joined by straight
    lines, and ends in the line to 0. *as_authors* joins the points of all curves as the
    authors do.
    """

    def __init__(
        self,
        model: Any,
        levels: Float,
        grid: Float | None = None,
        *,
        as_authors: bool = False,
    ) -> None:
        super().__init__(model)
        self._as_authors = as_authors
        self._grid = None if grid is None else np.unique(grid)
        self._levels, self._known = levels, dict[tuple[str, int], tuple[Any, float]]()
        self.seconds = 0.0  # for all that was asked for, even if it was known already

    def curves(self, X: Any) -> SurvivalCurves:
        found = super().curves(X)
        on_grid = isinstance(found._form, Law)
        if self._as_authors:  # the libraries give steps at all training times
            on_grid |= found.interpolation == "step"
        if self._grid is not None and on_grid:
            found = SurvivalCurves(self._grid, found.survival_at(self._grid))
        return joined_as_authors(found) if self._as_authors else found

    def own_times(self, X: Any, levels: Float) -> Float | None:
        start = perf_counter()
        own = super().own_times(X, levels)
        self.seconds += perf_counter() - start
        return own

    def curve_times(self, X: Any, levels: Float) -> Float:
        read = super().curve_times
        if self._as_authors:
            read = self._authors_times
        times = self._once("times", X, lambda: read(X, self._levels))
        return times[:, np.searchsorted(self._levels, levels)]

    def _authors_times(self, X: Any, levels: Float) -> Float:
        return self.read_off(X, lambda c: authors_times(c, levels), len(levels))

    def survival_around_observed(self, X: Any, time: Float) -> Float:
        read = super().survival_around_observed
        return self._once("survival", X, lambda: read(X, time))

    def _once(self, what: str, X: Any, read: Callable[[], Float]) -> Float:
        key = what, id(X)  # the sets of a split live as long as this
        if key not in self._known:
            start = perf_counter()
            self._known[key] = read(), perf_counter() - start
        found, seconds = self._known[key]
        self.seconds += seconds
        values: Float = found
        return values
