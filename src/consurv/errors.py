"""The errors and warnings that consurv raises."""

from __future__ import annotations

from sklearn.exceptions import NotFittedError

__all__ = [
    "CalibrationWarning",
    "ConsurvError",
    "InvalidInput",
    "MissingDependency",
    "NotConformalizedError",
]


class ConsurvError(Exception):
    """Base of every error that consurv raises on purpose.

    Examples
    --------
    >>> issubclass(InvalidInput, ConsurvError), issubclass(InvalidInput, ValueError)
    (True, True)
    """


class InvalidInput(ConsurvError, ValueError):  # noqa: N818  (reads as a sentence)
    """The input cannot be used; the message names the value and the way out.

    Examples
    --------
    >>> from consurv import Outcome
    >>> Outcome(time=[3, 0], event=[1, 0])
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: time has 1 values <= 0, the first at row 1: 0; ...
    """


class NotConformalizedError(ConsurvError, NotFittedError):  # type: ignore[misc]
    """A prediction was asked for before ``fit`` or ``conformalize``.

    Examples
    --------
    >>> from consurv import ConformalSurvival
    >>> from consurv.models import CoxPH
    >>> ConformalSurvival(CoxPH()).predict([[0.0]])
    Traceback (most recent call last):
    ...
    consurv.errors.NotConformalizedError: this ConformalSurvival has no adjustment ...
    """


class MissingDependency(ConsurvError, ImportError):  # noqa: N818
    """An optional library is not installed; the message names the extra.

    Examples
    --------
    >>> print(MissingDependency("pyspark", "spark"))
    pyspark is not installed; install it with `pip install 'consurv[spark]'`
    """

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(
            f"{library} is not installed; install it with "
            f"`pip install 'consurv[{extra}]'`"
        )
        self.library, self.extra = library, extra

    def __reduce__(self) -> tuple[type[MissingDependency], tuple[str, str]]:
        return type(self), (self.library, self.extra)


class CalibrationWarning(UserWarning):
    """The result is usable but weaker than it looks; the message says why.

    Examples
    --------
    Those who would rather stop make an error of it:

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", CalibrationWarning)
    """
