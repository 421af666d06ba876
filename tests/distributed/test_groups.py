"""Groups of conformal subjects that are not in memory are those of memory."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv import CalibrationWarning, ConformalSurvival, InvalidInput
from consurv.distributed import parquet as engine
from consurv.distributed.spill import Spilled
from tests.distributed.people import Optimist, at_sites, parts, subjects, weighted

NAMES = {"time": "time", "event": "event"}
NEW = ["dose", "age", "site"]
# The smallest site is too small for some levels.
pytestmark = pytest.mark.filterwarnings("ignore::consurv.CalibrationWarning")


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch):
    monkeypatch.setattr(engine, "BATCH_ROWS", 150)
    monkeypatch.setattr(engine, "gathered", lambda blocks: (b for b in blocks if b))


def write(table, folder, n=5):
    for i, part in enumerate(parts(table, n=n)):
        part.to_parquet(folder / f"{i}.parquet", index=False)
    return folder


def conformalized(X, kind="time", pooling="partial", groups="site", **more):
    model = ConformalSurvival(
        Optimist(), adjustment=kind, group_pooling=pooling, percentiles=9
    )
    return model.conformalize(X, **NAMES, groups=groups, **more)


@pytest.mark.parametrize(
    ("kind", "pooling"),
    [
        ("time", "partial"),
        ("time", "none"),
        ("log-time", "partial"),
        ("level", "partial"),
        ("level", "none"),
        ("recalibrated", "partial"),
    ],
)
def test_adjustments_are_those_of_memory(tmp_path, kind, pooling):
    table = at_sites(subjects(500))
    folder = write(table, tmp_path)
    here, there = (conformalized(X, kind, pooling) for X in (table, folder))
    assert there.groups_.labels == here.groups_.labels == ("east", "north", "south")
    assert there.groups_.sizes == here.groups_.sizes
    assert there.groups_.column == "site"
    assert_allclose(there.groups_.weights, here.groups_.weights, rtol=1e-9)
    if pooling == "partial":
        assert ((there.groups_.weights > 0) & (there.groups_.weights < 1)).any()
    levels = here.levels_
    found, wanted = (m.predict_quantile(table[NEW], levels) for m in (there, here))
    assert_allclose(found, wanted, rtol=0, atol=1e-9 * table["time"].max())
    # A column that the model was not trained on is no feature.
    assert there.feature_names_in_.tolist() == ["dose", "age"]
    # Groups matter.
    alone = conformalized(table, kind, groups=None)
    pooled = alone.predict_quantile(table[["dose", "age"]], levels)
    assert np.abs(wanted - pooled).max() > 1


def test_joined_blocks_keep_their_groups(tmp_path, monkeypatch):
    monkeypatch.undo()  # files are joined to one block, whatever their groups
    table = at_sites(subjects(400))
    here, there = (conformalized(X) for X in (table, write(table, tmp_path)))
    for found, wanted in zip(there.groups_.members, here.groups_.members, strict=True):
        assert_allclose(found.shifts, wanted.shifts, rtol=0, atol=1e-9)


def test_weights_multiply(tmp_path):
    table = weighted(at_sites(subjects(900)))
    here, there = (
        conformalized(X, sample_weight="weight")
        for X in (table, write(table, tmp_path))
    )
    assert there.groups_.sizes == here.groups_.sizes
    assert sum(there.groups_.sizes) == (table["weight"] > 0).sum()
    for found, wanted in zip(there.groups_.members, here.groups_.members, strict=True):
        assert_allclose(found.shifts, wanted.shifts, rtol=0, atol=1e-7)


def test_each_group_is_as_many_rounds(tmp_path, monkeypatch):
    """Which groups, how they differ, and then at most 12 for each of three."""
    asked, ask = [], Spilled.ask
    monkeypatch.setattr(
        Spilled, "ask", lambda self, q: asked.append(type(q).__name__) or ask(self, q)
    )
    found = conformalized(write(at_sites(subjects(900)), tmp_path))
    assert sum(weight < 1 for weight in found.groups_.weights) == 3
    first = asked.index("GroupSizes")
    assert asked[first + 1] == "ComparedGroups"
    assert first <= 8
    assert set(asked[first + 2 :]) == {"OfGroup"}
    assert len(asked[first + 2 :]) <= 3 * 12


def test_a_group_without_events_has_the_pooled_adjustment(tmp_path):
    table = at_sites(subjects(300))
    table.loc[table["site"] == "east", "event"] = 0
    with pytest.warns(CalibrationWarning, match="fewer than 2 events .* 'east'"):
        found = conformalized(write(table, tmp_path))
    assert found.groups_.members[0] is None
    assert found.groups_.members[1] is not None


@pytest.mark.parametrize(
    ("groups", "match"),
    [
        (["a", "b"], "rows are not in memory: its groups are one of its columns"),
        ("hospital", "X lacks the columns of groups 'hospital'"),
    ],
)
def test_what_cannot_be_is_refused_before_rows_are_read(tmp_path, groups, match):
    folder = write(at_sites(subjects(60)), tmp_path)
    with pytest.raises(InvalidInput, match=match):
        conformalized(folder, groups=groups)


def test_a_missing_label_names_the_file(tmp_path):
    table = at_sites(subjects(60))
    table.loc[7, "site"] = None
    with pytest.raises(InvalidInput, match=r"\d.parquet: column 'site' has 1 missing"):
        conformalized(write(table, tmp_path))


def test_predictions_of_files_find_their_groups(tmp_path):
    table = at_sites(subjects(300))
    folder = write(table, tmp_path)
    model = conformalized(folder)
    found = model.predict_quantile(folder, [0.5]).read_all().to_pandas()
    wanted = model.predict_quantile(table[NEW], [0.5])[:, 0]
    assert_array_equal(found.sort_values("id")["t_at_0.5"], wanted)
