"""Spark: blocks are kept by Spark, a task that fails is tried again."""

from __future__ import annotations

import os
import shutil
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv import ConformalSurvival, InvalidInput
from consurv.distributed import frame_of
from tests.distributed.people import (
    Optimist,
    at_sites,
    numbers,
    repeated,
    subjects,
    weighted,
)

if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("no Java on this machine, which Spark needs", allow_module_level=True)
pytest.importorskip("pyspark")
from pyspark import cloudpickle

from consurv.distributed import spark_frame

NAMES = {"time": "time", "event": "event"}
# What Spark's own Python leaves to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    """Return the session of all tests: two tasks at a time, four tries each."""
    from pyspark.sql import SparkSession

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYSPARK_DRIVER_PYTHON", sys.executable)
        patch.setenv("PYTHONPATH", os.pathsep.join(p for p in sys.path if p))
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        settings = {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": "1g",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.shuffle.partitions": "3",
            "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
            "spark.local.dir": str(tmp_path_factory.mktemp("spark")),
        }
        builder = SparkSession.builder.master("local[2,4]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


@pytest.fixture(scope="module")
def there(spark):
    """Return 500 subjects in three partitions, one of them empty."""
    whole = spark.createDataFrame(subjects(500)).repartition(2, "id")
    none = spark.createDataFrame(subjects(500)).where("id < 0").coalesce(1)
    return whole.union(none)


def conformalized(X, kind="time", rule="auto", model=None):
    model = ConformalSurvival(model or Optimist(), adjustment=kind, censoring=rule)
    return model.conformalize(X, **NAMES)


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        ("time", "auto"),
        ("log-time", "auto"),
        ("log-time", "kaplan-meier"),
        ("level", "auto"),
        ("recalibrated", "auto"),
    ],
)
def test_the_numbers_are_those_of_memory(spark, there, kind, rule):
    before = spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch")
    here, found = (conformalized(X, kind, rule) for X in (subjects(500), there))
    scale = 1.0 if kind in ("log-time", "level") else subjects(500)["time"].max()
    assert_allclose(numbers(found), numbers(here), rtol=0, atol=1e-9 * scale)
    assert found.kaplan_meier_ == here.kaplan_meier_
    assert found.feature_names_in_.tolist() == ["dose", "age"]
    # Nothing of ours is left.
    assert spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch") == before
    assert not spark.sparkContext._jsc.getPersistentRDDs()


def test_rows_that_come_twice_count_twice(spark):
    table = repeated(subjects(200))
    there = conformalized(spark.createDataFrame(table).repartition(2, "id"))
    assert_allclose(numbers(there), numbers(conformalized(table)), atol=1e-9)
    assert there.n_conformal_ == len(table) == 300


def test_weights_are_a_column(spark):
    table = weighted(subjects(500))
    model = ConformalSurvival(Optimist(), adjustment="time", censoring="kaplan-meier")
    here, there = (
        numbers(model.conformalize(X, **NAMES, sample_weight="weight"))
        for X in (table, spark.createDataFrame(table).repartition(2, "id"))
    )
    assert_allclose(there, here, rtol=0, atol=1e-9 * table["time"].max())


@pytest.mark.filterwarnings("ignore::consurv.CalibrationWarning")
def test_groups_are_a_column(spark):
    table = at_sites(subjects(500))
    model = ConformalSurvival(Optimist(), adjustment="time", censoring="uncensored")
    here, there = (
        model.conformalize(X, **NAMES, groups="site").groups_
        for X in (table, spark.createDataFrame(table).repartition(2, "id"))
    )
    assert there.labels == here.labels
    assert there.sizes == here.sizes
    assert_allclose(there.weights, here.weights, rtol=1e-9)
    assert min(there.weights) < 1
    most = 1e-9 * table["time"].max()
    for found, wanted in zip(there.members, here.members, strict=True):
        assert (found is None) == (wanted is None)
        if wanted is not None:
            assert_allclose(found.shifts, wanted.shifts, rtol=0, atol=most)


def test_a_resolution_moves_times_on_the_executors(there):
    table = subjects(500)
    model = ConformalSurvival(Optimist(), adjustment="time", censoring="auto")
    moved = table.assign(time=2 * np.ceil(table["time"] / 2))
    here = numbers(model.conformalize(moved, **NAMES))
    found = model.conformalize(there, **NAMES, resolution=2)
    assert_allclose(numbers(found), here, rtol=0, atol=1e-9)
    assert len(found.kaplan_meier_.times) == moved["time"].nunique() < 60


