"""What a record may hold, part by part; a folder of records may be anybody's."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

__all__ = ["WrongPart", "check_record"]

Check = Callable[[Any, str], None]

# Names stand in tables, captions and pictures: no path, no formula of a spreadsheet or
# of matplotlib, no link of Markdown.
_NAME = re.compile(r"(?![=+\-@.])[^\x00-\x1f\x7f-\x9f\u2028\u2029/\\$`\[\]]{1,200}")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_LARGEST = 2**63


class WrongPart(ValueError):  # noqa: N818  (reads as a sentence)
    """A part of a record is not what it should be."""

    def __init__(self, place: str, expected: str, value: Any) -> None:
        shown = repr(value)
        shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
        super().__init__(f"{place} must be {expected}, not {shown}")


def check_record(record: dict[str, Any]) -> None:
    """Refuse a record whose parts are of wrong types.

    Raises
    ------
    WrongPart
        It names the first such part.

    Examples
    --------
    >>> check_record({"study": "main", "dataset": "PBC", "model": "km", "seed": "0"})
    Traceback (most recent call last):
    ...
    studies.schema.WrongPart: seed must be a whole number, not '0'
    """
    _record(record, "")


def _name(value: Any, place: str) -> None:
    _text(value, place)
    if not _NAME.fullmatch(value):
        raise WrongPart(
            place, "a name without / \\ $ ` [ ] and = + - @ in front", value
        )


def _text(value: Any, place: str) -> None:
    if type(value) is not str or _CONTROL.search(value):
        raise WrongPart(place, "text in one line", value)


def _number(value: Any, place: str) -> None:
    if type(value) is float and math.isfinite(value):
        return
    if type(value) is not int or abs(value) >= _LARGEST:
        raise WrongPart(place, "a number", value)


def _count(value: Any, place: str) -> None:
    if type(value) is not int or not 0 <= value < _LARGEST:
        raise WrongPart(place, "a whole number", value)


def _flag(value: Any, place: str) -> None:
    if type(value) is not bool:
        raise WrongPart(place, "true or false", value)


def _status(value: Any, place: str) -> None:
    if value not in ("done", "failed", "timeout"):
        raise WrongPart(place, "done, failed or timeout", value)


def _anything(value: Any, place: str) -> None:
    """Let pass what is only compared, or shown as JSON."""


def _maybe(check: Check) -> Check:
    def run(value: Any, place: str) -> None:
        if value is not None:
            check(value, place)

    return run


def _list_of(check: Check) -> Check:
    def run(value: Any, place: str) -> None:
        if type(value) is not list:
            raise WrongPart(place, "a list", value)
        for i, part in enumerate(value):
            check(part, f"{place}[{i}]")

    return run


def _dict_of(check: Check) -> Check:
    def run(value: Any, place: str) -> None:
        if type(value) is not dict:
            raise WrongPart(place, "an object", value)
        for key, part in value.items():
            _text(key, f"a name in {place}")
            check(part, f"{place}.{key}")

    return run


def _fields(needed: dict[str, Check], others: dict[str, Check]) -> Check:
    """Return what checks an object; further fields are left aside by all readers."""

    def run(value: Any, place: str) -> None:
        if type(value) is not dict:
            raise WrongPart(place or "a record", "an object", value)
        before = f"{place}." if place else ""
        for name, check in needed.items():
            if name not in value:
                raise WrongPart(f"{before}{name}", "there", None)
            check(value[name], f"{before}{name}")
        for name, check in others.items():
            _maybe(check)(value.get(name), f"{before}{name}")

    return run


def _columns(*names: str) -> Check:
    """Return what checks lists of numbers of one length, at least one."""
    lists = _fields(dict.fromkeys(names, _list_of(_number)), {})

    def run(value: Any, place: str) -> None:
        lists(value, place)
        lengths = {len(value[name]) for name in names}
        if len(lengths) > 1 or lengths == {0}:
            raise WrongPart(place, "lists of one length", sorted(lengths))

    return run


_numbers = _dict_of(_maybe(_number))
_error = _fields({}, {"type": _text, "message": _text})
_details = _fields(
    {},
    {
        "pp": _columns("levels", "observed"),
        "mean_curve": _columns("times", "survival", "kaplan_meier"),
    },
)
_variant = _fields(
    {"name": _name, "status": _status},
    {
        "error": _error,
        "metrics": _numbers,
        "counts": _numbers,
        "seconds": _numbers,
        "details": _details,
        "peak_memory": _number,
        "percentiles": _count,
        "n_samples": _count,
        "conformal_set": _name,
        "warnings": _list_of(_text),
    },
)
_data = _fields(
    {},
    {
        **dict.fromkeys(("n", "n_test", "n_train", "n_features", "n_encoded"), _count),
        "censored": _number,
        "t_max": _number,
        "size": _name,
        "simulated": _flag,
    },
)
_fit = _fields(
    {"reused": _flag},
    {"seconds": _number, "n_epochs": _count, "peak_memory": _number},
)
_record = _fields(
    {
        "study": _name,
        "dataset": _name,
        "model": _name,
        "seed": _count,
        "status": _status,
        "variants": _list_of(_variant),
    },
    {
        "label": _name,
        "asked": _text,
        "time_limit": _number,
        "error": _error,
        "data": _data,
        "settings": _dict_of(_anything),
        "fit": _fit,
        "environment": _dict_of(_text),
        "started": _text,
        "seconds": _number,
    },
)
