"""Subjects, a fitted model, and parts of tables."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

TIMES = np.linspace(0.1, 80, 60)


class Optimist:
    """A fitted model whose times are a fifth too long; it counts the rows it sees."""

    feature_names_in_ = ("dose", "age")

    def __init__(self):
        self.n_seen = 0

    def predict_survival_function(self, X):
        assert list(X.columns) == ["dose", "age"]
        self.n_seen += len(X)
        scale = 12 * np.exp(X["dose"].to_numpy(float))[:, None]
        return TIMES, np.exp(-((TIMES / scale) ** 1.2))


def subjects(n, seed=0, *, whole=False):
    rng = np.random.default_rng(seed)
    dose = rng.normal(0, 0.5, n)
    true, limit = 10 * np.exp(dose) * rng.weibull(1.5, n), rng.exponential(14, n)
    time = np.minimum(true, limit)
    return pd.DataFrame(
        {
            "id": np.arange(n),
            "dose": dose,
            "age": rng.integers(40, 90, n),
            "time": np.ceil(time) if whole else time,
            "event": (true <= limit).astype(int),
        }
    )


def numbers(model):
    """Return what was found; for kinds that are no list of numbers, what they do."""
    found = next(iter(model.adjustment_.attributes().values()))
    if isinstance(found, np.ndarray):
        return found
    some = subjects(40, seed=9)[["dose", "age"]]
    return model.predict_survival_function(some).percentile_times(model.levels_).ravel()


def parts(table, sizes_from=0, n=5):
    """Return rows in random order in parts of random sizes, some of them empty."""
    rng = np.random.default_rng(sizes_from)
    table = table.iloc[rng.permutation(len(table))]
    cuts = np.sort(rng.integers(0, len(table), n - 1))
    cuts[:1] = 0
    return [table.iloc[a:b] for a, b in pairwise([0, *cuts, len(table)])]


def repeated(table):
    """Return a table with half of its rows twice, all under one name."""
    table = pd.concat([table, table[: len(table) // 2]])
    return table.set_index(pd.Index(np.zeros(len(table), dtype=int)))


def weighted(table, seed=0):
    """Return a table with a column of weights, some of them 0."""
    rng = np.random.default_rng(seed)
    return table.assign(weight=rng.integers(0, 4, len(table)) * 0.7)


def at_sites(table, seed=0):
    """Return a table with three sites; at two of them the model is wrong otherwise."""
    rng = np.random.default_rng(seed)
    site = rng.choice(["north", "south", "east"], len(table), p=[0.5, 0.4, 0.1])
    stretch = pd.Series(site).map({"north": 0.8, "south": 2.0, "east": 1.0})
    return table.assign(site=site, time=table["time"] * stretch.to_numpy())
