"""One setting come to life: draws of conformal subjects, and the test subjects."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from consurv import Outcome, SurvivalCurves
from consurv._checks import Float
from studies.bed.censoring import draw_limits, hidden_cause, scale_for, share_of
from studies.bed.laws import LAWS
from studies.bed.raws import distorted
from studies.bed.setting import Setting

__all__ = ["N_TEST", "Draw", "World"]

N_TEST = 1000
# Levels at which raw curves have their nodes, falling.
_ENDS = [0.998, 0.99, 0.985, 0.98, 0.97, 0.96, 0.04, 0.03, 0.02, 0.01]
_LEVELS: Float = np.union1d(np.arange(1, 200) / 200, _ENDS)[::-1]


@dataclass(frozen=True)
class Draw:
    """Conformal subjects and the raw curves of them and of the test subjects.

    ``true_time`` is for oracles alone.
    """

    curves: SurvivalCurves
    outcome: Outcome
    true_time: Float
    test: SurvivalCurves


class World:
    """A setting with its truth.

    Attributes
    ----------
    law : Law
    x_test : ndarray of shape (N_TEST, 4)
    horizon : float
        The 95 % quantile of the finite times; the end of follow-up where some are
        cured.
    end : float
        Where nobody is followed any longer and what comes later does not count; inf
        unless some are cured.
    """

    def __init__(self, setting: Setting) -> None:
        self.setting, self.law = setting, LAWS[setting.law]
        name = str((setting.law, setting.censoring))
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        x = rng.normal(size=(20_000, 4))
        time = self._times(x, rng)
        limit = self._limits(x, time, rng)
        finite = np.isfinite(time)
        self._scale = 1.0
        if setting.censoring != "none":
            cured = float(np.mean(~finite))
            wanted = cured + (1 - cured) * share_of(setting.censoring)
            self._scale = scale_for(wanted, time, limit)
        seen = np.minimum(time, self._scale * limit)
        followed = float(np.quantile(seen[np.isfinite(seen)], 0.995))
        self._admin = np.inf
        if setting.censoring == "none" and not finite.all():
            self._admin = float(np.quantile(time[finite], 0.97))
        self.end = min(followed, self._admin) if "cured" in setting.law else np.inf
        self.horizon = min(float(np.quantile(time[finite], 0.95)), self.end)
        self.x_test = np.random.default_rng(77).normal(size=(N_TEST, 4))
        self._make_raw(time[finite])

    def _make_raw(self, times: Float) -> None:
        kind, _, _ = self.setting.raw.partition(":")
        self._q, strength = distorted(self.law, self.setting.raw)
        # No model says inf: where some are cured its curves stop with the follow-up.
        self._cut = self.end
        if kind == "cut":
            self._cut = float(np.quantile(times, strength))
        self._steps = int(strength) if kind == "steps" else None
        self.test = self.raw_curves(self.x_test)

    def _times(self, x: Float, rng: np.random.Generator) -> Float:
        return self.law.q(rng.uniform(1e-12, 1, size=(len(x), 1)), x)[:, 0]

    def _limits(self, x: Float, time: Float, rng: np.random.Generator) -> Float:
        name = self.setting.censoring
        if name.startswith("hid"):
            x = hidden_cause(self.law, x, time, rng)
        return draw_limits(name, x, rng)

    def raw_curves(self, x: Float) -> SurvivalCurves:
        """Return what the raw model says of subjects."""
        levels, unit = _LEVELS, self.law.unit
        if self._steps:
            levels = 1 - np.arange(1, self._steps + 1) / (self._steps + 1)
        q = np.maximum(self._q(np.broadcast_to(levels, (len(x), len(levels))), x), 1e-9)
        if unit:
            q = np.ceil(q / unit - 1e-9) * unit
        survival = np.broadcast_to(levels, q.shape)
        if np.isfinite(self._cut):
            end = self._raw_survival(x, self._cut)[:, None]
            later = survival < end
            q = np.where(later, self._cut, np.minimum(q, self._cut))
            survival = np.where(later, end, survival)
            q = np.concatenate([q, np.full((len(x), 1), self._cut)], axis=1)
            survival = np.concatenate([survival, end], axis=1)
        return SurvivalCurves(q, survival, "step" if unit or self._steps else "linear")

    def _raw_survival(self, x: Float, time: float) -> Float:
        """Return S_raw(time|x) by halving."""
        low, high = np.full(len(x), 1e-9), np.full(len(x), 1 - 1e-9)
        for _ in range(40):
            middle = (low + high) / 2
            late = self._q(middle[:, None], x)[:, 0] > time
            low, high = np.where(late, middle, low), np.where(late, high, middle)
        survival: Float = np.minimum(high, 0.999)
        return survival

    def sample(self, rng: np.random.Generator) -> tuple[Float, Outcome, Float]:
        """Return x, outcomes and true times of N subjects."""
        x = rng.normal(size=(self.setting.n, 4))
        time = self._times(x, rng)
        limit = self._scale * self._limits(x, time, rng)
        limit = np.minimum(limit, self._admin)
        if self.law.unit:
            limit = np.maximum(np.ceil(limit / self.law.unit), 1) * self.law.unit
        return x, Outcome(np.minimum(time, limit), time <= limit), time

    def draw(self, repetition: int) -> Draw:
        """Return a conformal set; settings and repetitions have seeds of their own."""
        seed = [zlib.crc32(str(self.setting).encode()), repetition]
        x, outcome, time = self.sample(np.random.default_rng(seed))
        return Draw(self.raw_curves(x), outcome, time, self.test)
