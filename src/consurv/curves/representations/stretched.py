"""Curves whose time runs faster or slower, subject by subject, on top of any form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from consurv._checks import Float
from consurv.curves.nodes import Nodes
from consurv.curves.representations.representation import Representation, frozen

__all__ = ["Stretched"]


class Stretched(Representation):
    """The law of c · T for each subject: S(t / c).

    Parameters
    ----------
    form : Representation of n curves
    factor : array of shape (n,)
        The factors c, finite and > 0.
    """

    def __init__(self, form: Representation, factor: Float) -> None:
        self._form = form
        self._factor: Float = frozen(factor)
        self.interpolation = form.interpolation

    def __len__(self) -> int:
        return len(self._form)

    def take(self, rows: Any) -> Self:
        """Return some subjects."""
        return type(self)(self._form.take(rows), self._factor[rows])

    @classmethod
    def join(cls, parts: Sequence[Stretched]) -> Stretched | None:
        """Return all subjects, if what lies below can be joined."""
        kinds = {type(part._form) for part in parts}
        if len(kinds) > 1:
            return None
        form = kinds.pop().join([part._form for part in parts])
        if form is None:
            return None
        return cls(form, np.concatenate([part._factor for part in parts]))

    def survival_at(self, times: Float) -> Float:
        """Return the survival (n, m) at times (m,) or (n, m)."""
        return self._form.survival_at(times / self._factor[:, None])

    def survival_before(self, time: Float) -> Float:
        """Return S(t⁻) (n,) at one time > 0 for each curve."""
        return self._form.survival_before(time / self._factor)

    def percentile_times(self, levels: Float) -> Float:
        """Return q(ρ) (n, p) at levels (p,) or (n, p)."""
        return self._form.percentile_times(levels) * self._factor[:, None]

    def area(self, start: Float, stop: Float) -> Float:
        """Return the areas (n,) between *start* and *stop*."""
        c = self._factor
        return self._form.area(start / c, stop / c) * c

    def given(self, time: Float) -> Stretched:
        """Return the curves of those who survived so far."""
        return Stretched(self._form.given(time / self._factor), self._factor)

    def nodes(self) -> Nodes:
        """Return the table: every curve has times of its own."""
        below = self._form.nodes()
        c = self._factor[:, None]
        rates = None if below.rates is None else below.rates / c
        times = np.broadcast_to(below.times, below.survival.shape) * c
        return Nodes(times, below.survival, below.interpolation, rates)

    @property
    def times(self) -> Float:
        """The node times of that table."""
        return self.nodes().times

    @property
    def n_nodes(self) -> int:
        """Number of nodes of that table."""
        return self._form.n_nodes

    @property
    def last_time(self) -> Float:
        """Where the data of the curves below end, stretched."""
        return self._form.last_time * self._factor

    def end_level(self) -> Float:
        """Return the survival (n,) below which a curve is but a line to its end."""
        return self._form.end_level()
