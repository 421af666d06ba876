"""The settings of the test bed: the truth, the model's mistake, the censoring."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from studies.truth.censoring import log_scale
from studies.truth.law import Baseline

__all__ = ["CENSORINGS", "EFFECTS", "LEVELS", "MODELS", "SIZES", "Setting", "settings"]

Float = NDArray[np.float64]

LEVELS = np.arange(1, 20) / 20
EFFECTS = (0.5, 1.0)
SIZES = (300, 1500)

# What the model multiplies its times, its shape and its slope by.
MODELS = {
    "right": (1.0, 1.0, 1.0),
    "scaled": (1.5, 1.0, 1.0),
    "wrong shape": (1.0, 2 / 3, 1.0),
    "wrong slope": (1.0, 1.0, 1.5),
    "too flat": (1.0, 1.0, 0.5),
}
# How the log censoring time moves when the log event time moves by 1.
CENSORINGS = {"independent": 0.0, "short for low risk": -1.0, "long for low risk": 1.0}


@dataclass(frozen=True)
class Setting:
    """One setting.

    The true time is T = exp(effect · x) · U with x standard normal; U is Weibull and
    may hold a hidden covariate z. The model sees x and not z.

    Attributes
    ----------
    model : str
        A key of ``MODELS``. ``"right"`` is the law of T given x, z averaged out.
    effect : float
        Standard deviation of the log time that x explains.
    censoring : str
        A key of ``CENSORINGS``.
    n : int
        Conformal subjects.
    hidden : float
        Standard deviation of the log time that z explains.
    by_hidden : bool
        Whether z drives the censoring instead of x.

    Examples
    --------
    >>> Setting("too flat", 0.5, "independent", 300).name
    'too flat, effect 0.5, independent, N = 300'
    """

    model: str
    effect: float
    censoring: str
    n: int
    hidden: float = 0.0
    by_hidden: bool = False

    @property
    def group(self) -> str:
        """The name without the size."""
        hidden = f" + hidden {self.hidden:g}" if self.hidden else ""
        driver = " (hidden)" if self.by_hidden else ""
        effect = f"effect {self.effect:g}{hidden}"
        return f"{self.model}, {effect}, {self.censoring}{driver}"

    @property
    def name(self) -> str:
        """The name, unique among the settings."""
        return f"{self.group}, N = {self.n}"

    @property
    def calibrated(self) -> bool:
        """Whether the raw model is right."""
        return self.model == "right"

    @property
    def truth(self) -> Baseline:
        """The law of T at x = 0."""
        return Baseline(hidden=self.hidden)

    @property
    def believed(self) -> Baseline:
        """The law of T at x = 0, as the model has it."""
        factor, shape, _ = MODELS[self.model]
        truth = self.truth
        return Baseline(truth.shape * shape, truth.scale * factor, self.hidden)

    @property
    def slope(self) -> float:
        """The model's slope of the log time in x."""
        return self.effect * MODELS[self.model][2]

    def true_survival(self, times: Float, x: Float) -> Float:
        """Return P(T > t | x) for the times (n, P) of n subjects."""
        return self.truth.survival(times * np.exp(-self.effect * x)[:, None])

    def model_survival(self, time: Float, x: Float) -> Float:
        """Return the raw model's survival at one time for each subject."""
        return self.believed.survival(time * np.exp(-self.slope * x))

    def percentile_times(self, levels: Float, x: Float) -> Float:
        """Return the raw model's percentile times (n, P)."""
        return np.exp(self.slope * x)[:, None] * self.believed.quantile(levels)

    def censoring_scale(self, x: Float, z: Float) -> Float:
        """Return the mean censoring time of each subject."""
        slope = CENSORINGS[self.censoring]
        of_x, of_z = (0.0, slope) if self.by_hidden else (slope, 0.0)
        # What is left of the covariates in T / C.
        spread = np.hypot((1 - of_x) * self.effect, (1 - of_z) * self.hidden)
        constant = log_scale(replace(self.truth, hidden=float(spread)))
        return np.exp(constant + of_x * self.effect * x + of_z * self.hidden * z)


def settings() -> tuple[Setting, ...]:
    """Return all settings.

    Every model under every censoring, and two models that miss a covariate: there
    censoring is independent or driven by what the model does not see.
    """
    seen = [Setting(*key) for key in product(MODELS, EFFECTS, CENSORINGS, SIZES)]
    hidden = [
        Setting(model, 0.5, censoring, n, 0.5, censoring != "independent")
        for model, censoring, n in product(("right", "too flat"), CENSORINGS, SIZES)
    ]
    return (*seen, *hidden)
