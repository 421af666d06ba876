"""The five metrics of the paper: how they are written and which way is better."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CALIBRATION", "MEASURES", "Measure"]


@dataclass(frozen=True)
class Measure:
    """A metric in tables and figures.

    Attributes
    ----------
    name : str
        Its name in the records.
    label : str
        As the paper writes it.
    higher_is_better : bool
    """

    name: str
    label: str
    higher_is_better: bool = False

    def better(self, first: float, second: float) -> bool:
        """Say whether *first* is strictly better than *second*.

        Examples
        --------
        >>> MEASURES["c_index"].better(0.7, 0.6), MEASURES["mae_po"].better(7, 6)
        (True, False)
        """
        return first > second if self.higher_is_better else first < second


# In the order of the paper's figures and of its Table 2.
MEASURES = {
    measure.name: measure
    for measure in (
        Measure("c_index", "C-index", True),
        Measure("d_calibration", "D-cal"),
        Measure("km_calibration", "KM-cal"),
        Measure("integrated_brier_score", "IBS"),
        Measure("mae_po", "MAE-PO"),
    )
}
# Those in which models are held against the Kaplan–Meier dummy.
CALIBRATION = ("d_calibration", "km_calibration")
