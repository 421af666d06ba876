"""What a fit predicts for its split; each thing is computed once for all variants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np

from consurv._checks import Float
from consurv.adapters import adapter_for
from consurv.conformal.adjust import AdjustedCurves, adjust
from consurv.conformal.censoring.base import Block
from consurv.conformal.inputs import read_levels
from consurv.conformal.policies import (
    ENOUGH_FOR_VALIDATION,
    Data,
    percentile_times_of,
)
from consurv.conformal.shifts import ShiftResult, find_shifts, resolve_rule
from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import InvalidInput
from consurv.experiments.protocol import Split
from consurv.experiments.variants import Variant

__all__ = ["Conformalized", "Predictions"]


@dataclass(frozen=True)
class Conformalized:
    """Shifts and the seconds that they took.

    Attributes
    ----------
    result : ShiftResult
    predict_seconds : float
        For the percentile times of the conformal set, even if they were there already.
    shift_seconds : float
        For the shifts.
    """

    result: ShiftResult
    predict_seconds: float
    shift_seconds: float

    @property
    def seconds(self) -> float:
        """All that conformalizing costs."""
        return self.predict_seconds + self.shift_seconds


class Predictions:
    """Curves and percentile times of one fit.

    Percentile times of all variants are read at once, at the union of their levels.
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
        grids = [read_levels(v.percentiles) for v in variants if v.percentiles]
        self._levels = np.unique(np.concatenate(grids)) if grids else np.empty(0)
        self._conformal: dict[str, tuple[Float, float]] = {}

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
        """Find the shifts of a variant.

        The Kaplan–Meier curve is that of the outcomes the model was trained on.
        """
        levels = read_levels(variant.percentiles or 1)
        policy = self.policy(variant.conformal_set or "")
        blocks, seconds = self._blocks(policy, levels)
        start = perf_counter()
        rule = resolve_rule(variant.censoring or "", variant.n_samples)
        result = find_shifts(blocks, rule, np.random.default_rng(seed))
        return Conformalized(result, seconds, perf_counter() - start)

    def adjusted(self, result: ShiftResult) -> AdjustedCurves:
        """Return the calibrated curves of the test set."""
        times = self._as_it_is(self.split.test[0], result.levels)
        if times is None:
            times = self.raw.percentile_times(result.levels)
        return adjust(times, result.levels, result.shifts)

    def _blocks(self, policy: str, levels: Float) -> tuple[list[Block], float]:
        """Return the conformal set and the seconds that predicting it takes."""
        sets: dict[str, tuple[Data | None, bool]] = {
            "train": (self.split.train, True),
            "validation": (self.split.validation, False),
        }
        start = perf_counter()
        km = KaplanMeier(self.split.train[1])
        blocks, total = [], perf_counter() - start
        for name in policy.split("+"):
            data, in_training = sets[name]
            if data is None:
                raise InvalidInput(f"this fit has no {name} set")
            times, seconds = self._times(name, data, levels)
            blocks.append(Block(times, levels, data[1], km, in_training))
            total += seconds
        return blocks, total

    def _times(self, name: str, data: Data, levels: Float) -> tuple[Float, float]:
        start = perf_counter()
        own = self._as_it_is(data[0], levels)
        if own is not None:
            return own, perf_counter() - start
        if name not in self._conformal:
            args = (self._adapter, self.model, data[0], self._levels)
            times = percentile_times_of(*args)
            self._conformal[name] = times, perf_counter() - start
        times, seconds = self._conformal[name]
        return times[:, np.searchsorted(self._levels, levels)], seconds

    def _as_it_is(self, X: Any, levels: Float) -> Float | None:
        """Return percentile times that the model gives itself, if it has them all."""
        if not hasattr(self.model, "predict_percentile_times"):
            return None
        if not np.isin(levels, self.model.levels_).all():
            return None
        columns = np.searchsorted(self.model.levels_, levels)
        times: Float = self.model.predict_percentile_times(X)[:, columns]
        return times
