"""What a fit predicts for its split; each thing is computed once for all variants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from time import perf_counter
from typing import Any

import numpy as np

from consurv._checks import Bool, Float
from consurv.adapters import adapter_for
from consurv.conformal.adjust import AdjustedCurves, adjust
from consurv.conformal.censoring.base import Block
from consurv.conformal.inputs import read_levels
from consurv.conformal.levels import LevelResult, find_levels, times_at
from consurv.conformal.policies import (
    ENOUGH_FOR_VALIDATION,
    Data,
    curve_times_of,
    own_times_of,
    survival_of,
)
from consurv.conformal.shifts import ShiftResult, find_shifts, resolve_rule
from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import InvalidInput
from studies.protocol import Split
from studies.variants import Variant

__all__ = ["Conformalized", "Predictions"]


@dataclass(frozen=True)
class Conformalized:
    """Shifts or adjusted levels and the seconds that they took.

    Attributes
    ----------
    result : ShiftResult or LevelResult
    predict_seconds : float
        For what is read off the curves of the conformal set, even if it was there
        already.
    shift_seconds : float
        For the shifts or levels.
    """

    result: ShiftResult | LevelResult
    predict_seconds: float
    shift_seconds: float

    @property
    def seconds(self) -> float:
        """All that conformalizing costs."""
        return self.predict_seconds + self.shift_seconds


class Predictions:
    """Curves and percentile times of one fit.

    Percentile times of all variants are read at once, at the union of their levels;
    survival at the observed times, for variants that move levels, once as well.
    CQRNN gives percentile times that may cross: at its own levels they are
    conformalized as they are, and elsewhere its rearranged curves are used.

    Parameters
    ----------
    model : object
        Trained.
    split : Split
    variants : sequence of Variant
        All that will be asked for.
    """

    def __init__(self, model: Any, split: Split, variants: Sequence[Variant]) -> None:
        self.model, self.split, self._variants = model, split, tuple(variants)
        self._adapter = adapter_for(model)
        shifted = [v for v in variants if v.adjustment == "time"]
        grids = [read_levels(v.percentiles) for v in shifted if v.percentiles]
        self._levels = np.unique(np.concatenate(grids)) if grids else np.empty(0)
        self._read: dict[tuple[str, str], tuple[Float, float]] = {}

    def fresh(self) -> Predictions:
        """Return the same with nothing computed yet."""
        return Predictions(self.model, self.split, self._variants)

    @cached_property
    def raw(self) -> SurvivalCurves:
        """The model's curves of the test set."""
        return self._adapter.curves(self.model, self.split.test[0])

    def policy(self, conformal_set: str) -> str:
        """Return the conformal set that a policy stands for; "auto" as the paper."""
        if conformal_set != "auto":
            return conformal_set
        validation = self.split.validation
        if validation is None:
            return "train"
        enough = len(validation[1]) >= ENOUGH_FOR_VALIDATION
        return "validation" if enough else "train+validation"

    def conformalize(self, variant: Variant, seed: int) -> Conformalized:
        """Find the shifts or the levels of a variant.

        The Kaplan–Meier curve is that of the outcomes the model was trained on.
        """
        levels = read_levels(variant.percentiles or 1)
        policy = self.policy(variant.conformal_set or "")
        rule = variant.censoring or ""
        result: ShiftResult | LevelResult
        if variant.adjustment == "level":
            parts, seconds = self._survival(policy)
            start = perf_counter()
            result = find_levels(parts, levels, rule)
        else:
            blocks, seconds = self._blocks(policy, levels)
            start = perf_counter()
            contribution = resolve_rule(rule, variant.n_samples)
            result = find_shifts(blocks, contribution, np.random.default_rng(seed))
        return Conformalized(result, seconds, perf_counter() - start)

    def adjusted(self, result: ShiftResult | LevelResult) -> AdjustedCurves:
        """Return the calibrated curves of the test set."""
        if isinstance(result, LevelResult):
            moved = times_at(self.raw, result.adjusted_levels)
            return adjust(moved, result.levels, np.zeros(len(result.levels)))
        times = self._own_times(self.split.test[0], result.levels)
        if times is None:
            times = self.raw.percentile_times(result.levels)
        return adjust(times, result.levels, result.shifts)

    def _blocks(self, policy: str, levels: Float) -> tuple[list[Block], float]:
        """Return the conformal set and the seconds that predicting it takes."""
        start = perf_counter()
        km = KaplanMeier(self.split.train[1])
        blocks, total = [], perf_counter() - start
        for name, data in self._sets(policy):
            times, seconds = self._times(name, data, levels)
            blocks.append(Block(times, levels, data[1], km, name == "train"))
            total += seconds
        return blocks, total

    def _survival(self, policy: str) -> tuple[list[tuple[Float, Bool]], float]:
        """Return what levels are found from, and the seconds that predicting takes."""
        parts, total = [], 0.0
        for name, (X, y) in self._sets(policy):
            read = partial(survival_of, self._adapter, self.model, X, y)
            survival, seconds = self._once("survival", name, read)
            parts.append((survival, y.event))
            total += seconds
        return parts, total

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

    def _times(self, name: str, data: Data, levels: Float) -> tuple[Float, float]:
        start = perf_counter()
        own = self._own_times(data[0], levels)
        if own is not None:
            return own, perf_counter() - start
        args = (self._adapter, self.model, data[0], self._levels)
        read = partial(curve_times_of, *args)
        times, seconds = self._once("times", name, read)
        return times[:, np.searchsorted(self._levels, levels)], seconds

    def _once(
        self, what: str, name: str, read: Callable[[], Float]
    ) -> tuple[Float, float]:
        """Return what is read off the curves of a set, and the seconds it took."""
        if (what, name) not in self._read:
            start = perf_counter()
            self._read[what, name] = read(), perf_counter() - start
        return self._read[what, name]

    def _own_times(self, X: Any, levels: Float) -> Float | None:
        return own_times_of(self._adapter, self.model, X, levels)
