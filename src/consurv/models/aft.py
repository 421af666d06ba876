"""Weibull regression, by lifelines."""

from __future__ import annotations

from typing import Any, ClassVar

from numpy.typing import NDArray

from consurv._params import AtLeast, Constraints
from consurv.adapters import adapter_for
from consurv.curves.curves import SurvivalCurves
from consurv.errors import ConsurvError, InvalidInput, MissingDependency
from consurv.models.model import AT_ONCE, Data, SurvivalModel

__all__ = ["WeibullAFT"]


class WeibullAFT(SurvivalModel):
    """Accelerated failure time: log T = β·x + σ·W, with T Weibull.

    More features than events are refused: lifelines would try for minutes in vain.

    Parameters
    ----------
    penalty : float, default=0.01
        Weight of the L2 penalty on the coefficients.

    Attributes
    ----------
    fitter_ : lifelines.WeibullAFTFitter

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 1))
    >>> y = (np.ones(100), rng.exponential(np.exp(X[:, 0])))
    >>> WeibullAFT().fit(X, y).score(X, y) > 0.7
    True
    """

    _rules: ClassVar[Constraints] = {"penalty": AtLeast(0, real=True)}
    _chunk_rows: ClassVar[int] = AT_ONCE

    def __init__(self, *, penalty: float = 0.01) -> None:
        self.penalty = penalty

    def _fit(self, data: Data, validation: Data | None) -> None:
        features, outcome = data
        if features.shape[1] > outcome.n_events:
            raise InvalidInput(
                f"X has {features.shape[1]} features and y only "
                f"{outcome.n_events} events, too few for a Weibull regression; "
                "drop features, or choose coxph, gradient-boosting or a deep model"
            )
        self.fitter_ = _train(_make_fitter(self.penalty), features, outcome)

    def _predict_rows(self, features: NDArray[Any]) -> SurvivalCurves:
        return adapter_for(self.fitter_).curves(self.fitter_, features)


def _make_fitter(penalty: float) -> Any:
    try:
        from lifelines import WeibullAFTFitter
    except ImportError as error:
        raise MissingDependency("lifelines", "models") from error
    return WeibullAFTFitter(penalizer=penalty)


def _train(fitter: Any, features: Any, outcome: Any) -> Any:
    from lifelines.exceptions import ConvergenceError

    try:
        return adapter_for(fitter).fit(fitter, features, outcome)
    except ConvergenceError as error:
        first_line = next(iter(str(error).strip().splitlines()), "")
        raise ConsurvError(
            f"lifelines found no Weibull regression for these data ({first_line}); "
            "standardise the features, drop some or raise penalty"
        ) from error
