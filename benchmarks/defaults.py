"""The training defaults of the deep models, chosen on validation loss alone.

``python -m benchmarks.defaults`` trains every deep model on the public datasets with
several weight decays, then with the best of them under a long patience. Test sets are
set aside and never looked at; the seeds are not those of the experiments. Started
again, it goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from benchmarks.cell import LARGE, PUBLIC, Cell, make_cell
from benchmarks.report import environment
from consurv import models
from consurv.datasets import load_dataset

__all__ = ["at_patience", "best_decay", "fit", "main", "own_decays", "regrets"]

MODELS = ("DeepSurv", "NMTLR", "DeepHit", "CoxTime", "CQRNN", "LogNormalNN")
WEIGHT_DECAYS = (0.0, 1e-4, 1e-3, 1e-2, 1e-1)
PATIENCE = 20
PATIENCES = (5, 10, 20, 50, 100)
SEEDS = (100, 101, 102)
RESULTS = Path(__file__).parent / "results"
CELL = ["dataset", "model", "seed"]


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train, write the fits and the tables, print the tables."""
    args = _parser().parse_args(arguments)
    torch.set_num_threads(1)
    args.output.mkdir(parents=True, exist_ok=True)
    content = _read(args.output)
    for cell in _cells(args.datasets, args.seeds, args.large_seeds):
        for model in args.models:
            for decay in args.weight_decays:
                _add(content["weight_decay"], cell, model, decay, PATIENCE)
            _write(content, args.output)
    fits = pd.DataFrame(content["weight_decay"])
    best, own = best_decay(fits), own_decays(fits)
    for cell in _cells(args.datasets, args.seeds[:1], 1):
        for model in args.models:
            decay = own.get(model, best)
            _add(content["patience"], cell, model, decay, max(PATIENCES))
            _write(content, args.output)
    print(_markdown(content))
    return content


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.defaults")
    parser.add_argument("--datasets", nargs="+", default=PUBLIC)
    parser.add_argument("--models", nargs="+", default=MODELS)
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    parser.add_argument("--weight-decays", nargs="+", type=float, default=WEIGHT_DECAYS)
    parser.add_argument("--large-seeds", type=int, default=1, help="seeds of SUPPORT")
    parser.add_argument("--output", type=Path, default=RESULTS)
    return parser


def _cells(
    datasets: Sequence[str], seeds: Sequence[int], n_large: int
) -> Iterator[Cell]:
    loaded = {name: load_dataset(name) for name in datasets}
    for i, seed in enumerate(seeds):
        for name, data in loaded.items():
            if name not in LARGE or i < n_large:
                yield make_cell(data, seed)


def _read(folder: Path) -> dict[str, Any]:
    """Return the fits of a run that was stopped, or none."""
    file = folder / "defaults.json"
    found = json.loads(file.read_text()) if file.exists() else {}
    about = environment() | {"torch": torch.__version__}
    return {"weight_decay": [], "patience": []} | found | {"environment": about}


def _add(
    fits: list[dict[str, Any]], cell: Cell, model: str, decay: float, patience: int
) -> None:
    """Train what is not yet among *fits*."""
    wanted = (cell.dataset, model, cell.seed, decay)
    if wanted not in {tuple(f[k] for k in (*CELL, "weight_decay")) for f in fits}:
        fits.append(fit(cell, model, decay, patience))


# -- one fit ------------------------------------------------------------------


def fit(cell: Cell, model: str, weight_decay: float, patience: int) -> dict[str, Any]:
    """Train one model; return its best validation loss and what it took.

    ``loss`` and ``epochs`` are given for each patience up to *patience*.
    """
    estimator = getattr(models, model)(
        weight_decay=weight_decay,
        patience=patience,
        random_state=cell.seed,
        device="cpu",
    )
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small validation sets without an event
        estimator.fit(*cell.train, *cell.validation)
    seconds = time.process_time() - start
    losses = estimator.history_.validation_loss
    stops = {p: at_patience(losses, p) for p in PATIENCES if p <= patience}
    entry = {
        "dataset": cell.dataset,
        "model": model,
        "seed": cell.seed,
        "weight_decay": weight_decay,
        "seconds": round(seconds, 3),
        "loss": {str(p): float(losses[best]) for p, (best, _) in stops.items()},
        "epochs": {str(p): epochs for p, (_, epochs) in stops.items()},
    }
    print(*entry.values(), flush=True)
    return entry


def at_patience(losses: NDArray[np.float64], patience: int) -> tuple[int, int]:
    """Return the best epoch and the number run if training stops by *patience*."""
    best = 0
    for epoch, loss in enumerate(losses):
        if loss < losses[best]:
            best = epoch
        if epoch - best >= patience:
            return best, epoch + 1
    return best, len(losses)


# -- what the fits say --------------------------------------------------------


