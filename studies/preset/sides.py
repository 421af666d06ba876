"""Which side is better, cell by cell: in our runs and by the comparators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from studies.comparison import CellComparison, compare_variants
from studies.names import model_label
from studies.preset.agreement import Agreement, agreement
from studies.preset.comparators import Comparator, side_of
from studies.results import Results

__all__ = ["Place", "Sides", "place_of", "sides_of"]

Place = tuple[str, str, str]


@dataclass(frozen=True)
class Sides:
    """The comparisons of one run by metric, dataset and model, in the paper's labels.

    Attributes
    ----------
    label : str
        What was run.
    cells : mapping of (metric, dataset, model) to CellComparison
    """

    label: str
    cells: Mapping[Place, CellComparison]

    def side(self, place: Place) -> str | None:
        """Return which is better there; None where there is no record."""
        cell = self.cells.get(place)
        return None if cell is None else side_of(place[0], cell.change.mean)

    def counts(self, metric: str, among: Iterable[Place]) -> tuple[int, int]:
        """Return in how many cells CSD is better and worse."""
        found = [self.side(place) for place in among if place[0] == metric]
        return found.count("CSD"), found.count("raw")

    def with_figures(self, metric: str, known: Sequence[Comparator]) -> Agreement:
        """Return the agreement with the paper's figures where they decide."""
        return agreement(
            (c.paper, self.side(place_of(c)))
            for c in known
            if c.metric == metric and c.decided
        )

    def with_authors(self, metric: str, known: Sequence[Comparator]) -> Agreement:
        """Return the agreement with the authors' code where it is sure."""
        return agreement(
            (c.authors_side, self.side(place_of(c)))
            for c in known
            if c.metric == metric and c.authors_sure
        )


def place_of(cell: Comparator) -> Place:
    """Return metric, dataset and model of a comparator."""
    return cell.metric, cell.dataset, cell.model


def sides_of(results: Results, label: str, second: str = "csd") -> Sides:
    """Compare *second* with the raw curves in all cells of the study main."""
    cells = compare_variants(results, "main", "raw", second)
    return Sides(
        label,
        {(c.measure.label, c.dataset, model_label(c.model)): c for c in cells},
    )
