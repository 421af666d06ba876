"""Files are read batch by batch and give the numbers of one table in memory."""

from __future__ import annotations

import signal
import tempfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as pads
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pyarrow import parquet

from consurv import ConformalSurvival, InvalidInput
from consurv._progress import listening
from consurv.distributed import asked, batches, frame_of
from consurv.distributed import parquet as engine
from tests.distributed.people import (
    Optimist,
    numbers,
    parts,
    repeated,
    subjects,
    weighted,
)

NAMES = {"time": "time", "event": "event"}


def conformalized(X, kind="time", rule="auto", sample_weight=None, **settings):
    model = ConformalSurvival(Optimist(), adjustment=kind, censoring=rule, **settings)
    return model.conformalize(X, **NAMES, sample_weight=sample_weight)


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(engine, "BATCH_ROWS", 64)
    monkeypatch.setattr(engine, "gathered", lambda blocks: (b for b in blocks if b))


@pytest.mark.parametrize("rule", ["uncensored", "kaplan-meier", "auto", "margin"])
@pytest.mark.parametrize("kind", ["time", "log-time"])
@pytest.mark.parametrize("whole", [False, True])
def test_the_numbers_are_those_of_memory(tmp_path, small_batches, kind, rule, whole):
    table = subjects(900, whole=whole)
    for i, part in enumerate(parts(table, n=7)):
        part.to_parquet(tmp_path / f"{i}.parquet")
    here = conformalized(table, kind, rule)
    there = conformalized(f"{tmp_path}/*.parquet", kind, rule)
    scale = table["time"].max() if kind == "time" else 1.0
    assert_allclose(numbers(there), numbers(here), rtol=0, atol=1e-9 * scale)
    assert there.kaplan_meier_ == here.kaplan_meier_
    assert_array_equal(there.adjustment_.identified, here.adjustment_.identified)
    assert there.n_conformal_ == 900
    assert there.feature_names_in_.tolist() == ["dose", "age"]


@pytest.mark.parametrize("rule", ["auto", "uniform"])
def test_so_are_levels(files, small_batches, rule):
    here = conformalized(subjects(900), "level", rule)
    assert_array_equal(numbers(conformalized(files, "level", rule)), numbers(here))


@pytest.mark.parametrize("whole", [False, True])
def test_so_is_the_default(tmp_path, small_batches, whole):
    table = subjects(900, whole=whole)
    for i, part in enumerate(parts(table, n=7)):
        part.to_parquet(tmp_path / f"{i}.parquet")
    here, there = (
        ConformalSurvival(Optimist()).conformalize(X, **NAMES)
        for X in (table, tmp_path)
    )
    assert there.adjustment_.kind == "recalibrated"
    most = 1e-9 * table["time"].max()
    assert_allclose(numbers(there), numbers(here), rtol=0, atol=most)


def test_an_empty_file_need_not_know_the_types(tmp_path):
    """Of a column of text without rows pandas writes no type at all."""
    table = subjects(60).assign(arm="a")
    table[:0].to_parquet(tmp_path / "0.parquet")
    table.to_parquet(tmp_path / "1.parquet")
    assert parquet.read_schema(tmp_path / "0.parquet").field("arm").type == pa.null()
    found = conformalized(tmp_path).predict_quantile(tmp_path, [0.5]).read_all()
    assert found["arm"].to_pylist() == ["a"] * 60


