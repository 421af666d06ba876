"""Test C-index of our models against the peers' own, on the public datasets.

``python -m benchmarks.peers_models`` trains both sides on the same rows, encoded
alike, with the same settings, and writes ``results/models.json`` and ``models.md``.
Started again, it goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from scipy import stats
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.cell import LARGE, PUBLIC, SMALL, Cell, Part, make_cell
from benchmarks.pycox_models import PYCOX, train_pycox
from benchmarks.report import environment
from consurv import Outcome, SurvivalCurves, models
from consurv.adapters import adapter_for
from consurv.datasets import load_dataset
from consurv.metrics import concordance_index

__all__ = ["PAIRS", "compare", "main", "summary"]

RESULTS = Path(__file__).parent / "results"
# The fewer test subjects, the more seeds it takes to see a difference.
SEEDS = dict.fromkeys(PUBLIC, 10) | dict.fromkeys(SMALL, 30) | dict.fromkeys(LARGE, 3)
# With 7,399 features scikit-survival's boosting takes most of a minute.
FEWER_SEEDS = {("DLBCL", "GradientBoosting"): 10}
LIMIT = 0.02  # how much lower than the peer's our mean C-index may be
KEYS = ["dataset", "seed", "model", "peer"]
Peer = Callable[[Cell], SurvivalCurves]


def main(arguments: Sequence[str] | None = None) -> pd.DataFrame:
    """Compare what is not compared yet, write and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers_models")
    parser.add_argument("--datasets", nargs="+", default=PUBLIC)
    parser.add_argument("--seeds", type=int, help="by default more for small datasets")
    parser.add_argument("--output", type=Path, default=RESULTS)
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    args.output.mkdir(parents=True, exist_ok=True)
    file = args.output / "models.json"
    entries = json.loads(file.read_text())["entries"] if file.exists() else []
    for cell in _cells(args.datasets, args.seeds):
        for entry in compare(cell, entries, _pairs_of(cell)):
            entries.append(entry)
            print(*entry.values(), flush=True)
            _write(entries, args.output)
    print(_markdown(pd.DataFrame(entries)))
    return pd.DataFrame(entries)


def _cells(datasets: Sequence[str], n_seeds: int | None) -> Iterator[Cell]:
    for name in datasets:
        data = load_dataset(name)
        for seed in range(n_seeds or SEEDS[name]):
            yield make_cell(data, seed)


def _pairs_of(cell: Cell) -> dict[str, dict[str, Peer]]:
    return {
        model: peers
        for model, peers in PAIRS.items()
        if cell.seed < FEWER_SEEDS.get((cell.dataset, model), np.inf)
    }


# -- both sides ---------------------------------------------------------------


