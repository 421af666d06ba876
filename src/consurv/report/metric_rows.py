"""The lines of the table of metrics."""

from __future__ import annotations

import math
from dataclasses import dataclass

from consurv.metrics.facts import Metric
from consurv.metrics.registry import METRICS
from consurv.report.bootstrap import Comparison, Estimate

__all__ = ["MetricRow", "metric_rows"]


@dataclass(frozen=True)
class MetricRow:
    """A line of the table of metrics.

    Examples
    --------
    >>> raw, calibrated = Estimate(0.2, 0.1, 0.3), Estimate(0.15, 0.1, 0.2)
    >>> change = Estimate(-0.05, -0.1, 0.1)
    >>> row = MetricRow(METRICS["d_calibration"], (raw, calibrated, change))
    >>> row.text(-0.05), row.judgement
    ('−0.0500', 'no clear change')
    """

    metric: Metric
    estimates: tuple[Estimate, Estimate, Estimate]

    @property
    def judgement(self) -> str:
        """Say whether the change is good, bad or neither."""
        change = self.estimates[2]
        if not change.has_interval or not (change.is_below(0) or change.is_above(0)):
            return "no clear change"
        if not self.text(change.value).strip("0."):
            return "no clear change"  # clear it may be, but the line shows none
        return (
            "better" if change.is_above(0) == self.metric.higher_is_better else "worse"
        )

    def text(self, number: float) -> str:
        """Write a number with as many decimals as all others of the line.

        They give the larger of both values four digits, or three to stay short.
        """
        largest = max(abs(part.value) for part in self.estimates[:2])
        order = math.floor(math.log10(largest)) if largest > 0 else 0
        decimals = min(max(3 - order, 0), 5 if order >= -3 else 6)
        # What rounds to 0 has no sign.
        written = f"{number:z,.{decimals}f}"
        return written.replace("-", "−")


def metric_rows(comparison: Comparison) -> list[MetricRow]:
    """Return a line for each metric, in the order of the evaluation."""
    return [
        MetricRow(METRICS[name], estimates)
        for name, estimates in comparison.estimates.items()
    ]
