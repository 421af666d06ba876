"""Train by ``xgboost.dask``, calibrate and predict where the rows are.

    python examples/xgboost_dask.py predictions/

Two workers on this machine stand for a cluster. The booster is trained on one part of
the rows; the other part, which it never saw, sets the adjustment. No features are
brought together: the workers answer questions with summaries, and tell what was read
off the curves of a few thousand.
"""

from __future__ import annotations

import sys
from typing import Any

import dask.dataframe as dd
import numpy as np
import xgboost
from _made_up import FEATURES, patients
from distributed import Client, LocalCluster
from xgboost import dask as dxgb

from consurv import ConformalSurvival


def trained(client: Client, frame: Any) -> xgboost.Booster:
    """Return a booster of accelerated failure times."""
    upper = frame["months"].where(frame["died"] == 1, np.inf)
    rows = dxgb.DaskDMatrix(
        client,
        frame[FEATURES],
        label_lower_bound=frame["months"],
        label_upper_bound=upper,
    )
    settings = {
        "objective": "survival:aft",
        "aft_loss_distribution_scale": 0.7,
        "max_depth": 3,
        "learning_rate": 0.1,
    }
    found: xgboost.Booster = dxgb.train(client, settings, rows, 60)["booster"]
    return found


def main(out: str, n: int = 4000) -> ConformalSurvival:
    """Train, calibrate, and write quantiles of new patients as Parquet files."""
    local = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, **local) as cluster,
        Client(cluster) as client,
    ):
        train, fresh, new = (
            dd.from_pandas(patients(n, seed), npartitions=4) for seed in range(3)
        )
        booster = trained(client, train)
        model = ConformalSurvival(booster)
        model.conformalize(fresh, time="months", event="died")
        predicted = model.predict_quantile(new[FEATURES], [0.9, 0.5, 0.1])
        predicted.to_parquet(out)
    return model


if __name__ == "__main__":
    sys.stdout.write(f"{main(sys.argv[1]).adjustment_}\n")
