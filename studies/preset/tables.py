"""The tables of the preset: agreement, all cells side by side, the decomposition."""

from __future__ import annotations

from collections.abc import Sequence

from studies.comparison import CellComparison, tally
from studies.preset.agreement import Agreement, agreement
from studies.preset.comparators import Comparator
from studies.preset.sides import Sides, place_of, sides_of
from studies.results import Results
from studies.statistics import Interval
from studies.tables.table import PValue, Table, Value, number_text

__all__ = [
    "agreement_table",
    "blocks_table",
    "cells_table",
    "counts_table",
    "decomposition_table",
]

_METRICS = ("D-cal", "KM-cal", "IBS", "MAE-PO")
# Seeds of the paper.
_BLOCK = 10


def agreement_table(runs: Sequence[Sides], known: Sequence[Comparator]) -> Table:
    """Return how far each run agrees with the figures and with the authors' code."""
    rows: list[tuple[Value, ...]] = []
    for metric in _METRICS:
        own = [c for c in known if c.metric == metric]
        rerun = [c for c in own if c.authors_side is not None]
        theirs = agreement((c.paper, c.authors_side) for c in rerun if c.decided)
        rows.append((metric, "the authors' code", None, *_parts(theirs), None))
        for run in runs:
            rows.append(
                (
                    metric,
                    run.label,
                    _short(run.with_figures(metric, own)),
                    *_parts(run.with_figures(metric, rerun)),
                    _short(run.with_authors(metric, own)),
                )
            )
    return Table(
        "agreement",
        "Which side is better: agreement with the paper's figures and its code",
        "Cells that the figures decide by more than two pixels. 'All' are those of "
        "eight public datasets, the next columns the cells of six datasets on which "
        "the authors' code was run again, apart for those that the figure gives to CSD "
        "and to raw. The last column holds each run against that code where its paired "
        "difference exceeds two standard errors. κ is Cohen's.",
        ("metric", "run", "all", "same cells", "CSD", "raw", "κ", "authors' code"),
        tuple(rows),
    )


def _parts(found: Agreement) -> tuple[Value, ...]:
    return (
        _short(found),
        f"{found.both_csd} of {found.first_csd}",
        f"{found.both_raw} of {found.first_raw}",
        None if found.kappa is None else f"{found.kappa:.2f}",
    )


def _short(found: Agreement) -> str:
    return f"{found.agreed} of {found.n}"


def counts_table(runs: Sequence[Sides], known: Sequence[Comparator]) -> Table:
    """Return the paper's Table 2 for each run, public datasets alone."""
    rows: list[tuple[Value, ...]] = []
    for metric in _METRICS:
        own = [c for c in known if c.metric == metric]
        sides = [c.paper for c in own]
        figures = f"{sides.count('CSD')}/{sides.count('raw')}/{sides.count('tie')}"
        rows.append((metric, "the paper's figures", figures, None, None, None))
        code = [c.authors_side for c in own if c.authors is not None]
        counted = f"{code.count('CSD')}/{code.count('raw')}/{code.count('tie')}"
        rows.append((metric, "the authors' code", counted, None, None, None))
        for run in runs:
            n = tally(c for place, c in run.cells.items() if place[0] == metric)
            rows.append(
                (
                    metric,
                    run.label,
                    f"{n.better}/{n.worse}/{n.ties}",
                    f"{n.better_significant}/{n.worse_significant}",
                    f"{n.better_unpaired}/{n.worse_unpaired}",
                    _seeds(run),
                )
            )
    return Table(
        "counts",
        "How often the calibrated curves are better (Table 2)",
        "Better / worse / tied; significantly better / worse by the paired and by the "
        "unpaired t-test. The authors' code ran on 42 of the 55 cells.",
        ("metric", "run", "cells", "paired", "unpaired", "seeds"),
        tuple(rows),
    )


def _seeds(run: Sides) -> str:
    found = sorted({cell.change.n for cell in run.cells.values()})
    if not found:
        return "0"
    return str(found[0]) if len(found) == 1 else f"{found[0]}–{found[-1]}"


