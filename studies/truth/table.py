"""The tables of the test bed, as text and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from studies.truth.run import SettingErrors
from studies.truth.summary import Summary, oracle_checks, summaries
from studies.truth.target import Target

__all__ = [
    "floor_lines",
    "markdown",
    "setting_rows",
    "summary_rows",
    "target_rows",
    "text",
]

Rows = list[list[str]]


def setting_rows(results: Sequence[SettingErrors]) -> Rows:
    """Return a row for each setting: mean ± standard error of every contestant."""
    header = ["setting", *results[0].errors]
    return [header, *([r.setting.name, *map(_cell, *_values(r))] for r in results)]


def _values(result: SettingErrors) -> tuple[list[float], list[float]]:
    names = list(result.errors)
    means = [result.mean(name) for name in names]
    return means, [result.standard_error(name) for name in names]


def _cell(mean: float, error: float) -> str:
    return f"{mean:.2f}" if np.isnan(error) else f"{mean:.2f} ± {error:.2f}"


def summary_rows(results: Sequence[SettingErrors]) -> Rows:
    """Return a row for each contestant over all settings."""
    header = ["", "mean", "/ kaplan-meier", "worst excess", "in", "calibrated", "in"]
    return [header, *(_summary_row(s) for s in summaries(results))]


def _summary_row(s: Summary) -> list[str]:
    mean, ratio = _number(s.mean), _number(s.ratio)
    row = [s.name, mean, ratio, _number(s.excess, "+.2f"), s.excess_in]
    return [*row, _number(s.calibrated), s.calibrated_in]


def _number(value: float, form: str = ".2f") -> str:
    return "" if np.isnan(value) else f"{value:{form}}"


def target_rows(goals: Sequence[Target]) -> Rows:
    """Return a row for each target: measured, target, verdict, where."""
    header = ["what", "measured", "target", "verdict", "where"]
    return [header, *(_target_row(goal) for goal in goals)]


def _target_row(goal: Target) -> list[str]:
    limit = "" if goal.target is None else f"<= {goal.target:,g}"
    return [goal.what, f"{goal.measured:.3g}", limit, goal.verdict, goal.where]


def floor_lines(results: Sequence[SettingErrors]) -> list[str]:
    """Return the floor at each size, and whether the oracle attains it."""
    return [
        f"N = {check.n:,}: floor mean ρ(1−ρ)/(N+2) = {check.floor:.3f}; the oracle "
        f"has {check.mean:.3f} ± {check.standard_error:.3f} for calibrated models: "
        f"{'attained' if check.attained else 'not attained'}."
        for check in oracle_checks(results)
    ]


def text(rows: Rows) -> str:
    """Return rows as aligned text."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = (
        "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def markdown(rows: Rows) -> str:
    """Return rows as a Markdown table."""
    lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
