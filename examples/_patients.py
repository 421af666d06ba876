"""What the paper's illustrations share: a model of PBC and four of its patients."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from consurv import ConformalSurvival, Outcome, SurvivalCurves
from consurv.datasets import TableEncoder, load_dataset
from consurv.models import make_model
from consurv.splits import split

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")
RAW, CSD, GREY = "#0072B2", "#E69F00", "#999999"


@dataclass(frozen=True)
class Case:
    """Training and test rows of PBC, and a Cox model before and after CSD."""

    train: tuple[Any, Outcome]
    test: tuple[Any, Outcome]
    model: ConformalSurvival
    raw: SurvivalCurves
    calibrated: SurvivalCurves

    @property
    def four(self) -> np.ndarray:
        """Four patients of the test set who died, from high risk to low."""
        died = np.flatnonzero(self.test[1].event)
        order = died[np.argsort(self.raw.median()[died])]
        return order[np.linspace(1, len(order) - 2, 4).astype(int)]


@lru_cache(maxsize=4)
def case(percentiles: int = 19, test_share: float = 0.4) -> Case:
    """Train on PBC, calibrate as the paper does and predict the test set."""
    data = load_dataset("PBC")
    kept, held = split(data.outcome, test_share, np.random.default_rng(0))
    encoder = TableEncoder().fit(data.X.iloc[kept])
    X = encoder.transform(data.X)
    train, test = ((X.iloc[rows], data.outcome[rows]) for rows in (kept, held))
    model = ConformalSurvival(
        make_model("coxph"),
        percentiles=percentiles,
        adjustment="time",
        censoring="kaplan-meier",
        conformal_set="paper",
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # low levels rest on few events here
        model.fit(*train)
        raw, calibrated = model.predict_both(test[0])
    return Case(train, test, model, raw, calibrated)


def grid(case: Case) -> np.ndarray:
    """Return times to draw curves at."""
    return np.linspace(0, float(case.test[1].time.max()), 300)
