"""What a metric returns: named numbers that cannot change, and one that sums up."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

__all__ = ["MetricResult"]


@dataclass(frozen=True, eq=False)
class MetricResult:
    """Base of the results of all metrics.

    A metric derives from it, with ``@dataclass(frozen=True, eq=False)``, and adds
    the fields that it has beside its number. Arrays become read-only.

    Attributes
    ----------
    value : float
        The metric's number, also given by ``float(result)``.

    Examples
    --------
    >>> result = MetricResult(value=0.25)
    >>> float(result)
    0.25
    >>> result == MetricResult(value=0.25)
    True
    """

    value: float

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def __float__(self) -> float:
        return self.value

    def __eq__(self, other: object) -> bool:
        # The equality that dataclass writes fails on arrays.
        if type(other) is not type(self):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)
        )

    __hash__ = None  # type: ignore[assignment]
