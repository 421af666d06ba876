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
    """Base of every error that consurv raises on purpose."""


class InvalidInput(ConsurvError, ValueError):  # noqa: N818  (reads as a sentence)
    """The input cannot be used; the message names the value and the way out."""


class NotConformalizedError(ConsurvError, NotFittedError):  # type: ignore[misc]
    """A prediction was asked for before ``fit`` or ``conformalize``."""


class MissingDependency(ConsurvError, ImportError):  # noqa: N818
    """An optional library is not installed; the message names the extra."""

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(
            f"{library} is not installed; install it with "
            f"`pip install 'consurv[{extra}]'`"
        )
        self.library, self.extra = library, extra

    def __reduce__(self) -> tuple[type[MissingDependency], tuple[str, str]]:
        return type(self), (self.library, self.extra)


class CalibrationWarning(UserWarning):
    """The result is usable but weaker than it looks; the message says why."""
