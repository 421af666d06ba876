"""Sentences that several tables share."""

from __future__ import annotations

__all__ = ["MEAN", "TESTS"]

MEAN = "Mean ± half width of the 95 % interval over seeds (Student's t)."
TESTS = (
    "Means over the seeds that both variants have. A tie: both means, rounded to four "
    "significant digits, are equal. Tests are two-sided t-tests over seeds at 0.05: "
    "paired; unpaired (Student, common variance); and paired after Holm over all "
    "cells and metrics of the comparison. A tie is never significant."
)
