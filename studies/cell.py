"""One task: train or load a fit, evaluate the cells that share it, make records."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from time import perf_counter
from typing import Any

from consurv.errors import ConsurvError
from studies.environment import environment
from studies.evaluation import describe_error, evaluate_variant
from studies.fits import Fit, FitStore, fit_fingerprint, pack, train, unpack
from studies.grid import Cell, Task
from studies.limits import OutOfTime, one_thread, time_limit
from studies.predictions import Predictions
from studies.protocol import Split, split_rows
from studies.records import FORMAT, VERSION, Record
from studies.sources import load_source

__all__ = ["failed_record", "run_task"]

Keep = Callable[[Record], Any]


def run_task(task: Task, fits: FitStore, keep: Keep) -> list[str]:
    """Run the cells of a task and hand each record over as soon as it is made.

    An error ends up in the records and nowhere else.

    Parameters
    ----------
    task : Task
    fits : FitStore
        Where the fit may be found and is kept.
    keep : callable
        Takes a record.

    Returns
    -------
    list of str
        What a user should know, such as a stored fit that was corrupt.

    Raises
    ------
    ConsurvError
        If the rows of the dataset are not here, or not those that were planned with.
    """
    notes: list[str] = []
    _check_rows(task)
    task.fit.make(None)  # brings its libraries along before threads are bounded
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # evaluation keeps those that matter
        start = perf_counter()
        try:
            with time_limit(task.cells[0].time_limit):
                split, fit, reused = _prepare(task, fits, notes)
        except (Exception, OutOfTime) as error:
            for cell in task.cells:
                keep(failed_record(cell, error, perf_counter() - start))
            return notes
        if not reused:
            _save(task, fit, fits, notes)
        predictions = Predictions(
            fit.model,
            split,
            [v for cell in task.cells for v in cell.variants],
            task.fit.causes,
        )
        for cell in task.cells:
            keep(_run_cell(cell, fit, reused, predictions, perf_counter() - start))
            start, reused = perf_counter(), True
    return notes


def _check_rows(task: Task) -> None:
    if load_source(task.dataset).digest != task.digest:
        raise ConsurvError(
            f"the rows of {task.dataset} here are not those of the machine that "
            "planned the run; give both the same files in CONSURV_DATA"
        )


def _prepare(task: Task, fits: FitStore, notes: list[str]) -> tuple[Split, Fit, bool]:
    named, dataset, seed = task.fit, task.dataset, task.seed
    split = split_rows(dataset, seed, named.holds_out, named.stratify)
    content = fits.load(dataset, named.key, seed)
    if content is not None:
        try:
            mark = fit_fingerprint(named, dataset, seed)
            n_features = split.train[0].shape[1]
            fit = unpack(content, mark, named.make(seed), n_features)
        except ValueError as error:
            notes.append(
                f"the stored fit {dataset}/{named.key}/{seed} is corrupt: {error}; "
                "trained anew"
            )
        else:
            if fit is not None:
                return split, fit, True
    return split, train(named, split, seed), False


def _save(task: Task, fit: Fit, fits: FitStore, notes: list[str]) -> None:
    named, dataset, seed = task.fit, task.dataset, task.seed
    content = pack(fit, fit_fingerprint(named, dataset, seed))
    if content is None:
        return
    try:
        fits.save(dataset, named.key, seed, content)
    except OSError as error:  # the records matter more
        notes.append(f"the fit {dataset}/{named.key}/{seed} is not stored: {error}")


def _run_cell(
    cell: Cell, fit: Fit, reused: bool, predictions: Predictions, before: float
) -> Record:
    """Return the record of a cell; *before* are the seconds spent on its fit."""
    start = perf_counter()
    record = _record(cell)
    record["data"].update(_counts(predictions.split))
    record["fit"] = {
        "seconds": fit.seconds,
        "n_epochs": fit.n_epochs,
        "reused": reused,
        "peak_memory": fit.peak_memory,
    }
    try:
        with time_limit(max(cell.time_limit - before, 1.0)):
            for variant in cell.variants:
                record["variants"].append(
                    evaluate_variant(predictions, variant, cell.seed, cell.study)
                )
    except OutOfTime as error:
        return failed_record(cell, error, before + perf_counter() - start)
    raw = record["variants"][0]
    if raw["status"] != "done":
        record.update(status="failed", error=raw["error"])
    _put_time(record, before + perf_counter() - start)
    return record


def failed_record(cell: Cell, error: BaseException, seconds: float) -> Record:
    """Return the record of a cell that came to nothing."""
    record = _record(cell)
    if isinstance(error, OutOfTime):
        message = f"the cell took more than its {cell.time_limit:g} seconds"
        described = {"type": "OutOfTime", "message": message}
        record.update(status="timeout", error=described)
    else:
        record.update(status="failed", error=describe_error(error))
    _put_time(record, seconds)
    return record


def _put_time(record: Record, seconds: float) -> None:
    started = datetime.now(UTC) - timedelta(seconds=seconds)
    record.update(started=started.isoformat(timespec="seconds"), seconds=seconds)


def _record(cell: Cell) -> Record:
    return {
        "format": FORMAT,
        "version": VERSION,
        "study": cell.study,
        "dataset": cell.dataset,
        "model": cell.fit.key,
        "label": cell.fit.label,
        "seed": cell.seed,
        "asked": cell.asked,
        "time_limit": cell.time_limit,
        "status": "done",
        "error": None,
        "data": _facts(cell.dataset),
        "settings": {
            **cell.fit.settings,
            "validation": cell.fit.takes_validation,
            **cell.fit.causes.marks,
        },
        "fit": None,
        "variants": [],
        "environment": environment(),
        "started": None,
        "seconds": None,
    }


def _facts(dataset: str) -> dict[str, Any]:
    source = load_source(dataset)
    n = len(source.y)
    return {
        "n": n,
        "n_features": source.X.shape[1],
        "censored": 1 - source.y.n_events / n,
        "t_max": float(source.y.time.max()),
        "size": source.size,
        "simulated": source.simulated,
    }


def _counts(split: Split) -> dict[str, Any]:
    held = split.validation
    return {
        "n_train": len(split.train[1]),
        "n_validation": 0 if held is None else len(held[1]),
        "n_test": len(split.test[1]),
        "n_encoded": split.train[0].shape[1],
    }