class TestWeights:
    @pytest.mark.parametrize(
        ("kind", "rule"),
        [
            ("time", "uncensored"),
            ("time", "margin"),
            ("time", "kaplan-meier"),
            ("time", "auto"),
            ("log-time", "kaplan-meier"),
            ("log-time", "auto"),
            ("level", "auto"),
            ("level", "uniform"),
            ("recalibrated", "auto"),
        ],
    )
    def test_give_the_numbers_of_memory(self, tmp_path, small_batches, kind, rule):
        table = weighted(subjects(900))
        pieces = parts(table, n=7)
        pieces[0] = pieces[0].assign(weight=1.0)  # a part without weights
        pieces[1] = pieces[1].assign(weight=0.0)  # and one that does not count
        for i, part in enumerate(pieces):
            part.to_parquet(tmp_path / f"{i}.parquet")
        table = pd.concat(pieces)
        here = conformalized(table, kind, rule, "weight")
        there = conformalized(tmp_path, kind, rule, "weight")
        scale = table["time"].max() if kind in ("time", "recalibrated") else 1.0
        assert_allclose(numbers(there), numbers(here), rtol=0, atol=1e-9 * scale)
        assert_allclose(there.kaplan_meier_.survival, here.kaplan_meier_.survival)
        assert_array_equal(there.adjustment_.identified, here.adjustment_.identified)
        assert there.n_conformal_ == here.n_conformal_ < 900
        assert there.feature_names_in_.tolist() == ["dose", "age"]
        assert (numbers(here) != numbers(conformalized(table, kind, rule))).any()

    def test_of_one_change_no_bit(self, tmp_path):
        subjects(900).assign(weight=1.0).to_parquet(tmp_path / "all.parquet")
        found, plain = (
            conformalized(tmp_path, "time", "auto", name) for name in ("weight", None)
        )
        assert_array_equal(numbers(found), numbers(plain))

    def test_many_rows_take_the_search_by_rounds(self, tmp_path):
        table = weighted(subjects(40_000))
        table.to_parquet(tmp_path / "all.parquet")
        here, there = (
            conformalized(X, "time", "kaplan-meier", "weight", percentiles=3)
            for X in (table, tmp_path)
        )
        most = 1e-9 * table["time"].max()
        assert_allclose(numbers(there), numbers(here), rtol=0, atol=most)

    def test_are_a_column(self, files):
        with pytest.raises(InvalidInput, match="its weights are one of its columns"):
            conformalized(files, sample_weight=np.ones(900))

    @pytest.mark.parametrize(
        ("bad", "message"),
        [
            (-1.0, "sample_weight has 1 values < 0"),
            (np.nan, "sample_weight has 1 NaN"),
            (np.inf, "sample_weight has 1 infinite"),
        ],
    )
    def test_bad_ones_are_refused(self, tmp_path, bad, message):
        table = weighted(subjects(50))
        table.loc[7, "weight"] = bad
        table.to_parquet(tmp_path / "all.parquet")
        with pytest.raises(InvalidInput, match=message):
            conformalized(tmp_path, sample_weight="weight")

    def test_all_zero_are_refused(self, tmp_path):
        subjects(50).assign(weight=0.0).to_parquet(tmp_path / "all.parquet")
        with pytest.raises(InvalidInput, match="rows of weight 0 do not count"):
            conformalized(tmp_path, sample_weight="weight")


def test_any_partition_gives_the_same(tmp_path, small_batches):
    table = subjects(400, whole=True)
    found = []
    for seed in range(8):
        paths = []
        for i, part in enumerate(parts(table, seed)):
            paths.append(tmp_path / f"{seed}-{i}.parquet")
            part.to_parquet(paths[-1])
        found.append(numbers(conformalized(paths, rule="kaplan-meier")))
    assert np.ptp(found, axis=0).max() <= 1e-9 * table["time"].max()


