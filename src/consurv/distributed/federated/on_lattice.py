"""A fitted model whose percentile times are moved before anything is counted."""

from __future__ import annotations

from typing import Any

from consurv._checks import Float
from consurv.conformal.parts.lattice import Lattice
from consurv.conformal.reading.raw_model import RawModel

__all__ = ["OnLattice"]


class OnLattice(RawModel):
    """A fitted model whose percentile times lie on a lattice."""

    def __init__(self, estimator: Any, lattice: Lattice) -> None:
        super().__init__(estimator)
        self._lattice = lattice

    def percentile_times(self, X: Any, levels: Float) -> Float:
        """Return percentile times (n, P), moved."""
        return self._lattice.move(super().percentile_times(X, levels))
