"""The stored numbers of a recalibration, checked one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from consurv._checks import Float, as_floats, as_levels, check_same_length
from consurv._params import Between, Constraints, OneOf, check_params
from consurv.conformal.recalibration.order import OrderGuard
from consurv.conformal.recalibration.ratios import HazardRatios
from consurv.conformal.recalibration.risk import RiskScale
from consurv.conformal.recalibration.time_map import N_NUMBERS, TimeMap
from consurv.errors import InvalidInput

__all__ = ["Stored", "read_stored"]

# Arrays of one length stand in one row.
_ARRAYS = (
    ("fine_levels",),
    ("map_numbers",),
    ("map_centre",),
    ("ratio_borders", "ratio_levels", "ratio_slopes"),
    ("risk_medians", "risk_scores"),
    ("order_medians", "order_targets"),
)
_FINITE = Between(-np.inf, np.inf)
_NUMBERS: Constraints = {
    "ratio_bend": _FINITE,
    "order_share": OneOf(0.0, 0.25, 0.5, 0.75, 1.0),
    "time_unit": (OneOf(0.0), Between(0.0, np.inf)),
    "time_scale": Between(0.0, np.inf),
    "follow_up": (OneOf(0.0), Between(0.0, np.inf)),
}
_RISING = ("ratio_borders", "risk_medians", "order_medians")


class Stored(NamedTuple):
    """The parts of a recalibration."""

    fine_levels: Float
    time_map: TimeMap
    ratios: HazardRatios
    guard: OrderGuard
    unit: float
    scale: float
    follow_up: float


def read_stored(values: Mapping[str, Any]) -> Stored:
    """Return the parts, or refuse values that no recalibration has."""
    names = [name for row in _ARRAYS for name in row]
    values = {"follow_up": 0.0, **values}  # files of early versions do not know it
    missing = [name for name in (*names, *_NUMBERS) if name not in values]
    if missing:
        raise InvalidInput(f"it lacks {', '.join(missing)}")
    check_params({name: values[name] for name in _NUMBERS}, _NUMBERS)
    found: dict[str, Float] = {name: as_floats(values[name], name) for name in names}
    for row in _ARRAYS:
        check_same_length(**{name: len(found[name]) for name in row})
    share, unit = float(values["order_share"]), float(values["time_unit"])
    _check(found, share)
    risk = RiskScale(found["risk_medians"], found["risk_scores"])
    return Stored(
        as_levels(found["fine_levels"], "fine_levels"),
        TimeMap(found["map_numbers"], found["map_centre"]),
        HazardRatios(
            found["ratio_borders"],
            found["ratio_levels"],
            found["ratio_slopes"],
            float(values["ratio_bend"]),
            risk,
        ),
        OrderGuard(share, found["order_medians"], found["order_targets"]),
        unit,
        float(values["time_scale"]),
        float(values["follow_up"]),
    )


def _check(found: Mapping[str, Float], share: float) -> None:
    for name, size in (("map_numbers", N_NUMBERS), ("map_centre", 2)):
        if len(found[name]) != size:
            raise InvalidInput(f"{name} has {len(found[name])} values, not {size}")
    for name in _RISING:
        if (np.diff(found[name]) <= 0).any():
            raise InvalidInput(f"{name} does not rise: {found[name].tolist()}")
    if (np.diff(found["fine_levels"]) >= 0).any() or len(found["fine_levels"]) < 3:
        raise InvalidInput("fine_levels must be three levels or more, falling")
    if found["map_numbers"][-1] < 0:
        raise InvalidInput(f"the delay {found['map_numbers'][-1]:g} is negative")
    borders = found["ratio_borders"]
    if not borders.size or borders[0] != 0:
        raise InvalidInput("ratio_borders must begin with 0")
    if not found["risk_medians"].size:
        raise InvalidInput("risk_medians is empty")
    if share and not found["order_medians"].size:
        raise InvalidInput(f"order_share={share:g} has no knots to draw medians to")
