"""The page of a run, as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

import consurv
from studies.bounds import davidov, nyangweso_wang
from studies.bounds.contestants import CONTESTANTS
from studies.bounds.run import Records
from studies.bounds.summary import Cell, cell, false_discoveries, settings_of

__all__ = ["page"]

_DAVIDOV, _NYANGWESO, _SESIA = "davidov", "nyangweso-wang", "sesia-svetnik"


def page(records: Records) -> str:
    """Return the tables of three papers, ours beside theirs."""
    n = [len(found) for found in records.values()]
    parts = [
        "# Lower bounds where 90 % are to be covered",
        f"{min(n)} to {max(n)} repetitions a setting, consurv {consurv.__version__}, "
        "`python -m studies.bounds`. Forests speak for event and censoring; all "
        "contestants see the same curves. [What this is](../../../docs/bounds.md).",
        "![Coverage by setting](bounds.png)",
        *_davidov(records),
        *_nyangweso(records),
        *_sesia(records),
        *_screening(records),
    ]
    return "\n\n".join(parts) + "\n"


def _davidov(records: Records) -> Iterator[str]:
    settings = settings_of(records, _DAVIDOV)
    if not settings:
        return
    yield "## Davidov et al., six settings: coverage"
    head = ["", *(name.split()[-1] for name in settings)]
    ours = _rows(
        records, settings, lambda c: f"{c.coverage:.3f} ± {c.standard_error:.3f}"
    )
    theirs = [
        [f"*{name}, published*", *(f"{v:.3f}" for v in values[: len(settings)])]
        for name, values in davidov.PUBLISHED.items()
    ]
    yield _markdown([head, *ours, *theirs])
    yield "Median bounds:"
    yield _markdown([head, *_rows(records, settings, lambda c: f"{c.median:.3f}")])


def _nyangweso(records: Records) -> Iterator[str]:
    settings = settings_of(records, _NYANGWESO)
    if not settings:
        return
    yield f"## Nyangweso and Wang, simulation 3: means over {len(settings)} cells"
    rows = [
        ["", "coverage", "error of a repetition", "error of a cell", "median bound"]
    ]
    for name in CONTESTANTS:
        cells = [cell(records, setting, name) for setting in settings]
        of_cells = [abs(c.coverage - 0.9) for c in cells]
        rows.append(
            [
                _named(name, cells),
                f"{np.nanmean([c.coverage for c in cells]):.3f}",
                f"{np.nanmean([c.error for c in cells]):.3f}",
                f"{np.nanmean(of_cells):.3f}",
                f"{np.nanmean([c.median for c in cells]):.3f}",
            ]
        )
    for name, (coverage, error, median) in nyangweso_wang.PUBLISHED.items():
        rows.append(
            [
                f"*{name}, published*",
                f"{coverage:.3f}",
                f"{error:.3f}",
                "",
                f"{median:.3f}",
            ]
        )
    yield _markdown(rows)


def _sesia(records: Records) -> Iterator[str]:
    settings = settings_of(records, _SESIA)
    if not settings:
        return
    head = ["", *(name.split()[-1] for name in settings)]
    yield "## Sesia and Svetnik, ten settings: coverage"
    yield _markdown([head, *_rows(records, settings, lambda c: f"{c.coverage:.3f}")])
    yield "Mean bounds:"
    yield _markdown([head, *_rows(records, settings, lambda c: f"{c.mean:.3f}")])


def _screening(records: Records) -> Iterator[str]:
    yield "## Screening: at most a tenth of false discoveries"
    rows = [["setting", "false discoveries", "flagged"]]
    for setting in records:
        found = false_discoveries(records, setting)
        share = f"{found.false:.3f} ± {found.standard_error:.3f}"
        rows.append([setting, share, f"{found.flagged:.0%}" if found.n else ""])
    yield _markdown(rows)


def _rows(
    records: Records, settings: Sequence[str], show: Callable[[Cell], str]
) -> Iterator[list[str]]:
    for name in CONTESTANTS:
        cells = [cell(records, setting, name) for setting in settings]
        shown = [show(c) if c.n > c.n_refused else "refused" for c in cells]
        yield [_named(name, cells), *shown]


def _named(name: str, cells: Sequence[Cell]) -> str:
    """Return the name, with the share of repetitions in which it refused."""
    refused = sum(c.n_refused for c in cells) / max(sum(c.n for c in cells), 1)
    return name if not refused else f"{name} (refuses {refused:.0%})"


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
