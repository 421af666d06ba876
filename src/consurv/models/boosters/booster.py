"""The frame of boosters: settings, validation set, from margins to curves."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from consurv._checks import Float
from consurv._params import AtLeast, Between, Constraints, InstanceOf, OneOf
from consurv.curves.breslow import breslow
from consurv.curves.curves import SurvivalCurves
from consurv.models.boosters.scale import marginal_scale
from consurv.models.model import AT_ONCE, Data, SurvivalModel
from consurv.models.validation import with_validation
from consurv.outcome import Outcome

__all__ = ["AFT", "BoostedSurvival", "Cox"]


class BoostedSurvival(SurvivalModel):
    """Base of the boosters; a library adds how it trains and predicts a margin.

    What the parameters mean is said once, in ``XGBSurvivalAFT``.
    """

    _rules: ClassVar[Constraints] = {
        "n_estimators": AtLeast(1),
        "learning_rate": Between(0, np.inf),
        "max_depth": AtLeast(1),
        "early_stopping_rounds": (OneOf(None), AtLeast(1)),
        "validation_fraction": Between(0, 1),
        "params": (OneOf(None), InstanceOf(Mapping)),
        "n_jobs": (OneOf(None, -1), AtLeast(1)),
        "random_state": (OneOf(None), AtLeast(0)),
    }
    _takes_missing: ClassVar[bool] = True
    # Trees cut single precision: what comes in it need not be made wider first.
    _dtype: ClassVar[DTypeLike | list[DTypeLike]] = [np.float64, np.float32]
    _chunk_rows: ClassVar[int] = AT_ONCE

    def __init__(
        self,
        *,
        n_estimators: int = 500,
        learning_rate: float = 0.05,
        max_depth: int = 4,
        early_stopping_rounds: int | None = 20,
        validation_fraction: float = 0.1,
        params: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.early_stopping_rounds = early_stopping_rounds
        self.validation_fraction = validation_fraction
        self.params = params
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def uses_validation(self) -> bool:  # type: ignore[override]
        """Whether training stops by a validation set."""
        return self.early_stopping_rounds is not None

    # -- what a library and a loss add ----------------------------------------

    @abstractmethod
    def _train(self, data: Data, validation: Data | None, seed: int) -> Any:
        """Return the trained model of the library."""

    @abstractmethod
    def _margin(self, features: NDArray[Any]) -> Float:
        """Return the sums of the trees."""

    def _finish(self, data: Data) -> None:
        """Learn from the training rows what curves need besides the booster."""

    # -- the work -------------------------------------------------------------

    def _fit(self, data: Data, validation: Data | None) -> None:
        rng = np.random.default_rng(self.random_state)
        if self.uses_validation:
            data, validation = with_validation(
                data, validation, self.validation_fraction, rng
            )
        else:
            validation = None
        self._last_time = float(data[1].time.max())
        self.booster_ = self._train(data, validation, int(rng.integers(2**31)))
        self._finish(data)

    @property
    def _threads(self) -> int:
        """The number of threads; −1 for all."""
        return -1 if self.n_jobs is None else self.n_jobs


class AFT(BoostedSurvival):
    """Accelerated failure time: log T = margin(x) + scale · W."""

    _rules: ClassVar[Constraints] = {
        **BoostedSurvival._rules,
        "distribution": OneOf("normal", "logistic", "extreme"),
        "scale": (OneOf("auto"), Between(0, np.inf)),
    }

    def __init__(
        self,
        *,
        distribution: Literal["normal", "logistic", "extreme"] = "normal",
        scale: float | Literal["auto"] = "auto",
        n_estimators: int = 500,
        learning_rate: float = 0.05,
        max_depth: int = 4,
        early_stopping_rounds: int | None = 20,
        validation_fraction: float = 0.1,
        params: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        super().__init__(
            n_estimators=n_estimators,
            learning_rate=learning_rate,
            max_depth=max_depth,
            early_stopping_rounds=early_stopping_rounds,
            validation_fraction=validation_fraction,
            params=params,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.distribution = distribution
        self.scale = scale

    def _start(self, outcome: Outcome) -> float:
        """Settle the scale; return where log times lie without features."""
        location, scale = marginal_scale(outcome, self.distribution)
        self.scale_ = scale if self.scale == "auto" else float(self.scale)
        return location

    def _predict_rows(self, features: NDArray[Any]) -> SurvivalCurves:
        return SurvivalCurves.from_aft(
            self._margin(features), self.scale_, self.distribution, self._last_time
        )


class Cox(BoostedSurvival):
    """Proportional hazards: margins are log hazard ratios, the baseline Breslow's."""

    def _finish(self, data: Data) -> None:
        self.baseline_ = breslow(self._margin(data[0]), data[1])

    def _predict_rows(self, features: NDArray[Any]) -> SurvivalCurves:
        return self.baseline_.curves(self._margin(features))

    def predict(self, X: Any) -> Float:
        """Return the log hazard ratio of every row, higher for an earlier event."""
        return self._margin(self._check_features(X))
