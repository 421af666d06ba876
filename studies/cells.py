"""Cells of dataset, model and seed, each a file; a run goes on where it was."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from studies.files import write_atomically

__all__ = ["Cell", "Record", "cells_of", "path_of", "run_cells"]

Cell = tuple[str, str, int]
Record = Callable[[str, str, int], dict[str, Any]]


def cells_of(datasets: Sequence[str], models: Sequence[str], seeds: int) -> list[Cell]:
    """Return all cells, seed by seed: a run cut short has seen all pairs.

    Examples
    --------
    >>> cells_of(["A"], ["m", "n"], 2)[:3]
    [('A', 'm', 0), ('A', 'n', 0), ('A', 'm', 1)]
    """
    return [(d, m, seed) for seed in range(seeds) for d in datasets for m in models]


def path_of(folder: Path, dataset: str, model: str, seed: int) -> Path:
    """Return the file of a cell."""
    return folder / f"{dataset}-{model}-{seed}.json"


def run_cells(records: Mapping[Path, Record], cells: Sequence[Cell], jobs: int) -> None:
    """Write the records of cells that have none, and say how far it is.

    Parameters
    ----------
    records : dict
        What gives the records, by the folder that they are written to. A process asks
        for all that a cell lacks, one after the other.
    cells : sequence of (dataset, model, seed)
    jobs : int
        Processes.
    """
    missing = {
        cell: [out for out in records if not path_of(out, *cell).exists()]
        for cell in cells
    }
    missing = {cell: folders for cell, folders in missing.items() if folders}
    # Spawned: torch and threads do not like to be forked.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        futures = {
            pool.submit(_found, [records[out] for out in folders], cell): cell
            for cell, folders in missing.items()
        }
        for done, future in enumerate(as_completed(futures), 1):
            cell = futures[future]
            for out, found in zip(missing[cell], future.result(), strict=True):
                content = json.dumps(found).encode()
                write_atomically(path_of(out, *cell), content)
            if done % 10 == 0 or done == len(missing):
                sys.stderr.write(f"{done} of {len(missing)} cells\n")


def _found(records: Sequence[Record], cell: Cell) -> list[dict[str, Any]]:
    return [record(*cell) for record in records]
