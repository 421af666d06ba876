"""An evaluation for each group, and the worst of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consurv._checks import Float
from consurv._labels import Label
from consurv.errors import InvalidInput
from consurv.metrics.group_calibration import GroupCalibrationResult
from consurv.metrics.registry import EVALUATION

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["GroupEvaluation", "each_group"]

WORST = "worst"


@dataclass(frozen=True, eq=False)
class GroupEvaluation:
    """The metrics of each group, in ``Evaluation.by_group``.

    Attributes
    ----------
    calibration : GroupCalibrationResult
        Observed and predicted survival, group by group.
    values : ndarray of shape (G, 6)
        The numbers of an Evaluation; NaN for groups in which they cannot be computed,
        as without an event.

    Examples
    --------
    >>> from consurv import Outcome, SurvivalCurves
    >>> from consurv.metrics import evaluate
    >>> y = Outcome(time=np.tile(np.arange(1.0, 41), 2), event=np.ones(80))
    >>> curves = SurvivalCurves([40.0], np.zeros((80, 1)))
    >>> found = evaluate(y, curves, groups=np.repeat(["a", "b"], 40)).by_group
    >>> found.labels, sorted(found.worst)[:2]
    (('a', 'b'), ['c_index', 'd_calibration'])
    """

    calibration: GroupCalibrationResult
    values: Float

    @property
    def labels(self) -> tuple[Label, ...]:
        """The groups."""
        return self.calibration.labels

    @property
    def worst(self) -> dict[str, float]:
        """The worst number of any group, by metric."""
        found = {}
        for (name, metric), column in zip(
            EVALUATION.items(), self.values.T, strict=True
        ):
            known = column[np.isfinite(column)]
            worst = known.min if metric.higher_is_better else known.max
            found[name] = float(worst()) if known.size else float("nan")
        return found

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each group and a last one with the worst of each metric."""
        import pandas as pd

        frame = pd.DataFrame(
            self.values, index=list(self.labels), columns=list(EVALUATION)
        )
        frame.insert(0, "n", self.calibration.sizes)
        frame.insert(1, "events", self.calibration.events)
        frame.insert(2, "mean squared gap", self.calibration.errors)
        worst = {"mean squared gap": self.calibration.errors.max(), **self.worst}
        frame.index.name = "group"
        frame.loc[WORST] = pd.Series(worst)
        return frame

    def __repr__(self) -> str:
        return f"GroupEvaluation of {len(self.labels)} groups\n{self.to_frame()}"


def each_group(
    calibration: GroupCalibrationResult,
    evaluate: Callable[[Label], Any],
) -> GroupEvaluation:
    """Return the evaluations of all groups.

    Parameters
    ----------
    calibration : GroupCalibrationResult
    evaluate : callable
        From a label to the Evaluation of its subjects.
    """
    rows = []
    for label in calibration.labels:
        try:
            rows.append(list(evaluate(label).as_dict().values()))
        except InvalidInput:  # no event, or a single subject
            rows.append([np.nan] * len(EVALUATION))
    return GroupEvaluation(calibration, np.array(rows))
