"""What holds for every result, whatever was given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.testing import assert_array_equal

from consurv import Outcome, SurvivalCurves

__all__ = ["check_curves", "check_outcome", "same_curves", "same_outcome"]

LEVELS = np.array([0.9, 0.5, 0.1])


def check_outcome(y: Outcome) -> None:
    """Assert that outcomes are finite, positive and of their types."""
    assert y.time.dtype == np.float64, y.time.dtype
    assert y.event.dtype == np.bool_, y.event.dtype
    assert y.time.ndim == y.event.ndim == 1, "not one-dimensional"
    assert len(y.time) == len(y.event), "lengths differ"
    assert np.isfinite(y.time).all(), y.time
    assert (y.time > 0).all(), y.time


def same_outcome(y: Outcome, time: Any, event: Any) -> None:
    """Assert that outcomes are those that were given."""
    check_outcome(y)
    assert_array_equal(y.time, time)
    assert_array_equal(y.event, event)


def check_curves(curves: SurvivalCurves) -> None:
    """Assert that curves lie in [0, 1], never rise, and that their times fit them."""
    survival = np.asarray(curves.survival)
    assert survival.size, "no curve"
    assert ((survival >= 0) & (survival <= 1)).all(), survival
    assert (np.diff(survival, axis=1) <= 0).all(), "a curve rises"
    times = np.broadcast_to(curves.times, survival.shape)
    assert not np.isnan(times).any(), times
    assert (times[:, 1:] >= times[:, :-1]).all(), "times fall"
    q = curves.percentile_times(LEVELS)
    assert not np.isnan(q).any(), q
    # Times whose own quotients are subnormal round by more than one part in 1e15.
    assert (q[:, 1:] >= q[:, :-1] * (1 - 1e-12)).all(), q
    assert not np.isnan(curves.mean()).any(), curves.mean()


def same_curves(one: SurvivalCurves, other: SurvivalCurves) -> None:
    """Assert that two sets of curves are equal to the last bit."""
    check_curves(one)
    assert_array_equal(one.times, other.times)
    assert_array_equal(one.survival, other.survival)