def blocks_table(results: Results, known: Sequence[Comparator]) -> Table | None:
    """Return what each block of ten seeds says of the same settings; None of one.

    Parameters
    ----------
    results : Results
        Of one step.
    known : sequence of Comparator
    """
    seeds = [record["seed"] for record in results.records]
    blocks = range(0, max(seeds, default=0) + 1, _BLOCK)
    if len(blocks) < 2:
        return None
    parts = {f"{i} to {i + _BLOCK - 1}": range(i, i + _BLOCK) for i in blocks}
    parts["all"] = range(max(seeds) + 1)
    rows: list[tuple[Value, ...]] = []
    for metric in _METRICS:
        own = [c for c in known if c.metric == metric]
        for label, block in parts.items():
            some = Results(r for r in results.records if r["seed"] in block)
            run = sides_of(some, label)
            n = tally(c for place, c in run.cells.items() if place[0] == metric)
            agreed = run.with_figures(metric, own)
            kappa = None if agreed.kappa is None else f"{agreed.kappa:.2f}"
            counts = f"{n.better}/{n.worse}/{n.ties}"
            paired = f"{n.better_significant}/{n.worse_significant}"
            rows.append((metric, label, counts, paired, _short(agreed), kappa))
    return Table(
        "blocks",
        "The same settings with other seeds",
        "Preset paper: better / worse / tied; significantly better / worse by the "
        "paired t-test; agreement with the figures where they decide, with Cohen's κ.",
        ("metric", "seeds", "cells", "paired", "as in the figures", "κ"),
        tuple(rows),
    )


def cells_table(runs: Sequence[Sides], known: Sequence[Comparator]) -> Table:
    """Return every cell with all its columns."""
    columns = ["metric", "dataset", "model", "paper", "pixels", "authors' code"]
    for run in runs:
        columns += [run.label, "p paired", "p unpaired"]
    rows = []
    for cell in known:
        row: list[Value] = [*place_of(cell), cell.paper, f"{cell.pixels:g}"]
        row.append(_change(cell))
        for run in runs:
            row += _shown(run.cells.get(place_of(cell)))
        rows.append(tuple(row))
    return Table(
        "preset_cells",
        "Every cell: the paper, its authors' code and our runs",
        "Paper: the better side in the digitised figure. Authors' code: CSD less raw. "
        "Runs: mean of raw → of the calibrated curves.",
        tuple(columns),
        tuple(rows),
    )


def _change(cell: Comparator) -> Value:
    if cell.authors is None or cell.authors_error is None:
        return None
    return Interval(cell.authors, cell.authors_error, 0)


def _shown(cell: CellComparison | None) -> list[Value]:
    if cell is None:
        return [None, None, None]
    means = [number_text(part.mean) for part in (cell.first, cell.second)]
    return [" → ".join(means), PValue(cell.p_paired), PValue(cell.p_unpaired)]


def decomposition_table(
    steps: Sequence[tuple[Sides, Sides]], known: Sequence[Comparator]
) -> Table:
    """Return the cells that each change wins and loses.

    Parameters
    ----------
    steps : sequence of pairs of Sides
        Our defaults and one step, on the cells and seeds that both have.
    known : sequence of Comparator
    """
    rows: list[tuple[Value, ...]] = []
    for metric in _METRICS:
        places = [place_of(c) for c in known if c.metric == metric]
        for start, run in steps:
            pairs = [
                (start.side(p), run.side(p))
                for p in places
                if p in start.cells and p in run.cells
            ]
            sides = [side for pair in pairs for side in pair]
            won = sum(before != "CSD" and after == "CSD" for before, after in pairs)
            lost = sum(before == "CSD" and after != "CSD" for before, after in pairs)
            agreed = [_short(side.with_figures(metric, known)) for side in (start, run)]
            rows.append(
                (
                    metric,
                    run.label,
                    f"{sides[::2].count('CSD')} → {sides[1::2].count('CSD')}",
                    len(pairs),
                    won,
                    lost,
                    " → ".join(agreed),
                    _seeds(run),
                )
            )
    return Table(
        "decomposition",
        "From our defaults to the paper's settings, one cause at a time",
        "Cells in which CSD (the paper's rule and conformal set) is better than raw, "
        "with our defaults → with the change, on the seeds that both have; cells won "
        "and lost by it; agreement with the figures where they decide. Every row but "
        "the last changes one thing alone.",
        (
            "metric",
            "what is changed",
            "CSD better",
            "of cells",
            "won",
            "lost",
            "as in the figures",
            "seeds",
        ),
        tuple(rows),
    )
