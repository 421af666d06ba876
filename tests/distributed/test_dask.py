"""Dask: blocks stay on the workers; who is killed is made anew."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import time
from contextlib import ExitStack
from pathlib import Path

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster, Status
from numpy.testing import assert_allclose, assert_array_equal

from consurv import ConformalSurvival, ConsurvError, InvalidInput
from consurv.distributed import dask_frame, frame_of
from tests.distributed.cluster import cluster_apart
from tests.distributed.people import (
    Optimist,
    at_sites,
    numbers,
    parts,
    repeated,
    subjects,
    weighted,
)

NAMES = {"time": "time", "event": "event"}
LOCAL = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "memory_limit": 0}
# Sockets of a cluster that goes down are closed when they are collected.
pytestmark = [
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def conformalized(X, kind="time", rule="auto", **settings):
    model = ConformalSurvival(Optimist(), adjustment=kind, censoring=rule, **settings)
    return model.conformalize(X, **NAMES)


def frame(tables):
    """Return a Dask DataFrame whose partitions are these tables."""
    return dd.from_delayed([dask.delayed(t) for t in tables], meta=tables[0][:0])


@pytest.fixture(scope="module")
def client():
    """Return that of workers in this process: they start at once."""
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", **LOCAL
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        ("time", "uncensored"),
        ("time", "kaplan-meier"),
        ("time", "auto"),
        ("log-time", "auto"),
        ("log-time", "kaplan-meier"),
        ("level", "auto"),
        ("level", "uniform"),
        ("recalibrated", "auto"),
    ],
)
def test_the_numbers_are_those_of_memory(client, kind, rule):
    table = subjects(900)
    here, there = (
        conformalized(X, kind, rule) for X in (table, frame(parts(table, 1, n=11)))
    )
    scale = 1.0 if kind in ("log-time", "level") else table["time"].max()
    assert_allclose(numbers(there), numbers(here), rtol=0, atol=1e-9 * scale)
    assert there.kaplan_meier_ == here.kaplan_meier_
    assert there.feature_names_in_.tolist() == ["dose", "age"]


@pytest.mark.parametrize(
    ("kind", "rule"),
    [("time", "kaplan-meier"), ("time", "auto"), ("recalibrated", "auto")],
)
def test_weights_are_a_column(client, kind, rule):
    table = weighted(subjects(900))
    model = ConformalSurvival(Optimist(), adjustment=kind, censoring=rule)
    here, there = (
        numbers(model.conformalize(X, **NAMES, sample_weight="weight"))
        for X in (table, frame(parts(table, 1, n=11)))
    )
    assert_allclose(there, here, rtol=0, atol=1e-9 * table["time"].max())


@pytest.mark.filterwarnings("ignore::consurv.CalibrationWarning")
@pytest.mark.parametrize("pooling", ["partial", "none"])
def test_groups_are_a_column(client, pooling):
    table = at_sites(subjects(900))
    model = ConformalSurvival(
        Optimist(), adjustment="time", censoring="auto", group_pooling=pooling
    )
    here, there = (
        model.conformalize(X, **NAMES, groups="site").groups_
        for X in (table, frame(parts(table, 1, n=11)))
    )
    assert there.labels == here.labels
    assert there.sizes == here.sizes
    assert_allclose(there.weights, here.weights, rtol=1e-9)
    most = 1e-9 * table["time"].max()
    for found, wanted in zip(there.members, here.members, strict=True):
        assert_allclose(found.shifts, wanted.shifts, rtol=0, atol=most)


@pytest.mark.parametrize("kind", ["time", "log-time"])
def test_a_resolution_moves_times_on_the_workers(client, kind):
    table = subjects(900)
    model = ConformalSurvival(Optimist(), adjustment=kind, censoring="auto")
    moved = table.assign(time=2 * np.ceil(table["time"] / 2))
    here = numbers(model.conformalize(moved, **NAMES))
    there = model.conformalize(frame(parts(table)), **NAMES, resolution=2)
    assert_allclose(numbers(there), here, rtol=0, atol=1e-9)
    assert len(there.kaplan_meier_.times) == moved["time"].nunique() < 60


def test_rows_are_predicted_once_and_stay_on_the_workers(client):
    table, sent = subjects(600), []

    class Watched(dask_frame._OnWorkers):
        def _send(self, letter):
            answer = super()._send(letter)
            sent.append((self.rounds, self._kept))
            return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dask_frame, "_OnWorkers", Watched)
        conformalized(frame(parts(table)), rule="kaplan-meier")
    assert 2 <= len(sent) <= 8
    assert [rounds for rounds, _ in sent] == list(range(1, len(sent) + 1))
    assert len({id(kept) for _, kept in sent}) == 1


def test_rows_wait_on_disk_in_the_folders_of_the_workers(client, monkeypatch):
    monkeypatch.setattr(dask_frame, "BLOCK_ROWS", 40)
    homes = client.run(lambda dask_worker: dask_worker.local_directory)
    send, found = dask_frame._OnWorkers._send, []

    def folders():
        return {folder for home in homes.values() for folder in Path(home).iterdir()}

    # Rows of an earlier test go when Python collects what has asked for them.
    earlier = folders()

    def blocks():
        found = []
        for folder in folders() - earlier:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                found += list(folder.iterdir())  # it may go meanwhile
        return [path for path in found if path.parent.name.startswith("consurv-")]

    def watched(self, letter):
        answer = send(self, letter)
        found.append(sum("reading" in path.name for path in blocks()))
        return answer

    monkeypatch.setattr(dask_frame._OnWorkers, "_send", watched)
    table = subjects(600)
    there = conformalized(
        frame([table[i : i + 100] for i in range(0, 600, 100)]), rule="kaplan-meier"
    )
    here = conformalized(table, rule="kaplan-meier")
    assert_allclose(numbers(there), numbers(here), rtol=0, atol=1e-9 * 60)
    # Three blocks in each partition, and no copy of any.
    assert found == [18] * len(found)
    until = time.monotonic() + 60
    while blocks() and time.monotonic() < until:
        time.sleep(0.05)
    assert blocks() == []


def test_a_worker_with_nothing_to_do_takes_no_rows_over(monkeypatch):
    """They would travel through its memory."""
    sent, taken = [], []
    send, answer = dask_frame._OnWorkers._send, dask_frame._answer
    pickled = dask_frame.Store.__reduce__
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, protocol="tcp", **LOCAL
        ) as cluster,
        Client(cluster) as client,
    ):

        def send_with_help(self, letter):
            summary = send(self, letter)
            sent.append(letter)
            if len(sent) == 1:
                cluster.scale(2)
                client.wait_for_workers(2)
            return summary

        def slowly(*asked):
            time.sleep(0.1)
            return answer(*asked)

        def watched(self):
            taken.append(self)
            return pickled(self)

        monkeypatch.setattr(dask_frame._OnWorkers, "_send", send_with_help)
        monkeypatch.setattr(dask_frame, "_answer", slowly)
        monkeypatch.setattr(dask_frame.Store, "__reduce__", watched)
        conformalized(frame(parts(subjects(400), n=12)), rule="kaplan-meier")
    assert len(sent) > 2
    assert not taken


def test_a_worker_that_pauses_is_not_waited_for(monkeypatch):
    """One that is short of memory takes no tasks; others fetch what it has."""
    table, sent = subjects(400), []
    send = dask_frame._OnWorkers._send
    with (
        dask.config.set({"distributed.worker.memory.pause": False}),  # by us alone
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", **LOCAL
        ) as cluster,
        Client(cluster) as client,
    ):
        first = cluster.workers[0]

        def pause(dask_worker):
            dask_worker.status = Status.paused

        def send_and_pause(self, letter):
            if len(sent) == 1:
                client.run(pause, workers=[first.address])
            sent.append(letter)
            return send(self, letter)

        monkeypatch.setattr(dask_frame._OnWorkers, "_send", send_and_pause)
        there = conformalized(frame(parts(table, n=6)), rule="kaplan-meier")
        assert first.status is Status.paused
    assert len(sent) > 2
    here = conformalized(table, rule="kaplan-meier")
    assert_allclose(numbers(there), numbers(here), atol=1e-9)


def test_refused_rows_of_a_long_partition_are_found(client, monkeypatch):
    monkeypatch.setattr(dask_frame, "BLOCK_ROWS", 40)
    table = subjects(200)
    table.loc[table.index[190], "time"] = -1.0
    with pytest.raises(InvalidInput, match=r"partition 1, rows from 80 on: .* row 10"):
        conformalized(frame([table[:100], table[100:]]))


def test_folders_of_workers_that_have_closed_are_not_used():
    """A process may have had several; a copy would be sent again for ever."""
    with LocalCluster(n_workers=1, processes=False, protocol="tcp", **LOCAL) as cluster:
        closed = cluster.workers[0]
        assert dask_frame._own_folder() is not None
    assert closed in type(closed)._instances
    assert dask_frame._own_folder() != closed.local_directory


def test_a_disk_that_cannot_be_written_to_is_named(client, monkeypatch, tmp_path):
    monkeypatch.setattr(dask_frame, "_own_folder", lambda: str(tmp_path / "gone"))
    with pytest.raises(ConsurvError, match=r"partition 0 cannot be written to .*gone"):
        conformalized(frame([subjects(100)]))


def test_a_long_curve_travels_once(client, monkeypatch):
    """Questions are small, however many different times there are."""
    sizes, compute = [], Client.compute

    def weigh(self, task):
        graph = [len(pickle.dumps(part)) for part in task.dask.values()]
        sizes.append(max(graph))
        return compute(self, task)

    monkeypatch.setattr(Client, "compute", weigh)
    table = subjects(20_000)
    there = conformalized(frame(parts(table, n=3)), rule="kaplan-meier")
    assert len(there.kaplan_meier_.times) > 19_000  # 480 kB
    assert len(sizes) > 3
    assert max(sizes) < 100_000


def test_without_a_cluster_threads_do_it():
    table = subjects(300)
    with dask.config.set(scheduler="threads"):
        there = conformalized(frame(parts(table)))
    assert_allclose(numbers(there), numbers(conformalized(table)), atol=1e-9)


class TestPredictions:
    def test_are_columns_beside_the_others(self, client):
        table = subjects(300)
        model, there = conformalized(table), frame(parts(table))
        found = model.predict_quantile(there, [0.9, 0.5])
        assert isinstance(found, dd.DataFrame)
        assert found.columns.tolist() == [*table.columns, "t_at_0.9", "t_at_0.5"]
        assert found.npartitions == there.npartitions
        done = found.compute().sort_values("id")
        wanted = model.predict_quantile(table[["dose", "age"]], [0.9, 0.5])
        assert_array_equal(done[["t_at_0.9", "t_at_0.5"]], wanted)
        pd.testing.assert_frame_equal(
            done[table.columns].reset_index(drop=True), table.reset_index(drop=True)
        )

    def test_are_made_when_they_are_asked_for(self):
        table = subjects(90)
        model = conformalized(table)
        before = model.estimator_.n_seen
        found = model.predict_survival_function(frame(parts(table)), times=[5])
        assert model.estimator_.n_seen == before
        assert found.columns.tolist()[-1] == "survival_at_5"
        with dask.config.set(scheduler="sync"):
            done = found.compute().sort_values("id")
        wanted = model.predict_survival_function(table[["dose", "age"]])
        assert_array_equal(done["survival_at_5"], wanted.survival_at([5.0])[:, 0])


class TestRefusals:
    @pytest.mark.parametrize(
        ("change", "match"),
        [
            ({"time": None}, "partition 3: columns .* time has .* NaN"),
            ({"time": -1.0}, "partition 3: columns .* values <= 0"),
            ({"event": None}, "partition 3: columns .* event has"),
            ({"event": 2}, "partition 3: columns .* event"),
        ],
    )
    def test_a_partition_is_named(self, client, change, match):
        tables = parts(subjects(200))
        tables[3] = tables[3].assign(
            **{
                n: pd.Series(
                    [v] * len(tables[3]), tables[3].index, float if v is None else None
                )
                for n, v in change.items()
            }
        )
        with pytest.raises(InvalidInput, match=match):
            conformalized(frame(tables))

    @pytest.mark.parametrize("verify", [True, False])
    @pytest.mark.parametrize(
        ("change", "match"),
        [
            (lambda t: t.rename(columns={"dose": "Dose"}), "lacks the column 'dose'"),
            (lambda t: t.assign(dose="high"), "its column 'dose' is (object|str)"),
        ],
    )
    def test_another_schema_in_one_partition(self, client, change, match, verify):
        tables = parts(subjects(200))
        tables[2] = change(tables[2])
        there = dd.from_delayed(
            [dask.delayed(t) for t in tables], meta=tables[0][:0], verify_meta=verify
        )
        with pytest.raises(InvalidInput, match=f"partition 2.* {match}"):
            conformalized(there)

    def test_numbers_may_have_fewer_bits(self, client):
        tables = parts(subjects(200))
        tables[2] = tables[2].assign(age=tables[2]["age"].astype("int16"))
        there = dd.from_delayed(
            [dask.delayed(t) for t in tables], meta=tables[0][:0], verify_meta=False
        )
        found = numbers(conformalized(there))
        assert_allclose(found, numbers(conformalized(subjects(200))), atol=1e-9)

    def test_an_error_that_has_another_reason_is_left_alone(self, client):
        class Moody(Optimist):
            def predict_survival_function(self, X):
                raise RuntimeError("not today")

        model = ConformalSurvival(Moody(), adjustment="time")
        with pytest.raises(RuntimeError, match="not today"):
            model.conformalize(frame(parts(subjects(90))), **NAMES)

    def test_nobody(self, client):
        with pytest.raises(InvalidInput, match="n_samples = 0"):
            conformalized(frame([subjects(9)[:0]] * 3))

    def test_missing_columns(self):
        there = frame([subjects(9).drop(columns="age")])
        with pytest.raises(InvalidInput, match="that the model was trained on 'age'"):
            conformalized(there)

    @pytest.mark.parametrize("rule", ["self-consistent", "local"])
    def test_rules_that_need_all_rows(self, rule):
        with pytest.raises(InvalidInput, match="in memory only"):
            conformalized(frame([subjects(20)]), rule=rule)


def test_names_come_from_the_frame():
    assert frame_of(frame([subjects(2)])).names == list(subjects(1).columns)


def newest_of_two(cluster, killed):
    """The process that started last, once a nanny has replaced those before."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        nannies = list(cluster.workers.values())
        pids = {n.process.pid for n in nannies if n.process} - {None, *killed}
        if len(pids) == 2:
            return max(pids)
        time.sleep(0.01)
    raise TimeoutError(f"the cluster has {len(pids)} of 2 workers")


