"""Predictions for a table of new subjects, a block of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from consurv._checks import Float
from consurv.cli.scores import Scores, ScoresInParts
from consurv.conformal import ConformalSurvival
from consurv.conformal.adjustments.adjust import AdjustedCurves
from consurv.conformal.groups.given import new_rows
from consurv.outcome import Outcome

__all__ = [
    "N_TIMES",
    "Prediction",
    "Predictor",
    "curve_table",
    "curve_times",
    "percentile_table",
    "wanted_columns",
]

N_TIMES = 50


def wanted_columns(model: ConformalSurvival) -> list[str] | None:
    """Return the columns that predictions need: features, and that of groups.

    None where the model does not know its features by name.
    """
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return None
    groups = model.adjustment_.groups
    column = None if groups is None else groups.column
    extra = [] if column is None or column in names else [column]
    return [*map(str, names), *extra]


@dataclass
class Prediction:
    """The adjusted curves of some rows and the labels of their subjects."""

    labels: pd.DataFrame
    curves: AdjustedCurves


@dataclass
class Predictor:
    """Predicts block by block and keeps count of what happened.

    Parameters
    ----------
    model : ConformalSurvival
    X : DataFrame of shape (n, m)
        Features of the new subjects.
    labels : DataFrame of n rows
        The columns that say who each row is.
    y : Outcome, optional
        Their outcomes where they are known; the curves are scored then.
    """

    model: ConformalSurvival
    X: pd.DataFrame
    labels: pd.DataFrame
    y: Outcome | None = None
    n_rearranged: int = 0
    n_clipped: int = 0
    _medians: list[Float] = field(default_factory=list)
    _parts: tuple[ScoresInParts, ScoresInParts] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.y is not None:
            self._parts = ScoresInParts(self.y), ScoresInParts(self.y)

    def blocks(self) -> Iterator[Prediction]:
        """Yield the predictions in the order of the rows."""
        for rows, raw, curves in self.model.both_in_chunks(self.X):
            self.n_rearranged += curves.n_rearranged
            self.n_clipped += curves.n_clipped
            self._medians.append(curves.median())
            if self.y is not None and self._parts is not None:
                for part, own in zip(self._parts, (raw, curves), strict=True):
                    part.add(own, self.y[rows])
            yield Prediction(self.labels.iloc[rows], curves)

    def median_of_medians(self) -> float:
        """Return the middle of the medians of all subjects predicted."""
        return float(np.median(np.concatenate(self._medians)))

    def scores(self) -> tuple[Scores, Scores] | None:
        """Return the scores of raw and calibrated curves where outcomes are known."""
        if self._parts is None:
            return None
        risk = self._parts[0].risk  # both are compared in the same groups
        groups = self.model.adjustment_.groups
        _, labels = new_rows(self.X, None, groups, None)
        raw, calibrated = (part.scores(risk, labels) for part in self._parts)
        return raw, calibrated


def curve_times(prediction: Prediction, follow_up: float) -> Float:
    """Return the times that the curves of all subjects are told at.

    They are evenly spread up to the end of the follow-up. The nodes of the curves would
    say what percentile times say once more.

    Parameters
    ----------
    prediction : Prediction
        Of the first subjects.
    follow_up : float
        Where it is not known, the last of their times stands for it.
    """
    if not np.isfinite(follow_up):
        times = prediction.curves.times
        follow_up = float(times[np.isfinite(times)].max()) or 1.0
    return follow_up * np.arange(1, N_TIMES + 1) / N_TIMES


def curve_table(prediction: Prediction, times: Float) -> pd.DataFrame:
    """Return survival at common times, a row per subject and time."""
    survival = prediction.curves.survival_at(times)
    repeated = prediction.labels.iloc[np.repeat(np.arange(len(survival)), len(times))]
    return repeated.reset_index(drop=True).assign(
        time=np.tile(times, len(survival)), survival=survival.ravel()
    )


def percentile_table(prediction: Prediction, levels: Float) -> pd.DataFrame:
    """Return percentile times, median and mean, a row per subject."""
    curves = prediction.curves
    descending = np.sort(levels)[::-1]
    times = pd.DataFrame(
        curves.percentile_times(descending),
        columns=[f"t_at_{level:g}" for level in descending],
        index=prediction.labels.index,
    ).assign(
        median=curves.median(),
        mean=curves.mean(),
        rearranged=curves.rearranged,
        clipped=curves.clipped,
    )
    return pd.concat([prediction.labels, times], axis=1)
