"""What is to be known of a metric besides its formula, said once in its own file."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from consurv.metrics.results import MetricResult

__all__ = ["Metric"]


@dataclass(frozen=True)
class Metric:
    """A metric with its name, its words and its direction.

    No metric is negative.

    Attributes
    ----------
    name : str
        In results and records, as in :class:`Evaluation`.
    label : str
        In tables and figures, short.
    meaning : str
        What it says and what is best, for readers.
    compute : callable
        ``compute(y, curves, ...)``.
    higher_is_better : bool
    highest : float
        The largest value that it can have.
    unit : {"", "time"}
        "time": it is in the unit of the outcomes. "": it has none.
    title : str
        The label in full; by default the short one.
    """

    name: str
    label: str
    meaning: str
    compute: Callable[..., MetricResult]
    higher_is_better: bool = False
    highest: float = math.inf
    unit: Literal["", "time"] = ""
    title: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", self.title or self.label)

    @property
    def perfect(self) -> float:
        """The best value that there is."""
        return self.highest if self.higher_is_better else 0.0

    def better(self, first: float, second: float) -> bool:
        """Say whether *first* is strictly better than *second*.

        Examples
        --------
        >>> from consurv.metrics.registry import METRICS
        >>> METRICS["c_index"].better(0.7, 0.6), METRICS["mae_po"].better(7, 6)
        (True, False)
        """
        return first > second if self.higher_is_better else first < second
