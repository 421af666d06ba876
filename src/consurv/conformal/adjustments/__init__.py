"""Kinds of adjustment by name: what is done to the raw curves. One kind a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from consurv._registry import resolve
from consurv.conformal.adjustments.adjustment import Adjustment
from consurv.conformal.adjustments.level import LevelAdjustment
from consurv.conformal.adjustments.log_time import LogTimeAdjustment
from consurv.conformal.adjustments.recalibrated import RecalibratedAdjustment
from consurv.conformal.adjustments.time import TimeAdjustment
from consurv.errors import InvalidInput

__all__ = [
    "ADJUSTMENTS",
    "AUTO",
    "Adjustment",
    "LevelAdjustment",
    "LogTimeAdjustment",
    "RecalibratedAdjustment",
    "TimeAdjustment",
    "adjustment_kind",
    "choose_kind",
    "register_adjustment",
]

ADJUSTMENTS: dict[str, type[Adjustment]] = {
    kind.kind: kind
    for kind in (
        TimeAdjustment,
        LogTimeAdjustment,
        LevelAdjustment,
        RecalibratedAdjustment,
    )
}

AUTO = "auto"
# What "auto" stands for, and what it stands for where a setting is named that has no
# meaning there: who names one wants the paper's method in a form of their own.
_DEFAULT, _PUBLISHED = RecalibratedAdjustment.kind, TimeAdjustment.kind
_SETTINGS_OF_SHIFTS: Mapping[str, Any] = {
    "censoring": "auto",
    "n_samples": None,
    "kaplan_meier": "train",
    "rearrange": "exact",
}
# The conformal set of version 0.1.0, which had this kind alone.
_PUBLISHED_SET = "paper"


def choose_kind(name: str, settings: Mapping[str, Any]) -> type[Adjustment]:
    """Return the kind that a name stands for beside other settings.

    ``"auto"`` is ``"recalibrated"``, and ``"time"`` where *settings* have a rule for
    censored subjects, draws, a Kaplan–Meier curve or a rearrangement of their own, or
    the conformal set of the paper: that setting alone is the default of 0.1.0.

    Examples
    --------
    >>> choose_kind("auto", {}).kind
    'recalibrated'
    >>> choose_kind("auto", {"censoring": "kaplan-meier"}).kind
    'time'
    >>> choose_kind("auto", {"conformal_set": "paper"}).kind
    'time'
    """
    usual = _SETTINGS_OF_SHIFTS
    own = any(settings.get(n, value) != value for n, value in usual.items())
    own = own or settings.get("conformal_set") == _PUBLISHED_SET
    auto = ADJUSTMENTS[_PUBLISHED if own else _DEFAULT]
    return resolve({AUTO: auto, **ADJUSTMENTS}, name, "adjustment")


def register_adjustment(kind: type[Adjustment]) -> type[Adjustment]:
    """Make a kind of one's own known by its name; a class decorator.

    ``ConformalSurvival(adjustment=...)``, reports, stored files and the command then
    know it.

    Parameters
    ----------
    kind : class derived from Adjustment

    Raises
    ------
    InvalidInput
        If it is something else, or that name is taken.

    Examples
    --------
    >>> @register_adjustment
    ... class MyTime(TimeAdjustment):
    ...     kind = "my-time"
    >>> adjustment_kind("my-time").__name__
    'MyTime'
    >>> _ = ADJUSTMENTS.pop("my-time")  # forget it again
    """
    if not (isinstance(kind, type) and issubclass(kind, Adjustment)):
        raise InvalidInput(f"{kind!r} is no class derived from Adjustment")
    if kind.kind == AUTO:
        raise InvalidInput(f"{AUTO!r} is the default's name; choose another name")
    known = ADJUSTMENTS.setdefault(kind.kind, kind)
    if known is not kind and known.__qualname__ != kind.__qualname__:
        raise InvalidInput(
            f"there is another adjustment {kind.kind!r}: {known.__qualname__}; choose "
            "another name"
        )
    ADJUSTMENTS[kind.kind] = kind  # a notebook's cell is run again
    return kind


def adjustment_kind(name: str) -> type[Adjustment]:
    """Return the kind that a name stands for.

    Examples
    --------
    >>> adjustment_kind("level").__name__
    'LevelAdjustment'
    """
    return resolve(ADJUSTMENTS, name, "adjustment")