class TestWaysToGiveATable:
    @pytest.fixture
    def table(self):
        table = subjects(300)
        return table.assign(age=table["age"] // 10 * 10)

    def test_a_folder_of_folders_named_by_a_column(self, tmp_path, table):
        found = pa.Table.from_pandas(table, preserve_index=False)
        keys = pads.partitioning(pa.schema([("age", pa.int64())]), flavor="hive")
        pads.write_dataset(found, tmp_path, format="parquet", partitioning=keys)
        expected = numbers(conformalized(table))
        for X in (tmp_path, pads.dataset(tmp_path, partitioning="hive")):
            assert_allclose(numbers(conformalized(X)), expected, atol=1e-9)

    def test_a_part_of_a_column_name_is_no_folder(self, tmp_path, table):
        for ages, part in ((1, table), (2, table.drop(columns="age"))):
            (tmp_path / f"ages={ages}").mkdir()
            part.to_parquet(tmp_path / f"ages={ages}" / "x.parquet")
        with pytest.raises(InvalidInput, match=r"lacks the column 'age'"):
            conformalized(pads.dataset(tmp_path, partitioning="hive"))

    @pytest.mark.parametrize("kind", ["csv", "feather"])
    def test_files_of_other_kinds_as_a_dataset(self, tmp_path, table, kind):
        found = pa.Table.from_pandas(table, preserve_index=False)
        pads.write_dataset(found, tmp_path, format=kind)
        found = numbers(conformalized(pads.dataset(tmp_path, format=kind)))
        assert_allclose(found, numbers(conformalized(table)), atol=1e-9)

    def test_rows_that_are_filtered_or_scanned(self, tmp_path, table):
        table.to_parquet(tmp_path / "x.parquet")
        kept = table[table["age"] > 60]
        some = pads.dataset(tmp_path).filter(pads.field("age") > 60)
        model = conformalized(some)
        # To the last bit those of files with these rows alone.
        kept.to_parquet(tmp_path / "kept.parquet")
        expected = numbers(conformalized(tmp_path / "kept.parquet"))
        assert_array_equal(numbers(model), expected)
        assert_allclose(expected, numbers(conformalized(kept)), rtol=1e-12)
        assert_array_equal(numbers(conformalized(some.scanner())), expected)
        rows = model.predict_quantile(some, [0.5]).read_all()
        assert rows.num_rows == (table["age"] > 60).sum()

    @pytest.mark.parametrize("more", [0.5, 1000])
    def test_numbers_that_the_first_file_has_no_room_for(self, tmp_path, table, more):
        table.astype({"age": "int8"}).to_parquet(tmp_path / "a.parquet")
        table.assign(age=table["age"] + more).to_parquet(tmp_path / "b.parquet")
        with pytest.raises(InvalidInput, match=r"b\.parquet has numbers .*same types"):
            conformalized(tmp_path)

    def test_what_holds_no_rows_is_said_so(self):
        with pytest.raises(InvalidInput, match="X is an empty list"):
            conformalized([])
        lazy = pytest.importorskip("polars").DataFrame({"dose": [1.0]}).lazy()
        with pytest.raises(InvalidInput, match=r"LazyFrame.*collect\(\)"):
            conformalized(lazy)


class TestResolution:
    @pytest.mark.parametrize("kind", ["time", "level", "recalibrated"])
    def test_is_that_of_times_moved_before(self, files, kind):
        table = subjects(900)
        moved = table.assign(time=np.ceil(table["time"] / 2) * 2)
        model = ConformalSurvival(Optimist(), adjustment=kind)
        there = model.conformalize(files, **NAMES, resolution=2)
        before = conformalized(moved, kind)
        assert_allclose(numbers(there), numbers(before), atol=1e-9)
        assert there.kaplan_meier_ == before.kaplan_meier_
        assert len(there.kaplan_meier_.times) < 30

    def test_is_the_same_in_memory(self):
        table, model = subjects(300), ConformalSurvival(Optimist(), adjustment="time")
        X, y = table[["dose", "age"]], (table["event"], table["time"])
        whole = (table["event"], np.ceil(table["time"]))
        found = numbers(model.conformalize(X, y, resolution=1.0))
        assert_array_equal(found, numbers(model.conformalize(X, whole)))
        assert (found != numbers(model.conformalize(X, y))).any()
        named = model.conformalize(table, **NAMES, resolution=1.0)
        assert_array_equal(numbers(named), found)

    def test_is_named_where_times_are_many(self, files, monkeypatch):
        monkeypatch.setattr(asked, "_MANY_TIMES", 100)
        with pytest.warns(UserWarning, match=r"900 different .*resolution=") as told:
            model = conformalized(files)
        assert len(told) == 1
        assert told[0].filename == __file__
        model.conformalize(files, **NAMES, resolution=2)  # warnings are errors

    @pytest.mark.parametrize("resolution", [0, -1.0, "day"])
    def test_is_a_number_above_0(self, resolution):
        with pytest.raises(InvalidInput, match="resolution"):
            ConformalSurvival(Optimist()).conformalize(
                subjects(9), **NAMES, resolution=resolution
            )


class TestForms:
    def test_paths_folders_lists_datasets_and_readers(self, files):
        wanted = numbers(conformalized(subjects(900)))
        paths = sorted(files.glob("*.parquet"))
        dataset = pads.dataset(files)
        for X in (
            files,
            str(files / "*.parquet"),
            paths,
            [str(p) for p in paths],
            dataset,
            dataset.scanner().to_reader(),
        ):
            assert_allclose(numbers(conformalized(X)), wanted, atol=1e-9)

    def test_a_folder_may_name_a_column(self, tmp_path):
        table = subjects(300)
        table["dose"] = np.round(table["dose"])
        parquet.write_to_dataset(pa.table(table), tmp_path, partition_cols=["dose"])
        dataset = pads.dataset(
            tmp_path,
            partitioning=pads.partitioning(
                pa.schema([("dose", pa.float64())]), flavor="hive"
            ),
        )
        wanted = numbers(conformalized(table))
        assert_allclose(numbers(conformalized(dataset)), wanted, atol=1e-9)

    def test_names_of_rows_are_no_features(self, tmp_path):
        table = subjects(60).set_index(pd.Index(np.random.default_rng(0).random(60)))
        table.to_parquet(tmp_path / "x.parquet")
        assert frame_of(tmp_path).names == subjects(1).columns.tolist()

    @pytest.mark.parametrize("form", ["pandas", "polars", "pyarrow"])
    def test_tables_in_memory_are_not_elsewhere(self, form):
        table = subjects(300)
        if form == "polars":
            table = pytest.importorskip("polars").from_pandas(table)
        elif form == "pyarrow":
            table = pa.table(table)
        assert frame_of(table) is None
        model = ConformalSurvival(Blind(), adjustment="time")
        assert model.conformalize(table, **NAMES).n_conformal_ == 300


class Blind:
    """A model that takes any table of two columns."""

    feature_names_in_ = ("dose", "age")

    def predict_survival_function(self, X):
        assert X.shape[1] == 2
        return [20.0], np.zeros((len(X), 1))


class TestRows:
    def test_are_predicted_once(self, files, small_batches):
        model = Optimist()
        there = ConformalSurvival(model, adjustment="time", censoring="kaplan-meier")
        there.conformalize(files, **NAMES)
        assert model.n_seen == 900
        there.predict_quantile(files, [0.5]).read_all()
        assert model.n_seen == 1800

    def test_progress_is_shown(self, files):
        seen = []
        with listening(lambda done, total: seen.append((done, total))):
            conformalized(files, verbose=1)
        assert seen[0] == (0, 900)
        assert seen[-1] == (900, 900)

    def test_what_was_spilled_is_removed(self, files, tmp_path, monkeypatch):
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        spilled = []

        def watch(done, total):
            spilled.extend(tmp_path.iterdir())

        with listening(watch):
            conformalized(files)
        assert spilled
        assert not list(tmp_path.iterdir())

    def test_also_after_an_error(self, files, tmp_path, monkeypatch):
        class Bad(Optimist):
            def predict_survival_function(self, X):
                raise RuntimeError("out of order")

        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        with pytest.raises(RuntimeError, match="out of order"):
            ConformalSurvival(Bad(), adjustment="time").conformalize(files, **NAMES)
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("kind", ["time", "recalibrated"])
    def test_that_come_twice_count_twice(self, tmp_path, small_batches, kind):
        table = repeated(subjects(300))
        for i, part in enumerate(parts(table)):
            part.to_parquet(tmp_path / f"{i}.parquet")
        here, there = (conformalized(X, kind) for X in (table, tmp_path))
        assert_allclose(numbers(there), numbers(here), atol=1e-9)
        assert there.n_conformal_ == len(table) == 450


class TestCancellation:
    @pytest.fixture
    def folder(self, tmp_path, monkeypatch):
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        # A shell that starts tests in the background has them ignore it.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        yield tmp_path
        signal.signal(signal.SIGINT, before)

    @pytest.mark.parametrize("kind", ["time", "recalibrated", "level"])
    def test_while_rows_are_predicted(self, files, folder, small_batches, kind):
        class Interrupted(Optimist):
            def predict_survival_function(self, X):
                if self.n_seen > 300:
                    assert list(folder.iterdir())
                    signal.raise_signal(signal.SIGINT)
                return super().predict_survival_function(X)

        model = ConformalSurvival(Interrupted(), adjustment=kind)
        with pytest.raises(KeyboardInterrupt):
            model.conformalize(files, **NAMES)
        assert not list(folder.iterdir())
        assert not hasattr(model, "adjustment_")

    def test_between_questions_leaves_the_model_as_it_was(
        self, files, folder, monkeypatch
    ):
        model = conformalized(subjects(300), rule="kaplan-meier")
        some = subjects(5)[["dose", "age"]]
        adjustment, curves = model.adjustment_, model.predict_quantile(some, [0.5])
        send, sent = engine.Spilled._send, []

        def interrupted(self, letter):
            sent.append(letter)
            if len(sent) == 2:
                signal.raise_signal(signal.SIGINT)
            return send(self, letter)

        monkeypatch.setattr(engine.Spilled, "_send", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.conformalize(files, **NAMES)
        assert len(sent) == 2
        assert not list(folder.iterdir())
        assert model.adjustment_ is adjustment
        assert model.n_conformal_ == 300
        assert_array_equal(model.predict_quantile(some, [0.5]), curves)


class TestPredictions:
    def test_are_columns_beside_the_others(self, files):
        model, table = conformalized(files), subjects(900)
        features = table[["dose", "age"]]
        found = model.predict_quantile(files, [0.9, 0.5])
        assert isinstance(found, pa.RecordBatchReader)
        frame = found.read_all().to_pandas().sort_values("id")
        assert frame.columns.tolist() == [*table.columns, "t_at_0.9", "t_at_0.5"]
        wanted = model.predict_quantile(features, [0.9, 0.5])
        assert_array_equal(frame[["t_at_0.9", "t_at_0.5"]], wanted)
        curves = model.predict_survival_function(files, times=[5, 12.5])
        frame = curves.read_all().to_pandas().sort_values("id")
        wanted = model.predict_survival_function(features).survival_at([5, 12.5])
        assert_array_equal(frame[["survival_at_5", "survival_at_12.5"]], wanted)
        nodes = model.predict_survival_function(files).read_all()
        assert nodes.column_names[5:] == [f"t_at_{p / 20:g}" for p in range(19, 0, -1)]
        ends = model.predict_interval(files, 0.8).read_all()
        assert ends.column_names[5:] == ["t_at_0.9", "t_at_0.1"]
        risk = model.predict(files).read_all().to_pandas().sort_values("id")["risk"]
        assert_array_equal(risk, model.predict(features))

    def test_are_made_when_they_are_read(self, files, monkeypatch):
        model = conformalized(files)
        monkeypatch.setattr(engine, "BATCH_ROWS", 50)
        before = model.estimator_.n_seen
        found = model.predict_quantile(files, [0.5])
        assert model.estimator_.n_seen == before
        found.read_next_batch()
        assert model.estimator_.n_seen <= before + 100

    def test_a_column_of_that_name_is_refused(self, files):
        reader = conformalized(files).predict_quantile(files, [0.5])
        with pytest.raises(InvalidInput, match=r"a column 't_at_0\.5' already"):
            conformalized(files).predict_quantile(reader, [0.5])

    def test_times_are_for_tables_elsewhere(self, files):
        features = subjects(3)[["dose", "age"]]
        with pytest.raises(InvalidInput, match=r"curves\.survival_at"):
            conformalized(files).predict_survival_function(features, times=[1])

    def test_features_need_names(self, files):
        def model(X):
            return [20.0], np.zeros((len(X), 1))

        table = subjects(50)
        model = ConformalSurvival(model, adjustment="time").conformalize(
            table[["dose"]].to_numpy(), table[["time", "event"]]
        )
        with pytest.raises(InvalidInput, match="does not know the names"):
            model.predict_quantile(files, [0.5])

    def test_batches_keep_their_columns(self):
        batch = pa.RecordBatch.from_pydict({"dose": [1], "note": [None]})
        columns = batches.Columns(["x"], ["dose"], lambda X: X.to_numpy(float))
        more = batches.with_columns(batch, columns)
        assert more.schema.types[:2] == batch.schema.types
        assert more.to_pydict() == {"dose": [1], "note": [None], "x": [1.0]}


class TestRefusals:
    def test_a_file_that_is_cut_off_is_named(self, files, tmp_path):
        whole = (files / "part-3.parquet").read_bytes()
        cut = tmp_path / "cut.parquet"
        cut.write_bytes(whole[: len(whole) // 2])
        for paths in ([files / "part-1.parquet", cut], [cut]):
            with pytest.raises(InvalidInput, match=r"cut\.parquet cannot be read as"):
                conformalized(paths)

    def test_damage_inside_a_file_is_named(self, files, tmp_path):
        whole = bytearray((files / "part-3.parquet").read_bytes())
        whole[4:6000] = b"\xff" * 5996
        bad = tmp_path / "bad.parquet"
        bad.write_bytes(whole)
        with pytest.raises(InvalidInput, match=r"bad\.parquet cannot be read as"):
            conformalized([files / "part-1.parquet", bad])

    def test_another_schema_is_named(self, files, tmp_path):
        first = files / "part-1.parquet"
        other = tmp_path / "other.parquet"
        subjects(9).astype({"dose": str}).to_parquet(other)
        with pytest.raises(
            InvalidInput, match=r"other\.parquet has another schema.*'dose' is"
        ):
            conformalized([first, other])
        subjects(9).drop(columns="age").to_parquet(other)
        with pytest.raises(
            InvalidInput, match=r"other\.parquet lacks the column 'age'"
        ):
            conformalized([first, other])

    def test_numbers_may_have_other_widths(self, files, tmp_path):
        other = tmp_path / "other.parquet"
        subjects(9).astype({"dose": "float32", "age": "int16"}).to_parquet(other)
        model = conformalized([files, other])
        assert model.n_conformal_ == 909

    @pytest.mark.parametrize("name", ["time", "event"])
    def test_nulls_are_named(self, files, tmp_path, name):
        bad = tmp_path / "bad.parquet"
        subjects(9).astype({name: "float64"}).replace(
            {name: {subjects(9)[name][4]: None}}
        ).to_parquet(bad)
        with pytest.raises(InvalidInput, match=rf"bad\.parquet: columns .*{name} has"):
            conformalized([files, bad])

    @pytest.mark.parametrize(
        ("X", "match"),
        [("no/*.parquet", "no file is called"), (["no.parquet"], "no file is called")],
    )
    def test_files_that_are_not_there(self, X, match):
        with pytest.raises(InvalidInput, match=match):
            conformalized(X)

    def test_missing_columns(self, files):
        model = ConformalSurvival(Optimist(), adjustment="time")
        with pytest.raises(InvalidInput, match="lacks the columns 'died'"):
            model.conformalize(files, time="time", event="died")
        with pytest.raises(InvalidInput, match="its outcomes are two of its columns"):
            model.conformalize(files, subjects(900)[["time", "event"]])
        with pytest.raises(InvalidInput, match="its outcomes are two of its columns"):
            model.conformalize(files)

    def test_nobody(self, tmp_path):
        subjects(9)[:0].to_parquet(tmp_path / "x.parquet")
        with pytest.raises(InvalidInput, match="n_samples = 0"):
            conformalized(tmp_path)

    def test_one_subject(self, tmp_path):
        subjects(9)[:1].assign(event=1).to_parquet(tmp_path / "x.parquet")
        with pytest.raises(InvalidInput, match="at least two"):
            conformalized(tmp_path, rule="margin")

    @pytest.mark.parametrize("rule", ["self-consistent", "local"])
    def test_rules_that_need_all_rows(self, files, rule):
        model = ConformalSurvival(Optimist(), adjustment="time", censoring=rule)
        with pytest.raises(InvalidInput, match="sees all rows at once"):
            model.conformalize(files, **NAMES)
        assert model.estimator.n_seen == 0

    def test_draws(self, files):
        with pytest.raises(InvalidInput, match="in memory only"):
            conformalized(files, rule="kaplan-meier", n_samples=10)

    def test_training(self, files):
        from consurv.models import WeibullAFT

        with pytest.raises(InvalidInput, match="fit trains on rows in memory"):
            ConformalSurvival(WeibullAFT()).fit(files, **NAMES)


class TestRowGroups:
    """A file may be one group of rows; it is read page by page all the same."""

    def test_are_not_held(self, tmp_path):
        rng = np.random.default_rng(0)
        names = [f"x{i}" for i in range(4)]
        table = pd.DataFrame(rng.normal(size=(1_000_000, 4)), columns=names)
        path = tmp_path / "one.parquet"
        table.to_parquet(path, row_group_size=len(table))
        before, most = pa.total_allocated_bytes(), 0
        source = frame_of(path)._source
        start = 0
        for _, batch in source.batches(names, 1 << 13):
            most = max(most, pa.total_allocated_bytes() - before)
            rows = table.iloc[start : start + batch.num_rows]
            assert_array_equal(batch.to_pandas().to_numpy(), rows.to_numpy())
            start += batch.num_rows
        assert start == len(table)
        assert most < 0.5 * table.memory_usage(index=False).sum()

    def test_of_a_part_of_a_file_are_all_that_is_read(self, tmp_path):
        table = pd.DataFrame({"x": np.arange(100.0)})
        table.to_parquet(tmp_path / "many.parquet", row_group_size=10)
        (whole,) = pads.dataset(tmp_path / "many.parquet").get_fragments()
        some = whole.subset(row_group_ids=[2, 5])
        known = pads.FileSystemDataset(
            [some], whole.physical_schema, whole.format, some.filesystem
        )
        found = [batch for _, batch in frame_of(known)._source.batches(["x"], 4)]
        rows = pa.Table.from_batches(found)["x"].to_pylist()
        assert rows == [*range(20, 30), *range(50, 60)]

    def test_of_other_types_become_those_of_the_first_file(self, tmp_path):
        for i, kind in enumerate(["float64", "float32", "int32"]):
            table = pd.DataFrame({"x": np.array([1, 2], kind)})
            table.to_parquet(tmp_path / f"{i}.parquet")
        source = frame_of(tmp_path)._source
        found = [batch for _, batch in source.batches(["x"], 4)]
        assert pa.Table.from_batches(found)["x"].to_pylist() == [1.0, 2.0] * 3
