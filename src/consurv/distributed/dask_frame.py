"""Dask DataFrames: blocks stay with the workers, on disk; summaries merge there."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, TypeVar

import dask
import pandas as pd

from consurv._checks import Float
from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import Partitions
from consurv.conformal.reading.elsewhere import BlockReader, Columns
from consurv.distributed.asked import Asked, Letter
from consurv.distributed.dask_schema import check_partition, name_partition
from consurv.distributed.frame import BLOCK_ROWS, Frame, merge_all, nobody
from consurv.distributed.heap import keeping_memory
from consurv.distributed.spill import Store
from consurv.errors import ConsurvError

__all__ = ["FRAME", "DaskFrame"]

S = TypeVar("S")
# Summaries that one task merges.
_TOGETHER = 8
# Seconds after which we look whether all workers are there.
_PATIENCE = 1.0


class DaskFrame(Frame):
    """A Dask DataFrame, on a cluster or on the threads of this process.

    Parameters
    ----------
    X : dask DataFrame

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> DaskFrame(dd.from_pandas(pd.DataFrame({"a": [1.0]}), npartitions=1)).names
    ['a']
    """

    def __init__(self, X: Any) -> None:
        self._frame = X
        self.names = list(X.columns)

    @contextmanager
    def subjects(self, read: BlockReader, *, verbose: bool) -> Iterator[Partitions]:
        """Give the rows as blocks that stay with the workers as long as the context."""
        wanted = self._frame[read.names]
        reader = dask.delayed((read, wanted._meta), pure=False, traverse=False)
        stored = dask.delayed(_stored, pure=False)
        tables = enumerate(wanted.to_delayed())
        made = [stored(reader, table, i) for i, table in tables]
        yield _OnWorkers(read.levels, made, partial(self._explain, wanted._meta))

    def _explain(self, meta: pd.DataFrame, cluster: _Cluster) -> None:
        """Name a partition that is the reason why something went wrong."""
        name_partition(self._frame.to_delayed(), meta, cluster.compute)

    def with_columns(self, columns: Columns) -> Any:
        """Return a Dask DataFrame; rows are predicted when it is computed."""
        meta = self._frame._meta
        like = meta.assign(**{name: pd.Series(dtype=float) for name in columns.names})
        return self._frame.map_partitions(_predicted, columns, meta=like)


class _OnWorkers(Asked):
    """Blocks as tasks, of whom the cluster keeps the results and can make them anew."""

    def __init__(
        self, levels: Float, made: list[Any], explain: Callable[[_Cluster], None]
    ) -> None:
        super().__init__(levels)
        self._made, self._explain = made, explain
        self._kept: Any = None
        self._curve: Any = None
        self._cluster = _Cluster()

    @property
    def n_parts(self) -> int:  # type: ignore[override]
        """About the number of blocks: a long partition is several."""
        return max(len(self._made), -(-self.n // BLOCK_ROWS))

    def _send(self, letter: Letter[S]) -> S:
        try:
            return self._sent(letter)
        except ConsurvError:
            raise
        except Exception:
            # Dask tells neither which partition nor, as a rule, which column it is.
            with _clearly():
                self._explain(self._cluster)
            raise

    def _sent(self, letter: Letter[S]) -> S:
        kept = self._blocks()
        with _clearly():
            # The curve is there already.
            light = replace(letter, reference=None)
            asked = dask.delayed(light, pure=False, traverse=False)
            answer = dask.delayed(_answer, pure=False)
            merged = dask.delayed(_merged, pure=False)

            def ask(homes: list[str | None]) -> Any:
                found = []
                for block, home in zip(kept, homes, strict=True):
                    with dask.annotate(workers=home) if home else nullcontext():
                        found.append(answer(asked, self._curve, block))
                return _tree(found, merged)

            summary: S | None = self._cluster.compute_beside(kept, ask)
        if summary is None:
            raise nobody()
        return summary

    def _blocks(self) -> Any:
        if self._kept is None:
            with _clearly():
                self._kept = self._cluster.persist(self._made)
        return self._kept

    def _referring_to(self, curve: Any, member: bool | None) -> Any:
        self._blocks()  # those with and without a curve share them
        referred: Any = super()._referring_to(curve, member)
        with _clearly():
            told = dask.delayed(referred._reference, pure=False, traverse=False)
            # It may be long, and travels once, not with every question.
            (referred._curve,) = kept = self._cluster.persist([told])
            # A worker that pauses before it has taken the curve would never do so.
            self._cluster.wait(kept)
        return referred


class _Cluster:
    """The cluster that was there at the beginning, or else threads; never another."""

    def __init__(self) -> None:
        self._client: Any = None
        try:
            from distributed import default_client

            self._client = default_client()  # type: ignore[no-untyped-call]
        except (ImportError, ValueError):  # there is none
            pass

    def persist(self, tasks: list[Any]) -> Any:
        """Begin with tasks whose results stay where they are made."""
        return self._client.persist(tasks) if self._client else dask.persist(*tasks)

    def wait(self, kept: list[Any]) -> None:
        """Wait for what is persisted."""
        if self._client is not None:
            from distributed import futures_of, wait

            wait(futures_of(kept))  # type: ignore[no-untyped-call]

    def compute(self, task: Any) -> Any:
        """Return the result of a task."""
        if self._client is None:
            return dask.compute(task)[0]
        return self._client.compute(task).result()

    def compute_beside(
        self, kept: list[Any], ask: Callable[[list[str | None]], Any]
    ) -> Any:
        """Return the result of tasks that stay with what is kept.

        A worker with nothing to do would take them over, and the rows through memory.

        Parameters
        ----------
        kept : list of Delayed
            Persisted.
        ask : callable
            Makes the task of the addresses where they are, None if that is open.
        """
        if self._client is None:
            return self.compute(ask([None] * len(kept)))
        while True:
            homes = self._homes(kept)
            future = self._client.compute(ask(homes))
            try:
                return self._result(future, {home for home in homes if home})
            except _WorkerLostError:  # what it had kept is made anew or fetched
                future.cancel()

    def _homes(self, kept: list[Any]) -> list[str | None]:
        """Return who has each of them and takes tasks; None where nobody does."""
        self.wait(kept)
        known, running = self._client.who_has(kept), self._running()
        found = ([at for at in known.get(one.key, ()) if at in running] for one in kept)
        return [at[0] if at else None for at in found]

    def _running(self) -> set[str]:
        """Return the addresses of all workers that take tasks; some may be paused."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        return {at for at, worker in workers.items() if worker["status"] == "running"}

    def _result(self, future: Any, needed: set[str]) -> Any:
        while True:
            try:
                return future.result(timeout=_PATIENCE)
            except TimeoutError:
                if future.done():  # meanwhile, or with such an error of its own
                    return future.result()
                # A task that is bound to a worker waits for ever once that has gone.
                if not needed <= self._running():
                    raise _WorkerLostError from None


