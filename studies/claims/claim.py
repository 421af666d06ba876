"""A claim of the paper, the criterion it is held to and what came out.

The words of the paper get one meaning each, fixed here before any result was seen (the
criteria of T2, 10c and 10f are younger: they were set when results were known):

- *better*: the better mean in at least two thirds of the cells that are not ties;
- *significantly better*: that, and p < 0.05 by the paired test in at least half of all
  cells;
- *comparable*: each mean lies in the 95 % interval of the other in at least 90 % of the
  cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from studies.comparison import CellComparison, compare_variants, tally
from studies.results import Results

__all__ = [
    "BETTER",
    "COMPARABLE",
    "MOST",
    "SIGNIFICANTLY_BETTER",
    "Claim",
    "Evidence",
    "better",
    "comparable",
    "datasets_of_size",
    "judged",
]

Verdict = Literal["confirmed", "refuted", "not comparable", "not tested"]

MOST = 2 / 3
_HALF = 1 / 2
_NEARLY_ALL = 0.9
BETTER = "the better mean in at least 2/3 of the cells that are not ties"
SIGNIFICANTLY_BETTER = f"{BETTER}, and paired p < 0.05 in at least half of all cells"
COMPARABLE = "each mean in the other's 95 % interval in at least 90 % of the pairs"


@dataclass(frozen=True)
class Claim:
    """A claim and what became of it.

    Attributes
    ----------
    number : str
    claim : str
        In short, what the paper says.
    criterion : str
        What counts as confirmed.
    verdict : {"confirmed", "refuted", "not comparable", "not tested"}
        Not comparable: the paper speaks of an algorithm that is not ours.
    evidence : str
        The figures behind it.
    """

    number: str
    claim: str
    criterion: str
    verdict: Verdict
    evidence: str


@dataclass(frozen=True)
class Evidence:
    """Whether something holds, and the figures; ``None`` where there are no records."""

    holds: bool | None
    text: str


def judged(number: str, claim: str, criterion: str, *evidence: Evidence) -> Claim:
    """Return a claim that holds if all evidence does.

    Examples
    --------
    >>> judged("1", "so it is", "count", Evidence(True, "9 of 10")).verdict
    'confirmed'
    >>> judged("1", "so it is", "count", Evidence(None, "")).verdict
    'not tested'
    """
    seen = [part for part in evidence if part.holds is not None]
    text = "; ".join(part.text for part in seen)
    if not seen or len(seen) < len(evidence):
        return Claim(number, claim, criterion, "not tested", text or "no records")
    verdict: Verdict = "confirmed" if all(p.holds for p in seen) else "refuted"
    return Claim(number, claim, criterion, verdict, text)


def better(
    cells: Sequence[CellComparison], name: str, *, significantly: bool = False
) -> Evidence:
    """Say whether the second variant is better in the words of this module."""
    if not cells:
        return Evidence(None, "")
    n = tally(cells)
    holds = n.better >= MOST * (n.n - n.ties) and n.better > 0
    if significantly:
        holds = holds and n.better_significant >= _HALF * n.n
    return Evidence(
        holds,
        f"{name}: {n.better} better ({n.better_significant} significantly), {n.worse} "
        f"worse ({n.worse_significant}), {n.ties} ties",
    )


def comparable(cells: Sequence[CellComparison], name: str) -> Evidence:
    """Say whether two variants are comparable in the words of this module."""
    if not cells:
        return Evidence(None, "")
    n_alike = sum(cell.comparable for cell in cells)
    differ = sum(cell.significant for cell in cells)
    return Evidence(
        n_alike >= _NEARLY_ALL * len(cells),
        f"{name}: {n_alike} of {len(cells)} ({n_alike / len(cells):.0%}) comparable; "
        f"the paired test sees a difference in {differ}",
    )


def datasets_of_size(results: Results, study: str, *sizes: str) -> list[str]:
    """Return the datasets of a study that have one of the sizes."""
    return [d for d in results.datasets(study) if results.facts[d].size in sizes]


def all_pairs(
    results: Results,
    study: str,
    variants: Sequence[str],
    metrics: Iterable[str],
    datasets: Iterable[str] | None = None,
) -> list[CellComparison]:
    """Compare every two of the variants."""
    return [
        cell
        for i, first in enumerate(variants)
        for second in variants[i + 1 :]
        for cell in compare_variants(
            results, study, first, second, metrics=metrics, datasets=datasets
        )
    ]
