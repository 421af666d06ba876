"""What both models together say of an observation: when it ends, and how."""

from __future__ import annotations

import numpy as np

from consurv._checks import Float
from consurv.curves.search import pick
from consurv.weighting.augmentation import grid_of
from consurv.weighting.sample import Sample

__all__ = ["Joint"]


class Joint:
    """P(Y < t, D = 1|x) and P(Y < t, D = 0|x) of each subject, by sums over S and G.

    Events at a time come before censorings there.

    Parameters
    ----------
    sample : Sample
        Censored.

    Examples
    --------
    >>> from consurv import Outcome, SurvivalCurves
    >>> s = SurvivalCurves([1.0, 3.0], [[0.5, 0.0]], "step")
    >>> g = SurvivalCurves([2.0], [[0.5]], "step")
    >>> joint = Joint(Sample(Outcome([1.0], [1]), s, g))
    >>> joint.event  # dies at 1, or at 3 without being censored at 2
    array([0.75])
    """

    def __init__(self, sample: Sample) -> None:
        model, censoring, time = (
            sample.model,
            sample.known_censoring,
            sample.outcome.time,
        )
        self._grid = np.union1d(grid_of(model, time), grid_of(censoring, time))
        s, g = model.survival_at(self._grid), censoring.survival_at(self._grid)
        # Events meet G before the node, censorings S at it.
        self._event = _sums(-np.diff(s, axis=1) * g[:, :-1])
        self._censored = _sums(-np.diff(g, axis=1) * s[:, 1:])
        # What lies beyond the last node ends in an event as the model has it.
        self.event: Float = self._event[:, -1] + s[:, -1] * g[:, -1]

    def until(self, times: Float) -> tuple[Float, Float]:
        """Return both probabilities at times (n, m)."""
        node = np.maximum(np.searchsorted(self._grid, times, side="left") - 1, 0)
        return pick(self._event, node), pick(self._censored, node)


def _sums(steps: Float) -> Float:
    return np.pad(np.cumsum(steps, axis=1), ((0, 0), (1, 0)))
