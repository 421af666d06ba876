"""Raw models that were trained, on as many other subjects."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from consurv._checks import Float
from consurv.adapters import adapter_for
from consurv.models import make_model
from studies.bed.setting import Setting
from studies.bed.world import Draw, World

__all__ = ["FITTED", "FittedWorld", "world_of"]


def _rich(x: Float) -> Float:
    """Return what a model needs, and much noise."""
    products = [x[:, 0] * x[:, 1], x[:, 2] * x[:, 3]]
    return np.column_stack([x, np.sin(3 * x), np.cos(4 * x), *products])


_FEATURES: Mapping[str, Callable[[Float], Float]] = {
    "": lambda x: x[:, :3],
    "missing": lambda x: x[:, :1],
    "rich": _rich,
}
FITTED: Mapping[str, tuple[str, dict[str, Any]]] = {
    "cox": ("coxph", {}),
    "forest": ("random-forest", {}),
    "boosting": ("gradient-boosting", {}),
    "deep": ("deephit", {"max_epochs": 30}),
}


class FittedWorld(World):
    """A setting whose raw model is trained anew in each repetition."""

    def _make_raw(self, times: Float) -> None:
        model, _, features = self.setting.raw.partition("-")
        self._name, self._options = FITTED[model]
        self._features = _FEATURES[features]

    def draw(self, repetition: int) -> Draw:
        """Return a conformal set with the curves of a model that never saw it."""
        seed = [zlib.crc32(str(self.setting).encode()), repetition]
        rng = np.random.default_rng(seed)
        x, outcome, _ = self.sample(rng)
        model = make_model(self._name, random_state=repetition, **self._options)
        adapter = adapter_for(model)
        model = adapter.fit(model, self._features(x), outcome)
        x, outcome, time = self.sample(rng)
        curves = adapter.curves(model, self._features(x))
        test = adapter.curves(model, self._features(self.x_test))
        return Draw(curves, outcome, time, test)


def world_of(setting: Setting) -> World:
    """Return the world of a setting, whatever its raw model."""
    trained = setting.raw.partition("-")[0] in FITTED
    return FittedWorld(setting) if trained else World(setting)
