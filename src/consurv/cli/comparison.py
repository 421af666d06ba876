"""Raw against calibrated over several splits, as tables, bars and words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from rich.columns import Columns
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from consurv._checks import Float
from consurv.cli.console import stdout
from consurv.cli.scores import Scores
from consurv.report.by_risk import harms

__all__ = ["Comparison", "print_comparisons"]

_ALPHA = 0.05  # where a p-value counts as failing the test
_BAR_WIDTH = 26


@dataclass
class Comparison:
    """Scores of one model before and after, split by split."""

    name: str
    raw: list[Scores] = field(default_factory=list)
    calibrated: list[Scores] = field(default_factory=list)
    n_rearranged: int = 0

    def add(self, raw: Scores, calibrated: Scores, n_rearranged: int) -> None:
        """Take the scores of one more split."""
        self.raw.append(raw)
        self.calibrated.append(calibrated)
        self.n_rearranged += n_rearranged

    @property
    def noise(self) -> float:
        """D-cal × 1000 that right curves are expected to have on so few subjects."""
        result = self.raw[0].d_cal
        rho, n = result.levels, result.histogram.sum()
        return float(1000 * np.mean(rho * (1 - rho)) / n)

    def by_risk(self) -> str:
        """Say what became of the groups of risk."""
        before, after = (
            float(np.mean([abs(s.by_risk.worst.gap) for s in scores]))
            for scores in (self.raw, self.calibrated)
        )
        harmed = [
            harms(raw.by_risk, calibrated.by_risk)
            for raw, calibrated in zip(self.raw, self.calibrated, strict=True)
        ]
        names = Counter(harm.who for split in harmed for harm in split)
        worse = "no group got clearly worse"
        if names:
            worse = (
                f"some got clearly worse in {sum(map(bool, harmed))} of {len(harmed)} "
                f"splits, most often {names.most_common(1)[0][0]}"
            )
        return (
            f"By risk the largest gap between predicted and observed survival is "
            f"{before:.0%} raw and {after:.0%} calibrated; {worse}."
        )

    def verdict(self) -> str:
        """Say in words what happened."""
        before, after = _mean_d_cal(self.raw), _mean_d_cal(self.calibrated)
        moved = abs(_mean_c_index(self.calibrated) - _mean_c_index(self.raw))
        ranking = (
            "the C-index stayed"
            if moved < 5e-5
            else f"the C-index moved by {moved:.4f}"
        )
        rejected = len(self.calibrated) - _passes(self.calibrated)
        rest = (
            f" (the test still rejects in {rejected} of {len(self.calibrated)} splits)"
            if after < before and rejected
            else ""
        )
        return f"{_change(before, after, self.noise)}{rest}; {ranking}."


def _change(before: float, after: float, noise: float) -> str:
    """Say what became of D-cal, given what right curves get by chance."""
    if after <= 0.8 * before:
        return f"D-cal fell by {1 - after / before:.0%}"
    if after <= 1.25 * before:
        return "D-cal changed little"
    if before <= 2 * noise:
        return (
            f"nothing to repair, since right curves get about {noise:.2f} by chance on "
            "so few subjects, and the adjustment made it worse"
        )
    return "D-cal got worse: this adjustment does not suit the model"


def print_comparisons(comparisons: list[Comparison]) -> None:
    """Print the table, the bars and the words for all models."""
    console = stdout()
    console.print(_table(comparisons))
    console.print(
        "\nShare of test subjects by their predicted survival probability at the time "
        "of the event.\nCalibrated curves put 10% into every bin.\n"
    )
    for comparison in comparisons:
        panels = [
            _bars(f"{comparison.name}, raw", comparison.raw),
            _bars(f"{comparison.name}, calibrated", comparison.calibrated),
        ]
        console.print(Columns(panels))
    for comparison in comparisons:
        console.print(f"[bold]{comparison.name}[/]: {comparison.verdict()}")
        console.print(comparison.by_risk())


def _table(comparisons: list[Comparison]) -> Table:
    table = Table(title="Raw → calibrated on subjects that were not trained on")
    table.add_column("model", style="bold")
    headings = ("D-cal × 1000", "calibrated at p > 0.05", "Risk-cal × 1000")
    for heading in (*headings, "C-index", "rearranged"):
        table.add_column(heading, justify="right")
    for c in comparisons:
        n_test = sum(s.d_cal.histogram.sum() for s in c.calibrated)
        table.add_row(
            c.name,
            f"{_mean_d_cal(c.raw):.2f} → [bold]{_mean_d_cal(c.calibrated):.2f}[/]",
            f"{_passes(c.raw)} → {_passes(c.calibrated)} of {len(c.raw)}",
            f"{_mean_by_risk(c.raw):.2f} → [bold]{_mean_by_risk(c.calibrated):.2f}[/]",
            f"{_mean_c_index(c.raw):.4f} → {_mean_c_index(c.calibrated):.4f}",
            f"{c.n_rearranged / n_test:.1%}",
        )
    return table


def _bars(title: str, scores: list[Scores]) -> Panel:
    shares = np.mean([s.d_cal.histogram / s.d_cal.histogram.sum() for s in scores], 0)
    # A share of 10 % fills a third; what is longer than the panel is cut there.
    lengths = np.minimum(np.round(shares * _BAR_WIDTH / 0.3), _BAR_WIDTH).astype(int)
    text = Text()
    for i in reversed(range(len(shares))):
        low, high = i / len(shares), (i + 1) / len(shares)
        text.append(f"{low:.1f}–{high:.1f} ", style="dim")
        text.append("█" * lengths[i], style=_colour(shares, i))
        text.append(f" {shares[i]:.1%}\n")
    text.rstrip()
    return Panel(text, title=title, width=_BAR_WIDTH + 20)


def _colour(shares: Float, i: int) -> str:
    off = abs(shares[i] * len(shares) - 1)
    return "green" if off < 0.2 else "yellow" if off < 0.5 else "red"


def _mean_d_cal(scores: list[Scores]) -> float:
    return float(np.mean([1000 * float(s.d_cal) for s in scores]))


def _mean_by_risk(scores: list[Scores]) -> float:
    return float(np.mean([1000 * float(s.by_risk) for s in scores]))


def _mean_c_index(scores: list[Scores]) -> float:
    return float(np.mean([s.c_index for s in scores]))


def _passes(scores: list[Scores]) -> int:
    return sum(s.d_cal.p_value > _ALPHA for s in scores)
