"""Weibull regression, by lifelines."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float
from consurv._params import AtLeast, Constraints
from consurv.adapters import adapter_for
from consurv.curves.curves import SurvivalCurves
from consurv.curves.representations import Weibull
from consurv.errors import ConsurvError, InvalidInput, MissingDependency
from consurv.models.model import AT_ONCE, Data, SurvivalModel
from consurv.outcome import Outcome

__all__ = ["WeibullAFT"]

# So many standard deviations from 0 are features centred, and times of a median beyond
# 2**±_USUAL_EXPONENT scaled; others are left to the last bit as they are.
_FAR = 100.0
_USUAL_EXPONENT = 40


class WeibullAFT(SurvivalModel):
    """Accelerated failure time: log T = β·x + σ·W, with T Weibull.

    More features than events are refused: lifelines would try for minutes in vain.
    Features far from 0 for their spread are centred and times of extreme size are
    counted in another unit: the regression is the same, but there it can be found.

    Parameters
    ----------
    penalty : float, default=0.01
        Weight of the L2 penalty on the coefficients.

    Attributes
    ----------
    fitter_ : lifelines.WeibullAFTFitter
        Of features less ``offset_`` and times divided by ``unit_``.
    offset_ : array of shape (m,)
        0 where a feature was left as it is.
    unit_ : float
        A power of 2, mostly 1.

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
        self.offset_, self.unit_ = _offset(features), _unit(outcome.time)
        outcome = Outcome(time=outcome.time / self.unit_, event=outcome.event)
        fitter = _make_fitter(self.penalty)
        self.fitter_ = _train(fitter, self._moved(features), outcome)

    def _predict_rows(self, features: NDArray[Any]) -> SurvivalCurves:
        fitter = self.fitter_
        curves = adapter_for(fitter).curves(fitter, self._moved(features))
        if self.unit_ == 1:
            return curves
        law = curves._form
        assert isinstance(law, Weibull)
        return SurvivalCurves._of(law.in_unit(self.unit_))

    def _moved(self, features: NDArray[Any]) -> NDArray[Any]:
        """Return features less the offset, mostly 0: then nothing is copied."""
        return features - self.offset_ if self.offset_.any() else features


def _offset(features: Float) -> Float:
    """Return what to subtract: the mean of features that are far from 0."""
    mean, spread = features.mean(axis=0), features.std(axis=0)
    return np.where(np.abs(mean) > _FAR * spread, mean, 0.0)


def _unit(times: Float) -> float:
    """Return a unit in which times are neither tiny nor huge; mostly 1."""
    exponent = int(np.frexp(np.median(times))[1])
    return 1.0 if abs(exponent) <= _USUAL_EXPONENT else float(np.ldexp(1.0, exponent))


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
