"""Who is best where, and how far our default is from it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from consurv._checks import Float

__all__ = ["Place", "places", "share_in_front"]

# Test rows over training rows: splits that share training rows tell less.
_RATIO = 1 / 9
# Errors are mean squares of probabilities: a difference as small as this comes from the
# order in which numbers were added.
_ROUNDING = 1e-12
Values = Mapping[str, Mapping[str, Sequence[float]]]


@dataclass(frozen=True)
class Place:
    """How one contestant stands in one cell.

    Attributes
    ----------
    cell, best : str
        Where, and who has the least mean error there.
    behind : float
        The mean paired difference to the best; 0 for the best itself, and where the
        difference is one of rounding.
    error : float
        The standard error of that difference.
    """

    cell: str
    best: str
    behind: float
    error: float

    @property
    def in_front(self) -> bool:
        """Whether it is the best, or less than one standard error behind."""
        return self.behind <= self.error


def places(values: Values, name: str, *, ratio: float = _RATIO) -> list[Place]:
    """Return how a contestant stands in every cell.

    Parameters
    ----------
    values : dict
        Errors by cell and contestant, one for each repetition.
    name : str
    ratio : float
        What overlapping training sets add to 1/n in the variance (Nadeau and Bengio).

    Examples
    --------
    >>> values = {"A": {"x": [1.0, 2.0, 3.0], "y": [1.1, 2.0, 3.1], "z": [4.0] * 3}}
    >>> [place] = places(values, "y", ratio=0.0)
    >>> place.best, round(place.behind, 3), place.in_front
    ('x', 0.067, False)
    """
    found = []
    for cell, by in values.items():
        best = min(by, key=lambda other: float(np.mean(by[other])))
        difference = np.asarray(by[name]) - np.asarray(by[best])
        n = len(difference)
        spread = float(difference.std(ddof=1)) if n > 1 else 0.0
        error = spread * float(np.sqrt(1 / n + ratio))
        behind = float(difference.mean())
        found.append(Place(cell, best, behind if behind > _ROUNDING else 0.0, error))
    return found


def share_in_front(found: Iterable[Place]) -> float:
    """Return in which share of the cells the contestant is in front; NaN of none."""
    fronts = [place.in_front for place in found]
    return sum(fronts) / len(fronts) if fronts else float("nan")


def of_records(
    records: Iterable[Mapping[str, Any]], metric: str, left_out: Sequence[str] = ()
) -> dict[str, dict[str, list[float]]]:
    """Return the values of a metric by cell and contestant, as ``places`` takes them.

    A repetition counts if all contestants have a number in it.
    """
    rows: dict[str, list[dict[str, float]]] = defaultdict(list)
    for record in records:
        own = {
            name: float(scores[metric])
            for name, scores in record["scores"].items()
            if name not in left_out
        }
        if np.isfinite(list(own.values())).all():
            rows[f"{record['dataset']}/{record['model']}"].append(own)
    return {cell: _columns(found) for cell, found in rows.items()}


def _columns(rows: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def ranks(values: Values) -> dict[str, Float]:
    """Return the ranks of all contestants over the cells, 1 for the best."""
    found: dict[str, list[float]] = defaultdict(list)
    for by in values.values():
        means = {name: float(np.mean(own)) for name, own in by.items()}
        order = sorted(means, key=lambda name: means[name])
        for rank, name in enumerate(order, 1):
            found[name].append(float(rank))
    return {name: np.array(own) for name, own in found.items()}
