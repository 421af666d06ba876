"""What ``consurv calibrate`` says at the end."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table
from rich.text import Text

from consurv.cli.by_risk import add_group_rows, harmed
from consurv.cli.console import print_note, stdout
from consurv.cli.predicting import Predictor
from consurv.cli.reading import Tables
from consurv.cli.scores import Scores
from consurv.errors import InvalidInput
from consurv.metrics import METRICS

__all__ = ["print_scores", "print_summary"]


def print_summary(
    tables: Tables, name: str, predictor: Predictor, outputs: tuple[Path, Path]
) -> None:
    """Print what was done, what came out and, where it can be known, how good it is."""
    stdout().print(_facts(tables, name, predictor, outputs))
    print_scores(predictor)


def print_scores(predictor: Predictor) -> None:
    """Print how good the curves are where outcomes are known, before and after."""
    try:
        scores = predictor.scores()
    except InvalidInput as error:
        print_note(f"the new subjects are not scored: {error}")
        return
    if scores is not None:
        stdout().print(_score_table(*scores))
        for sentence in harmed(*scores):
            print_note(sentence[:1].lower() + sentence[1:-1])


def _facts(
    tables: Tables, name: str, predictor: Predictor, outputs: tuple[Path, Path]
) -> Table:
    model, y, n_new = predictor.model, tables.y.counting, len(tables.X_new)
    adjustment = model.adjustment_
    groups = adjustment.groups
    facts = {
        "training subjects": f"{len(y):,} with {y.n_events:,} events "
        f"({1 - y.n_events / len(y):.1%} censored)",
        "features": f"{tables.X.shape[1]:,}",
        "model": name,
        "adjusted": adjustment.adjusts,
        "conformal set": f"{model.conformal_set_}: {adjustment.told_subjects}",
        "censoring rule": adjustment.censoring,
        **({} if groups is None else {"groups": groups.told}),
        "percentile levels": f"{len(model.levels_):,}",
        "new subjects": f"{n_new:,}",
        **_repairs(predictor, n_new),
        "median of medians": f"{predictor.median_of_medians():.4g}",
        "curves in": str(outputs[0]),
        "percentile times in": str(outputs[1]),
    }
    table = Table(title="Calibrated survival curves", show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for fact, value in facts.items():
        table.add_row(fact, Text(value))  # a path may look like markup
    return table


def _repairs(predictor: Predictor, n_new: int) -> dict[str, str]:
    """Say which curves had to be repaired, where the kind can need that."""
    if not predictor.model.adjustment_.can_cross:
        return {}
    return {
        "rearranged curves": f"{predictor.n_rearranged:,} of {n_new:,}",
        "clipped curves": f"{predictor.n_clipped:,} of {n_new:,}",
    }


def _score_table(raw: Scores, calibrated: Scores) -> Table:
    table = Table(title="On the outcomes of the new subjects")
    table.add_column()
    for heading in ("raw", "calibrated"):
        table.add_column(heading, justify="right")
    both = (raw, calibrated)
    c_index, d_cal = METRICS["c_index"], METRICS["d_calibration"]
    table.add_row(
        f"{c_index.label} ({c_index.perfect:g} is perfect)",
        *(f"{s.c_index:.4f}" for s in both),
    )
    table.add_row(
        f"{d_cal.label} × 1000 ({d_cal.perfect:g} is perfect)",
        *(f"{1000 * float(s.d_cal):.3f}" for s in both),
    )
    table.add_row(
        f"p-value of {d_cal.label}", *(f"{s.d_cal.p_value:.3g}" for s in both)
    )
    add_group_rows(table, [s.by_risk for s in both])
    by_group = [s.by_group for s in both if s.by_group is not None]
    if by_group:
        add_group_rows(table, by_group, "group_calibration")
    return table
