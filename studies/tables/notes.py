"""Sentences that several tables share."""

from __future__ import annotations

from collections.abc import Sequence

from studies.comparison import Pair

__all__ = ["DUMMY", "HOLM_IN_METRIC", "MEAN", "TESTS", "holm_note"]

MEAN = "Mean ± half width of the 95 % interval over seeds (Student's t)."
TESTS = (
    "Means over the seeds that both variants have. A tie: both means, rounded to four "
    "significant digits, are equal. Tests are two-sided t-tests over seeds at 0.05: "
    "paired; unpaired (Student, common variance); and paired after Holm over all "
    "cells and metrics of the comparison, public and simulated datasets apart. A tie "
    "is never significant."
)
DUMMY = (
    "The Kaplan–Meier dummy is a mark, not what chance leaves to a model. Its D-cal is "
    "lower than with random splits, as splits are stratified by event (in 0.1.0 by "
    "time as well: far lower); and higher where many subjects share a time, as with "
    "whole months."
)
HOLM_IN_METRIC = "Holm in metric: the same with the cells of one metric as a family."


def holm_note(pairs: Sequence[Pair]) -> str:
    """Say which families Holm's correction has, and how many tests each holds.

    Parameters
    ----------
    pairs : sequence of Pair
        The comparisons of a table; each has families of its own.

    Examples
    --------
    >>> holm_note([Pair("main", "raw", "csd", ())])
    'Holm: no test, as that takes two seeds.'
    """
    sizes: dict[str, list[int]] = {}
    for pair in pairs:
        for kind, n in pair.n_tests.items():
            sizes.setdefault(kind, []).append(n)
    if not sizes:
        return "Holm: no test, as that takes two seeds."
    families = [
        f"over all cells and metrics of the {kind} datasets, {_tests(sizes[kind])}"
        for kind in sorted(sizes)
    ]
    each = " for each comparison" if len(pairs) > 1 else ""
    return f"Holm{each} {', and apart from them '.join(families)}."


def _tests(sizes: Sequence[int]) -> str:
    low, high = min(sizes), max(sizes)
    if low < high:
        return f"{low} to {high} tests"
    return "1 test" if low == 1 else f"{low} tests"
