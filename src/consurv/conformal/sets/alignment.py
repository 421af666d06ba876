"""Models of folds, brought to where the final model stands.

A network that stops early is trained for longer in one fold than in another, so that
models of the same rows but a few differ in what they say of everybody: one is sharp,
one says nearly the same of all. What is wrong with them is not what is wrong with the
final model, and an adjustment that is the mean of their errors fits none.

Both were trained on most of the same rows, and what they say of these can be compared.
The curves of a fold's model are stretched so that there its log medians have the middle
and the spread of the final model's. That takes two numbers a fold from a model that saw
the rows of that fold: a reuse, but one as small as that of two parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from consurv._checks import Float, Index
from consurv.adapters.adapter import n_rows
from consurv.conformal.reading.raw_model import RawModel, rows_of
from consurv.curves.curves import SurvivalCurves
from consurv.curves.representations.stretched import Stretched

__all__ = ["AlignedModel", "Anchor"]

# So many rows tell middle and spread.
_ROWS = 1000
_MIDDLE, _SPREAD = 0.5, (0.1, 0.9)
# Contrasts grow or shrink by no more: a model that says the same of all has none.
_MOST = 3.0


@dataclass(frozen=True)
class Anchor:
    """What the final model says of some rows.

    Attributes
    ----------
    rows : ndarray of int
        Positions in the table, rising.
    log_medians : ndarray
        Of the final model's curves there.
    """

    rows: Index
    log_medians: Float

    @classmethod
    def of(cls, raw: RawModel, X: Any) -> Self:
        """Ask the final model about rows that are spread over the table."""
        rows = np.unique(np.linspace(0, n_rows(X) - 1, _ROWS).astype(np.intp))
        return cls(rows, _log_medians(raw.curves(rows_of(X, rows))))

    def align(self, raw: RawModel, X: Any, training: Index) -> RawModel:
        """Return the model of a fold, stretched to the final one.

        Parameters
        ----------
        raw : RawModel
            Of the fold.
        X : table
            That of all rows.
        training : ndarray of int
            The rows that the fold was trained on, rising.
        """
        common = np.isin(self.rows, training, assume_unique=True)
        wanted = self.log_medians[common]
        said = _log_medians(raw.curves(rows_of(X, self.rows[common])))
        known = np.isfinite(wanted) & np.isfinite(said)
        if not known.any():
            return raw
        wanted, said = wanted[known], said[known]
        middle = np.quantile(said, _MIDDLE)
        shift = np.quantile(wanted, _MIDDLE) - middle
        spread = np.ptp(np.quantile(said, _SPREAD))
        ratio = np.ptp(np.quantile(wanted, _SPREAD)) / spread if spread > 0 else 1.0
        contrast = np.clip(ratio, 1 / _MOST, _MOST)
        return AlignedModel(raw, middle, shift, contrast, (said.min(), said.max()))


class AlignedModel(RawModel):
    """A model whose curves are stretched by factors that depend on their medians.

    log c = shift + (contrast − 1)(log median − middle), with log medians kept within
    those that set it.
    """

    def __init__(
        self,
        raw: RawModel,
        middle: float,
        shift: float,
        contrast: float,
        within: tuple[float, float],
    ) -> None:
        super().__init__(raw.estimator, raw.adapter, verbose=raw.verbose)
        self.middle, self.shift, self.contrast = middle, shift, contrast
        self.within = within

    def curves(self, X: Any) -> SurvivalCurves:
        """Return the stretched curves of all rows at once."""
        raw = super().curves(X)
        return SurvivalCurves._of(Stretched(raw._form, self._factors(raw)))

    def own_times(self, X: Any, levels: Float) -> Float | None:
        """Return the model's own percentile times (n, P), stretched alike."""
        own = super().own_times(X, levels)
        if own is None:
            return None
        return own * self._factors(super().curves(X))[:, None]

    def _factors(self, raw: SurvivalCurves) -> Float:
        apart = np.clip(_log_medians(raw), *self.within) - self.middle
        factors: Float = np.exp(self.shift + (self.contrast - 1) * apart)
        return factors


def _log_medians(curves: SurvivalCurves) -> Float:
    with np.errstate(divide="ignore"):
        log_medians: Float = np.log(curves.median())
    return log_medians
