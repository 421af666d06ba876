"""Where a contestant is worse than the raw model, and how often it is better."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import stdtr

from consurv.metrics.registry import METRICS
from studies.statistics import holm

__all__ = ["corrected_p", "summarise"]

# Test rows over training rows, for the correction of the variance.
_RATIO = 1 / 9
_LEVEL = 0.05


def corrected_p(differences: Sequence[float], ratio: float = _RATIO) -> float:
    """Return the p-value of a paired t-test over splits that share training rows.

    The variance of the mean is (1/n + test/training)·s² (Nadeau and Bengio), since
    the training sets overlap and the splits are not independent.

    Examples
    --------
    >>> round(corrected_p([1.0, 2.0, 3.0, 2.5]), 3)
    0.026
    """
    d = np.asarray(differences, dtype=float)
    n = len(d)
    if n < 2:
        return 1.0
    spread = float(d.std(ddof=1))
    if spread == 0:
        return 1.0 if d.mean() == 0 else 0.0
    t = abs(float(d.mean())) / (spread * (1 / n + ratio) ** 0.5)
    return float(2 * stdtr(n - 1, -t))


def summarise(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for each contestant and metric.

    Parameters
    ----------
    records : sequence of dict
        With dataset, model, seed and scores by contestant.
    """
    cells: dict[tuple[str, str, str, str], list[tuple[float, float]]] = defaultdict(
        list
    )
    for record in records:
        raw = record["scores"]["raw"]
        for name, scores in record["scores"].items():
            if name == "raw":
                continue
            for metric in raw:
                pair = raw[metric], scores[metric]
                if np.isfinite(pair).all():
                    key = name, metric, record["dataset"], record["model"]
                    cells[key].append(pair)
    groups: dict[tuple[str, str], list[tuple[str, Any]]] = defaultdict(list)
    for (name, metric, dataset, model), pairs in cells.items():
        groups[name, metric].append((f"{dataset}/{model}", np.array(pairs)))
    return [_row(*key, found) for key, found in sorted(groups.items())]


def _row(name: str, metric: str, cells: list[tuple[str, Any]]) -> dict[str, Any]:
    sign = 1 if METRICS[metric].higher_is_better else -1
    gains = [sign * (pairs[:, 1] - pairs[:, 0]) for _, pairs in cells]
    means = np.array([gain.mean() for gain in gains])
    ps = [corrected_p(gain) for gain in gains]
    kept = [1.0 if p is None else p for p in holm(ps)]
    worse = [i for i in range(len(cells)) if means[i] < 0 and ps[i] < _LEVEL]
    share = [pairs[:, 1].mean() / pairs[:, 0].mean() - 1 for _, pairs in cells]
    return {
        "contestant": name,
        "metric": metric,
        "cells": len(cells),
        "better": int((means > 0).sum()),
        "significantly better": sum(
            m > 0 and p < _LEVEL for m, p in zip(means, ps, strict=True)
        ),
        "significantly worse": len(worse),
        "worse after Holm": sum(
            means[i] < 0 and kept[i] < _LEVEL for i in range(len(cells))
        ),
        "where worse": ", ".join(cells[i][0] for i in worse),
        "mean raw": float(np.mean([pairs[:, 0].mean() for _, pairs in cells])),
        "mean after": float(np.mean([pairs[:, 1].mean() for _, pairs in cells])),
        "largest relative rise": float(max(share)),
    }
