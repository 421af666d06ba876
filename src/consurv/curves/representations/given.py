"""Curves of subjects who are known to have survived so far, on top of any form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from consurv._checks import Float
from consurv.curves.conditional import condition
from consurv.curves.nodes import Nodes
from consurv.curves.representations.representation import (
    Representation,
    frozen,
    join_alike,
)

__all__ = ["Given"]


class Given(Representation):
    """S(t | T > c) = min(1, S(t) / S(c)) of curves that are no table.

    Where S(c) = 0 all mass lies at c.

    Parameters
    ----------
    form : Representation of n curves
    time : array of shape (n,)
        The times c, finite and >= 0.
    """

    interpolation = "linear"

    def __init__(self, form: Representation, time: Float) -> None:
        self._form = form
        self._time: Float = frozen(time)
        self._survival: Float = frozen(form.survival_at(time[:, None])[:, 0])

    def __len__(self) -> int:
        return len(self._form)

    def take(self, rows: Any) -> Self:
        """Return some subjects."""
        part = object.__new__(type(self))
        part._form = self._form.take(rows)
        part._time = frozen(self._time[rows])
        part._survival = frozen(self._survival[rows])
        return part

    @classmethod
    def join(cls, parts: Sequence[Given]) -> Given | None:
        """Return all subjects, if what lies below can be joined."""
        form = join_alike([part._form for part in parts])
        if form is None:
            return None
        return cls(form, np.concatenate([part._time for part in parts]))

    def survival_at(self, times: Float) -> Float:
        """Return the survival (n, m) at times (m,) or (n, m)."""
        c, at_c = self._time[:, None], self._survival[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.minimum(self._form.survival_at(times) / at_c, 1.0)
        ratio = np.where(at_c > 0, ratio, 0.0)
        return np.where((times < c) | ((times == c) & (at_c > 0)), 1.0, ratio)

    def survival_before(self, time: Float) -> Float:
        """Return S(t⁻) (n,) at one time > 0 for each curve."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.minimum(self._form.survival_before(time) / self._survival, 1.0)
        ratio = np.where(self._survival > 0, ratio, 0.0)
        return np.where(time <= self._time, 1.0, ratio)

    def percentile_times(self, levels: Float) -> Float:
        """Return q(ρ) (n, p) at levels (p,) or (n, p)."""
        c, at_c = self._time[:, None], self._survival[:, None]
        time = self._form.percentile_times(levels * at_c)
        return np.where(at_c > 0, np.maximum(time, c), c)

    def area(self, start: Float, stop: Float) -> Float:
        """Return the areas (n,) between *start* and *stop*."""
        c = self._time
        flat = np.minimum(stop, c) - np.minimum(start, c)
        fallen = self._form.area(np.maximum(start, c), np.maximum(stop, c))
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = fallen / self._survival
        return flat + np.where(self._survival > 0, rest, 0.0)

    def given(self, time: Float) -> Given:
        """Return curves on the later of both conditions."""
        return Given(self._form, np.maximum(self._time, time))

    def nodes(self) -> Nodes:
        """Return the table: that of the curves below, conditioned."""
        return condition(self._form.nodes(), self._time)

    @property
    def times(self) -> Float:
        """The node times of that table."""
        return self.nodes().times

    @property
    def n_nodes(self) -> int:
        """Number of nodes of that table."""
        below = self._form.n_nodes
        return (2 * below - 1 if self._form.interpolation == "step" else below) + 4

    @property
    def last_time(self) -> Float:
        """Where the data of the curves below end, or c if that is later."""
        return np.maximum(self._form.last_time, self._time)

    def end_level(self) -> Float:
        """Return the end of the curves below, given survival of c; 0 if c is later."""
        survival = self._form.survival_at(self._time[:, None])[:, 0]
        end = self._form.end_level()
        known = (end < survival) & (survival > 0)
        return np.where(known, end / np.where(known, survival, 1.0), 0.0)