def test_a_worker_killed_in_every_round_changes_nothing(monkeypatch):
    """Before a round or in the middle of it: its blocks are made anew."""
    table, killed = subjects(400), []
    send = dask_frame._OnWorkers._send
    with (
        # By default a task is given up that was there at four deaths.
        dask.config.set({"distributed.scheduler.allowed-failures": 99}),
        LocalCluster(n_workers=2, threads_per_worker=1, **LOCAL) as cluster,
        Client(cluster) as client,
    ):

        def strike(pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

        def send_and_kill(self, letter):
            pid, late = newest_of_two(cluster, killed), 0.03 * (len(killed) % 3)
            client.loop.call_later(late, strike, pid)
            killed.append(pid)
            return send(self, letter)

        monkeypatch.setattr(dask_frame._OnWorkers, "_send", send_and_kill)
        there = conformalized(frame(parts(table)), rule="kaplan-meier")
    assert len(killed) == len(set(killed)) >= 3
    here = conformalized(table, rule="kaplan-meier")
    assert_allclose(numbers(there), numbers(here), atol=1e-9)


def test_a_scheduler_that_is_gone_is_one_line(monkeypatch):
    send, sent = dask_frame._OnWorkers._send, []
    with (
        cluster_apart() as (address, kill),
        # Whatever other tests ask for, this one does not wait for long.
        dask.config.set({"distributed.comm.timeouts.connect": "2s"}),
    ):
        client = Client(address)

        def send_and_kill(self, letter):
            sent.append(letter)
            if len(sent) == 2:
                kill()
                time.sleep(0.2)
            return send(self, letter)

        monkeypatch.setattr(dask_frame._OnWorkers, "_send", send_and_kill)
        with (
            client.as_current(),
            pytest.raises(ConsurvError, match="the Dask cluster lost the work"),
        ):
            conformalized(frame(parts(subjects(200))))
        client.close(timeout=1)


@pytest.mark.parametrize("struck", [1, 2])
def test_a_scheduler_that_comes_back_at_its_address(monkeypatch, struck):
    """Before the first question nothing is lost; later it is said, and that is all."""
    send, sent = dask_frame._OnWorkers._send, []
    table = subjects(200)
    with ExitStack() as clusters:
        address, kill = clusters.enter_context(cluster_apart())
        client = Client(address)

        def send_and_replace(self, letter):
            sent.append(letter)
            if len(sent) == struck:
                kill()
                port = int(address.rsplit(":")[-1])
                clusters.enter_context(cluster_apart(port))
            return send(self, letter)

        monkeypatch.setattr(dask_frame._OnWorkers, "_send", send_and_replace)
        model = ConformalSurvival(
            Optimist(), adjustment="time", censoring="kaplan-meier"
        )
        there = frame(parts(table))
        with client.as_current():
            if struck > 1:
                with pytest.raises(
                    ConsurvError, match=r"lost the work .* again"
                ) as lost:
                    model.conformalize(there, **NAMES)
                assert "\n" not in str(lost.value)
                assert not hasattr(model, "adjustment_")
            model.conformalize(there, **NAMES)
        client.close(timeout=1)
    here = conformalized(table, rule="kaplan-meier")
    assert_allclose(numbers(model), numbers(here), atol=1e-9)


def test_rows_that_come_twice_count_twice(client):
    table = repeated(subjects(300))
    there = conformalized(frame(parts(table)))
    assert_allclose(numbers(there), numbers(conformalized(table)), atol=1e-9)
    assert there.n_conformal_ == len(table) == 450


def test_summaries_merge_on_the_workers():
    """The driver gets one summary, whatever the number of partitions."""
    merged = []

    def watch(some):
        merged.append(len(some))
        return some[0]

    assert dask_frame._tree(list(range(100)), watch) == 0
    assert max(merged) <= 8
    assert np.sum(merged) == 100 + 13 + 2
