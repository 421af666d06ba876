"""Train by ``xgboost.spark``, calibrate and predict where the rows are.

    python examples/xgboost_spark.py predictions/

XGBoost's Cox loss needs all rows at once; events as Poisson counts in the time that
each patient was watched have log hazard ratios, too, and add up over workers. A sample
makes the baseline, and rows that the booster never saw set the adjustment. They stay in
Spark: summaries come back, and what was read off the curves of a few thousand.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np
from _made_up import FEATURES, patients
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sql
from xgboost.spark import SparkXGBRegressor

from consurv import ConformalSurvival, Outcome
from consurv.models import FromRisk


def session() -> SparkSession:
    """Return Spark on two cores of this machine, which nobody else can reach."""
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    builder: Any = SparkSession.builder.master("local[2,4]")
    for name, value in {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
    }.items():
        builder = builder.config(name, value)
    found: SparkSession = builder.getOrCreate()
    return found


def trained(frame: DataFrame) -> FromRisk:
    """Return a booster of hazards with a baseline, which a sample is enough for."""
    trees = SparkXGBRegressor(
        features_col=FEATURES,
        label_col="died",
        base_margin_col="watched",
        objective="count:poisson",
        n_estimators=60,
        max_depth=3,
        learning_rate=0.1,
        num_workers=2,
    )
    watched = frame.withColumn("watched", sql.log(frame["months"]))
    booster = trees.fit(watched).get_booster()
    booster.feature_names = FEATURES
    sample = frame.limit(2000).toPandas()
    y = Outcome(time=sample["months"], event=sample["died"])
    return FromRisk(booster).fit(sample[FEATURES], y)


def main(out: str, n: int = 4000) -> ConformalSurvival:
    """Train, calibrate, and write quantiles of new patients as Parquet files."""
    spark = session()
    train, fresh, new = (spark.createDataFrame(patients(n, seed)) for seed in range(3))
    model = ConformalSurvival(trained(train))
    model.conformalize(fresh, time="months", event="died")
    levels = np.array([0.9, 0.5, 0.1])
    model.predict_quantile(new.select(FEATURES), levels).write.parquet(out)
    return model


if __name__ == "__main__":
    sys.stdout.write(f"{main(sys.argv[1]).adjustment_}\n")