def regrets(fits: pd.DataFrame) -> pd.DataFrame:
    """Return rank and standardised regret of each weight decay, per dataset and model.

    The rank is taken among the decays of one seed (1 is best) and averaged over seeds.
    The regret is how far the mean loss over seeds lies above the best decay's, as a
    share of the distance between the best and the worst: between 0 and 1.
    """
    losses = fits.assign(loss=[loss[str(PATIENCE)] for loss in fits["loss"]])
    losses["rank"] = losses.groupby(CELL)["loss"].rank()
    keys = ["dataset", "model", "weight_decay"]
    means = losses.groupby(keys, sort=False)[["rank", "loss"]].mean()
    within = means.groupby(["dataset", "model"])["loss"]
    low, high = within.transform("min"), within.transform("max")
    # One candidate, or none that matters: no regret.
    means["regret"] = ((means["loss"] - low) / (high - low)).fillna(0.0)
    return means.reset_index()


def own_decays(fits: pd.DataFrame) -> dict[str, float]:
    """Return the models with strong evidence for a weight decay of their own.

    It has a lower mean loss than each of the others on all datasets, or all but one.
    """
    losses = regrets(fits).pivot_table("loss", ["model", "dataset"], "weight_decay")
    found = {}
    for model, part in losses.groupby(level="model"):
        for decay in part.columns:
            wins = part.drop(columns=decay).gt(part[decay], axis=0).sum()
            if len(part) > 2 and wins.min() >= len(part) - 1:
                found[str(model)] = float(decay)
    return found


def best_decay(fits: pd.DataFrame) -> float:
    """Return the weight decay with the best mean rank, for models without their own."""
    table, own = regrets(fits), own_decays(fits)
    common = table[~table["model"].isin(own)]
    if common.empty:
        common = table
    return float(common.groupby("weight_decay")["rank"].mean().idxmin())


def _decay_tables(fits: pd.DataFrame) -> list[str]:
    table = regrets(fits)
    n_seeds = fits.groupby("dataset", sort=False)["seed"].nunique()
    said = ", ".join(f"{name} {n}" for name, n in n_seeds.items())
    lines = [f"Seeds: {said}. Patience {PATIENCE}."]
    for by in ("model", "dataset"):
        for value in ("rank", "regret"):
            wide = table.pivot_table(
                value, by, "weight_decay", margins=True, margins_name="mean", sort=False
            ).drop(columns="mean")
            lines += ["", f"**Mean {value} by {by}**", "", *_grid(wide, "{:.2f}")]
    return lines


def _patience_tables(fits: pd.DataFrame) -> list[str]:
    loss, epochs = (pd.DataFrame(list(fits[key])) for key in ("loss", "epochs"))
    # Losses differ in scale: what a longer patience gains is told in per cent.
    gain = 100 * (loss.sub(loss[str(max(PATIENCES))], axis=0)).div(loss.abs(), axis=0)
    model = fits["model"].rename("model")
    lines = []
    for title, values, form in (
        ("Loss above that of the longest patience, %, mean", gain, "{:.2f}"),
        ("Epochs run, mean", epochs, "{:.0f}"),
    ):
        wide = values.groupby(model, sort=False).mean()
        wide.loc["all"] = values.mean()
        lines += ["", f"**{title}, by patience**", "", *_grid(wide, form)]
    return lines


def _cost_table(fits: pd.DataFrame, best: float, own: dict[str, float]) -> list[str]:
    chosen = fits[fits["weight_decay"] == fits["model"].map(own).fillna(best)].copy()
    chosen["epochs"] = [epochs[str(PATIENCE)] for epochs in chosen["epochs"]]
    lines = []
    for title, value, form in (
        ("CPU seconds of a fit", "seconds", "{:.1f}"),
        ("Epochs of a fit", "epochs", "{:.0f}"),
    ):
        wide = chosen.pivot_table(value, "dataset", "model", sort=False)
        lines += ["", f"**{title} with these weight decays, mean over seeds**", ""]
        lines += _grid(wide, form)
    return lines


def _grid(table: pd.DataFrame, form: str) -> list[str]:
    head = ["", *(f"{c:g}" if isinstance(c, float) else str(c) for c in table.columns)]
    rows = [[str(name), *map(form.format, row)] for name, row in table.T.items()]
    return [f"| {' | '.join(r)} |" for r in (head, ["---"] * len(head), *rows)]


def _markdown(content: dict[str, Any]) -> str:
    about = content["environment"]
    fits = pd.DataFrame(content["weight_decay"])
    best, own = best_decay(fits), own_decays(fits)
    said = ", ".join(f"{m} {decay:g}" for m, decay in own.items()) or "none"
    lines = [
        f"{about['cpu']}, one thread, torch {about['torch']}, consurv "
        f"{about['consurv']}. Made by `python -m benchmarks.defaults`.",
        "",
        f"Models with strong evidence for a weight decay of their own: {said}. For the "
        f"others {best:g} has the best mean rank.",
        *_decay_tables(fits),
        *_cost_table(fits, best, own),
    ]
    if content["patience"]:
        lines += _patience_tables(pd.DataFrame(content["patience"]))
    return "\n".join(lines) + "\n"


def _write(content: dict[str, Any], folder: Path) -> None:
    (folder / "defaults.json").write_text(json.dumps(content, indent=1) + "\n")
    (folder / "defaults.md").write_text(_markdown(content))


if __name__ == "__main__":
    main()
