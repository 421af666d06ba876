"""Cells of dataset, model and seed, each a file; a run goes on where it was."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from studies.files import write_atomically

__all__ = ["Cell", "cells_of", "path_of", "run_cells"]

Cell = tuple[str, str, int]


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


def run_cells(
    record: Callable[[str, str, int], dict[str, Any]],
    cells: Sequence[Cell],
    out: Path,
    jobs: int,
) -> None:
    """Write the records of cells that have none, and say how far it is."""
    missing = [cell for cell in cells if not path_of(out, *cell).exists()]
    # Spawned: torch and threads do not like to be forked.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        futures = {pool.submit(record, *cell): cell for cell in missing}
        for done, future in enumerate(as_completed(futures), 1):
            content = json.dumps(future.result()).encode()
            write_atomically(path_of(out, *futures[future]), content)
            if done % 10 == 0 or done == len(missing):
                sys.stderr.write(f"{done} of {len(missing)} cells\n")