class _WorkerLostError(Exception):
    """A worker that had something to do is not there any more, or has paused."""


def _tree(parts: list[Any], merged: Callable[..., Any]) -> Any:
    while len(parts) > 1:
        groups = range(0, len(parts), _TOGETHER)
        parts = [merged(parts[i : i + _TOGETHER]) for i in groups]
    return parts[0]


def _stored(
    reader: tuple[BlockReader, pd.DataFrame], table: pd.DataFrame, number: int
) -> Store | None:
    """Return the blocks of one partition; what is refused names it."""
    read, meta = reader
    check_partition(table, meta, number)

    def blocks() -> Iterator[Block]:
        for start in range(0, len(table), BLOCK_ROWS):
            place = f"partition {number}" + (f", rows from {start} on" if start else "")
            try:
                block = read(table.iloc[start : start + BLOCK_ROWS])
            except ConsurvError as error:
                raise type(error)(f"{place}: {error}") from error
            if block is not None:
                yield block

    store = Store(blocks, _own_folder)
    try:
        with keeping_memory():
            return store if store.facts() else None
    except OSError as error:
        raise ConsurvError(
            f"partition {number} cannot be written to {_own_folder() or 'disk'}, where "
            f"its rows wait for questions: {error}"
        ) from error


def _own_folder() -> str | None:
    """Return that of this worker, which Dask clears away if the worker cannot."""
    try:
        from distributed import Worker, get_worker
    except ImportError:
        return None
    try:
        folder: str = get_worker().local_directory
    except ValueError:  # not in a task: a copy has come in, or there is no worker
        # Those of workers that have closed are gone.
        known = (str(worker.local_directory) for worker in Worker._instances)
        return next(filter(os.path.isdir, known), None)
    return folder


def _answer(letter: Letter[Any], curve: Any, store: Store | None) -> Any:
    told = replace(letter, reference=curve)
    with keeping_memory():
        return _merged(() if store is None else map(told.answer, store))


def _merged(summaries: Iterable[Any]) -> Any:
    """Return the summary of all who are there; None of nobody."""
    found = (summary for summary in summaries if summary is not None)
    first = next(found, None)
    return None if first is None else merge_all(chain([first], found))


def _predicted(table: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    values = columns(table)
    new = dict(zip(columns.names, values.T, strict=True))
    return table.assign(**new)


@contextmanager
def _clearly() -> Iterator[None]:
    """Say in one line that the cluster has gone."""
    lost: tuple[type[BaseException], ...] = (
        CancelledError,
        asyncio.CancelledError,
        TimeoutError,
        OSError,
    )
    try:
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError, FuturesCancelledError

        lost += (KilledWorker, FutureCancelledError, FuturesCancelledError)
    except ImportError:  # no cluster at all
        pass
    try:
        yield
    except lost as error:
        first = next(iter(str(error).strip().splitlines()), "")
        raise ConsurvError(
            "the Dask cluster lost the work before it was done, and nothing was "
            f"changed; conformalize again. It said: {type(error).__name__}: {first}"
        ) from error


FRAME = DaskFrame
