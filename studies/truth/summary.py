"""From errors by setting to one line a contestant, the floor and the targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studies.truth.contestants import PAPER
from studies.truth.error import floor
from studies.truth.run import SettingErrors, standard_error
from studies.truth.target import Target

__all__ = ["OracleCheck", "Summary", "oracle_checks", "summaries", "targets"]

_LARGE = 1500  # where the target for calibrated models holds


@dataclass(frozen=True)
class Summary:
    """One contestant over all settings; errors × 10³, NaN where there is nothing.

    Attributes
    ----------
    name : str
    mean : float
        Over the settings.
    ratio : float
        ``mean`` over that of ``"kaplan-meier"``.
    excess, excess_in : float, str
        The largest error beyond that of ``"kaplan-meier"``, and its setting.
    calibrated, calibrated_in : float, str
        The largest error for a calibrated model at N = 1,500, and its setting.
    explained : float
        The same where the model sees what drives censoring.
    """

    name: str
    mean: float
    ratio: float
    excess: float
    excess_in: str
    calibrated: float
    calibrated_in: str
    explained: float


@dataclass(frozen=True)
class OracleCheck:
    """The oracle's error for calibrated models of one size, beside the floor."""

    n: int
    floor: float
    mean: float
    standard_error: float

    @property
    def attained(self) -> bool:
        """Whether the error is the floor to within three standard errors."""
        return abs(self.mean - self.floor) <= 3 * self.standard_error


def summaries(results: Sequence[SettingErrors]) -> list[Summary]:
    """Return a summary of every contestant."""
    return [_summary(name, results) for name in results[0].errors]


def _summary(name: str, results: Sequence[SettingErrors]) -> Summary:
    paper = [r for r in results if PAPER in r.errors]
    others = [] if name == PAPER else paper
    over = {r.setting.name: r.mean(name) - r.mean(PAPER) for r in others}
    right = {
        r.setting: r.mean(name)
        for r in results
        if r.setting.calibrated and r.setting.n == _LARGE
    }
    explained = {s.name: v for s, v in right.items() if not s.by_hidden}
    excess_in, excess = _worst(over)
    calibrated_in, calibrated = _worst({s.name: v for s, v in right.items()})
    mean = _mean(name, results)
    return Summary(
        name=name,
        mean=mean,
        ratio=mean / _mean(PAPER, paper),
        excess=excess,
        excess_in=excess_in,
        calibrated=calibrated,
        calibrated_in=calibrated_in,
        explained=_worst(explained)[1],
    )


def _mean(name: str, results: Sequence[SettingErrors]) -> float:
    return float(np.mean([r.mean(name) for r in results])) if results else np.nan


def _worst(values: dict[str, float]) -> tuple[str, float]:
    return max(values.items(), key=lambda item: item[1], default=("", np.nan))


def oracle_checks(results: Sequence[SettingErrors]) -> list[OracleCheck]:
    """Return the check of every size that has calibrated models and the oracle.

    Other models' curves may cross after the shift; rearranging them costs the oracle
    something, too.
    """
    checks = []
    right = [r for r in results if r.setting.calibrated and "oracle" in r.errors]
    for n in sorted({r.setting.n for r in right}):
        values = np.concatenate([r.errors["oracle"] for r in right if r.setting.n == n])
        mean, error = float(values.mean()), standard_error(values)
        checks.append(OracleCheck(n, floor(n), mean, error))
    return checks


def targets(summary: Summary) -> list[Target]:
    """Return what the one rule that is used everywhere has to attain.

    Targets that the settings run say nothing about are left out.
    """
    case = f'Targets for censoring="{summary.name}"'
    right = f"worst error of a calibrated model, N = {_LARGE:,}"
    where = summary.calibrated_in

    limits: list[tuple[str, float, float | None, str]] = [
        ("mean error / that of kaplan-meier", summary.ratio, 1 / 3, ""),
        ("worst excess over kaplan-meier", summary.excess, 0.5, summary.excess_in),
        (right, summary.calibrated, 1.0, where),
        (f"{right}, stretch", summary.calibrated, 0.5, where),
        ("the same, censoring by what the model sees", summary.explained, None, ""),
    ]
    goals = [Target(case, *limit) for limit in limits]
    return [goal for goal in goals if not np.isnan(goal.measured)]