def compare(
    cell: Cell,
    known: Sequence[Mapping[str, Any]] = (),
    pairs: Mapping[str, Mapping[str, Peer]] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the C-index of both sides for every pair that is not *known*.

    A side that fails has None and the error.
    """
    done = {tuple(entry[key] for key in KEYS) for entry in known}
    for model, peers in (PAIRS if pairs is None else pairs).items():
        new = {
            peer: curves
            for peer, curves in peers.items()
            if (cell.dataset, cell.seed, model, peer) not in done
        }
        if not new:
            continue
        ours = _scored(cell, lambda cell, name=model: _ours(name, cell))
        for peer, curves in new.items():
            key = [cell.dataset, cell.seed, model, peer]
            theirs = _scored(cell, curves)
            yield dict(zip(KEYS, key, strict=True)) | {
                "ours": ours[0],
                "theirs": theirs[0],
                "error": ours[1] or theirs[1],
            }


def _scored(cell: Cell, curves: Peer) -> tuple[float | None, str | None]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return float(concordance_index(cell.test[1], curves(cell))), None
    except Exception as error:  # whatever a peer raises is an answer too
        return None, f"{type(error).__name__}: {str(error).splitlines()[0][:80]}"


def _ours(name: str, cell: Cell) -> SurvivalCurves:
    kind = getattr(models, name)
    if kind.uses_validation:
        model = kind(random_state=cell.seed, device="cpu")
        model.fit(*cell.train, *cell.validation)
    else:
        model = kind().fit(*_all_training(cell))
    curves: SurvivalCurves = model.predict_survival_function(cell.test[0])
    return curves


def _all_training(cell: Cell) -> Part:
    """Return the training and the validation set, for who needs no validation."""
    (X, y), (X_val, y_val) = cell.train, cell.validation
    time = np.concatenate([y.time, y_val.time])
    event = np.concatenate([y.event, y_val.event])
    return np.concatenate([X, X_val]), Outcome(time, event)


# -- the peers ----------------------------------------------------------------


def _pycox(name: str, cell: Cell) -> SurvivalCurves:
    own = getattr(models, name)()
    curves = train_pycox(
        name,
        cell.train,
        cell.validation,
        epochs=own.max_epochs,
        patience=own.patience,
        weight_decay=own.weight_decay,
        seed=cell.seed,
    )
    assert curves is not None
    return curves(cell.test[0])


def _fitted(estimator: Any, cell: Cell) -> SurvivalCurves:
    """Train a lifelines or scikit-survival estimator and return its curves."""
    adapter = adapter_for(estimator)
    X, y = _all_training(cell)
    model = adapter.fit(estimator, X.astype(float), y)
    return adapter.curves(model, cell.test[0].astype(float))


def _by_newton(estimator: Any, cell: Cell) -> SurvivalCurves:
    if cell.train[0].shape[1] > len(cell.train[1]):
        raise ValueError("more features than subjects, not tried")
    return _fitted(estimator, cell)


def _lifelines_cox(cell: Cell) -> SurvivalCurves:
    from lifelines import CoxPHFitter

    return _by_newton(CoxPHFitter(penalizer=0.01), cell)


def _lifelines_weibull(cell: Cell) -> SurvivalCurves:
    from lifelines import WeibullAFTFitter

    return _by_newton(WeibullAFTFitter(penalizer=0.01), cell)


def _sksurv_cox(cell: Cell) -> SurvivalCurves:
    from sksurv.linear_model import CoxPHSurvivalAnalysis

    # Its penalty is not divided by the number of subjects, and features are taken as
    # they are: binary ones are standardised first.
    n = len(cell.train[1]) + len(cell.validation[1])
    scaled = make_pipeline(StandardScaler(), CoxPHSurvivalAnalysis(alpha=0.01 * n))
    return _by_newton(scaled, cell)


def _sksurv_boosting(cell: Cell) -> SurvivalCurves:
    from sksurv.ensemble import ComponentwiseGradientBoostingSurvivalAnalysis

    return _fitted(ComponentwiseGradientBoostingSurvivalAnalysis(), cell)


PAIRS: dict[str, dict[str, Peer]] = {
    "WeibullAFT": {"lifelines WeibullAFTFitter": _lifelines_weibull},
    "CoxPH": {
        "lifelines CoxPHFitter": _lifelines_cox,
        "scikit-survival CoxPHSurvivalAnalysis": _sksurv_cox,
    },
    "GradientBoosting": {
        "scikit-survival ComponentwiseGradientBoosting": _sksurv_boosting
    },
    **{
        name: {f"pycox {theirs}": lambda cell, name=name: _pycox(name, cell)}
        for name, theirs in zip(
            PYCOX, ("CoxPH", "MTLR", "DeepHitSingle", "CoxTime"), strict=True
        )
    },
}


# -- what comes out -----------------------------------------------------------


def summary(entries: pd.DataFrame) -> pd.DataFrame:
    """Return per pair and dataset both means, the mean difference and its 95 % CI."""
    rows = []
    for key, group in entries.groupby(["model", "peer", "dataset"], sort=False):
        both = group.dropna(subset=["ours", "theirs"])
        gap = (both["ours"] - both["theirs"]).astype(float)
        n = len(gap)
        spread = float(stats.sem(gap) * stats.t.ppf(0.975, n - 1)) if n > 1 else np.nan
        rows.append(
            {
                **dict(zip(("model", "peer", "dataset"), key, strict=True)),
                "seeds": n,
                "ours": both["ours"].mean(),
                "theirs": both["theirs"].mean(),
                "difference": gap.mean(),
                "ci": spread,
                "verdict": _verdict(gap.mean(), spread, group),
            }
        )
    return pd.DataFrame(rows)


def _verdict(mean: float, spread: float, group: pd.DataFrame) -> str:
    if not np.isfinite(mean):
        return f"no pair: {group['error'].iloc[0]}"
    if mean >= -LIMIT:
        return "met"
    inside = mean + spread >= 0
    return f"missed by {-LIMIT - mean:.3f}" + (", CI holds 0" if inside else "")


def _markdown(entries: pd.DataFrame) -> str:
    about = environment()
    lines = [
        f"{about['cpu']}, one thread, torch {torch.__version__}, consurv "
        f"{about['consurv']}. Made by `python -m benchmarks.peers_models`.",
        "",
        "Test C-index, mean over seeds; the difference is ours − theirs with its 95 % "
        f"confidence interval. Target: not lower by more than {LIMIT}.",
    ]
    table = summary(entries)
    for (model, peer), part in table.groupby(["model", "peer"], sort=False):
        head = ["dataset", "seeds", "ours", "theirs", "difference", "target"]
        lines += ["", f"**{model} against {peer}**", "", _line(head)]
        lines += [_line(["---"] * len(head)), *map(_row, part.to_dict("records"))]
    return "\n".join(lines) + "\n"


def _row(row: dict[Any, Any]) -> str:
    if not row["seeds"]:
        return _line([row["dataset"], "0", "", "", "", row["verdict"]])
    gap = f"{row['difference']:+.4f} ± {row['ci']:.4f}"
    scores = [f"{row[side]:.4f}" for side in ("ours", "theirs")]
    return _line([row["dataset"], str(row["seeds"]), *scores, gap, row["verdict"]])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _write(entries: list[dict[str, Any]], folder: Path) -> None:
    about = environment() | {"torch": torch.__version__}
    content = {"environment": about, "entries": entries}
    (folder / "models.json").write_text(json.dumps(content, indent=1) + "\n")
    (folder / "models.md").write_text(_markdown(pd.DataFrame(entries)))


if __name__ == "__main__":
    main()
