"""Files that consurv and the studies wrote themselves, and somebody has changed."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from consurv import load_adjustment, save_adjustment
from consurv.conformal import Adjustment
from consurv.conformal.keeping import store
from studies.records import (
    Record,
    _checksum,
    read_record,
    record_path,
    status_of,
    write_record,
)
from tests.fuzz.damage import damaged
from tests.fuzz.oracle import Fate, judge
from tests.fuzz.registry import Draw, target
from tests.fuzz.targets.estimator import MODEL
from tests.studies.made_up import make_record, make_variant

RECORD = make_record("main", "PBC", "km", 0, [make_variant("raw", [0.5] * 5)])


@cache
def adjustment_bytes(suffix: str) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder, f"adjustment{suffix}")
        save_adjustment(MODEL.adjustment_, path)
        return path.read_bytes()


@cache
def record_bytes() -> bytes:
    with TemporaryDirectory() as folder:
        return write_record(Path(folder), RECORD).read_bytes()


def _same(found: Adjustment) -> None:
    wanted = MODEL.adjustment_
    assert type(found) is type(wanted), type(found)
    for name, value in wanted.to_stored().items():
        assert_array_equal(found.to_stored()[name], value, err_msg=name)


@target
def adjustment_file(draw: Draw) -> None:
    suffix = draw(st.sampled_from([".json", ".npz"]))
    said, content = draw(damaged(adjustment_bytes(suffix)))
    fate = Fate.TAKEN if said == "no damage" else Fate.EITHER
    with TemporaryDirectory() as folder:
        path = Path(folder, f"adjustment{suffix}")
        path.write_bytes(content)
        judge(
            f"load_adjustment({suffix})",
            said,
            fate,
            lambda: load_adjustment(path),
            _same,
        )


VALUES = st.sampled_from(
    [None, True, 0, -1, 2**80, 1e308, "", "km", "../../etc", "<b>", [], [[]], {}, [1.0],
     {"a": 1}, "\x00", "=1+1", "\ud800"]
)  # fmt: skip


def _changed(draw: Draw, whole: Any) -> tuple[str, Any]:
    """Put another value somewhere into a tree of JSON."""
    part = whole = copy.deepcopy(whole)
    place = ""
    while True:
        keys = sorted(part) if isinstance(part, dict) else list(range(len(part)))
        key = draw(st.sampled_from(keys))
        place += f"/{key}"
        deeper = isinstance(part[key], dict | list) and part[key]
        if not deeper or draw(st.booleans()):
            part[key] = draw(VALUES)
            return f"{place} = {part[key]!r}"[:80], whole
        part = part[key]


@target
def adjustment_fields(draw: Draw) -> None:
    """A stranger's file with a right checksum: what loads must be an adjustment."""
    said, values = _changed(draw, json.loads(adjustment_bytes(".json")))
    head = {k: v for k, v in values.items() if not isinstance(v, list)}
    try:
        arrays = {
            k: np.asarray(v, dtype=float) for k, v in values.items() if k not in head
        }
        head.pop("checksum", None)
        values["checksum"] = store._checksum(head, arrays)
    except (TypeError, ValueError, OverflowError):
        pass  # no checksum is right for it
    with TemporaryDirectory() as folder:
        path = Path(folder, "adjustment.json")
        path.write_text(json.dumps(values))

        def check(found: Adjustment) -> None:
            curves = found.apply(np.array([[4.0, 2.0, 1.0]]))
            assert ((curves.survival >= 0) & (curves.survival <= 1)).all()
            assert not np.isnan(curves.times).any()

        judge(
            "a crafted adjustment",
            said,
            Fate.EITHER,
            lambda: load_adjustment(path),
            check,
        )


@target
def record_file(draw: Draw) -> None:
    said, content = draw(damaged(record_bytes()))
    fate = Fate.TAKEN if said == "no damage" else Fate.EITHER

    def check(found: Record) -> None:
        assert found == json.loads(json.dumps(RECORD)), "another record"

    with TemporaryDirectory() as folder:
        path = Path(folder, "0.json")
        path.write_bytes(content)
        judge("read_record", said, fate, lambda: read_record(path), check)


@target
def record_fields(draw: Draw) -> None:
    """A stranger's record with a right checksum: its parts have their types."""
    said, values = _changed(draw, RECORD)
    with TemporaryDirectory() as folder:
        path = record_path(Path(folder), "main", "PBC", "km", 0)
        path.parent.mkdir(parents=True)
        whole = {**values, "checksum": _checksum(values)}
        path.write_text(json.dumps(whole))
        judge("a crafted record", said, Fate.EITHER, lambda: read_record(path), _shown)


def _shown(record: Record) -> None:
    """Assert that the parts that pages are made of can be read."""
    assert status_of(record) in ("done", "failed", "timeout")
    for variant in record["variants"]:
        for value in (variant.get("metrics") or {}).values():
            assert value is None or np.isfinite(value), value
