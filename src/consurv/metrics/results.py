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
    >>> result
    MetricResult(value=0.25)
    """

    value: float

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def __init_subclass__(cls) -> None:
        cls.__repr__ = MetricResult.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        # Arrays by their shapes: a screen full of numbers says nothing.
        parts = (f"{f.name}={_shown(getattr(self, f.name))}" for f in fields(self))
        return f"{type(self).__name__}({', '.join(parts)})"

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


def _shown(value: object) -> str:
    """Return a value for a short line.

    Examples
    --------
    >>> _shown(1 / 3), _shown(np.zeros((2, 3))), _shown(None)
    ('0.3333', '<2 x 3>', 'None')
    """
    if isinstance(value, np.ndarray):
        return f"<{' x '.join(map(str, value.shape))}>"
    if isinstance(value, float):
        return f"{value:.4g}"
    text = repr(value)
    return text if len(text) <= 60 else f"<{type(value).__name__}>"