def test_a_long_curve_travels_once(spark, monkeypatch):
    """Questions are small, however many different times there are."""
    sizes, curves, answers = [], [], spark_frame._answers

    def weigh(letter, curve):
        sizes.append(len(cloudpickle.dumps(answers(letter, curve))))
        curves.append(curve)
        return answers(letter, curve)

    monkeypatch.setattr(spark_frame, "_answers", weigh)
    table = subjects(20_000)
    found = conformalized(spark.createDataFrame(table).coalesce(2), rule="kaplan-meier")
    assert len(found.kaplan_meier_.times) > 19_000  # 480 kB
    assert len(sizes) > 3
    assert max(sizes) < 100_000
    assert len({id(curve) for curve in curves if curve is not None}) == 1
    here = conformalized(table, rule="kaplan-meier")
    most = 1e-9 * table["time"].max()
    assert_allclose(numbers(found), numbers(here), rtol=0, atol=most)


def test_without_a_context_the_curve_goes_with_each_question(spark, there, monkeypatch):
    """As where Spark is reached by Spark Connect."""
    monkeypatch.setattr(spark_frame, "_broadcast", lambda session, curve: None)
    found = conformalized(there, rule="kaplan-meier")
    here = conformalized(subjects(500), rule="kaplan-meier")
    assert_allclose(numbers(found), numbers(here), rtol=0, atol=1e-9)
    monkeypatch.undo()

    class Connected:
        @property
        def sparkContext(self):
            raise RuntimeError("[JVM_ATTRIBUTE_NOT_SUPPORTED]")

    assert spark_frame._broadcast(Connected(), here.kaplan_meier_) is None
    sent = spark_frame._broadcast(spark, here.kaplan_meier_)
    assert sent.value == here.kaplan_meier_
    sent.destroy()


def test_predictions_are_columns_beside_the_others(there):
    table = subjects(500)
    model = conformalized(table)
    before = model.estimator_.n_seen
    found = model.predict_quantile(there, [0.9, 0.5])
    assert type(found) is type(there)
    assert found.columns == [*table.columns, "t_at_0.9", "t_at_0.5"]
    assert model.estimator_.n_seen == before
    done = found.toPandas().sort_values("id").reset_index(drop=True)
    wanted = model.predict_quantile(table[["dose", "age"]], [0.9, 0.5])
    assert_array_equal(done[["t_at_0.9", "t_at_0.5"]], wanted)
    pd.testing.assert_frame_equal(done[table.columns.tolist()], table)


class Flaky(Optimist):
    """A model whose first two calls fail, in whatever process."""

    def __init__(self, folder):
        super().__init__()
        self.folder = str(folder)

    def predict_survival_function(self, X):
        tries = len(os.listdir(self.folder))
        with open(os.path.join(self.folder, f"{tries}-{len(X)}"), "x"):
            pass
        if tries < 2:
            raise RuntimeError("the machine was lost")
        return super().predict_survival_function(X)


def test_a_task_that_fails_twice_is_tried_again(spark, tmp_path):
    table = subjects(200)
    frame = spark.createDataFrame(table).coalesce(1)
    found = conformalized(frame, rule="uncensored", model=Flaky(tmp_path))
    # A few rows tell how long curves are; then all rows at once, and never again.
    assert sorted(os.listdir(tmp_path)) == ["0-4", "1-200", "2-4", "3-200"]
    here = conformalized(table, rule="uncensored")
    assert_allclose(numbers(found), numbers(here), atol=1e-9)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"time": None}, r"partition \d: columns .* time has"),
        ({"event": 2}, r"partition \d: columns .* event"),
    ],
)
def test_rows_that_are_refused_are_one_line(spark, change, match):
    table = subjects(40).astype({"time": object})
    for name, value in change.items():
        table.loc[7, name] = value
    frame = spark.createDataFrame(table.astype({"time": float})).coalesce(1)
    with pytest.raises(InvalidInput, match=match) as caught:
        conformalized(frame, rule="uncensored")
    assert "\n" not in str(caught.value)


def test_nobody(there):
    with pytest.raises(InvalidInput, match="n_samples = 0"):
        conformalized(there.where("id < 0"))


def test_columns_and_rules_are_looked_at_before_rows(there):
    with pytest.raises(InvalidInput, match="that the model was trained on 'age'"):
        conformalized(there.drop("age"))
    for rule in ("self-consistent", "local"):
        with pytest.raises(InvalidInput, match="in memory only"):
            conformalized(there, rule=rule)
    twice = there.select("*", there["dose"])
    with pytest.raises(InvalidInput, match="more than one column called 'dose'"):
        conformalized(twice)
    assert frame_of(there).names == subjects(1).columns.tolist()


def test_names_may_have_dots_and_quotes():
    assert spark_frame._quoted("ti`me.x") == "`ti``me.x`"
