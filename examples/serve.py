"""Serve a saved model over HTTP.

    consurv calibrate train.csv new.csv --time time --event event --out curves.csv \
        --save m.consurv
    CONSURV_MODEL=m.consurv uvicorn --factory examples.serve:make_app

    curl -s localhost:8000/predict -H 'content-type: application/json' \
        -d '{"rows": [{"age": 62, "sex": "f"}], "levels": [0.9, 0.5, 0.1]}'

The model is loaded once. Keys of a row may come in any order; a row that lacks one is
refused with its name.
"""

from __future__ import annotations

import os
from typing import Any

import pandas as pd
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, Field

from consurv import ConformalSurvival, InvalidInput, load


class Question(BaseModel):
    """Rows of features by name, and the survival levels to give times of."""

    rows: list[dict[str, float | int | str | bool | None]] = Field(min_length=1)
    levels: list[float] = [0.9, 0.5, 0.1]


class Answer(BaseModel):
    """Times (rows x levels) at which survival falls to each level."""

    levels: list[float]
    times: list[list[float | None]]


def make_app(path: str | None = None) -> FastAPI:
    """Return the application around one model."""
    model = load(path or os.environ["CONSURV_MODEL"])
    app = FastAPI(title="Calibrated survival")

    @app.get("/health")
    def health() -> dict[str, Any]:
        return {"adjustment": model.adjustment_.kind, "features": _names(model)}

    # Not async: predictions run in threads and do not keep others waiting.
    @app.post("/predict")
    def predict(question: Question) -> Answer:
        X = _table(model, question)
        try:
            times = model.predict_survival_function(X).percentile_times(question.levels)
        except (InvalidInput, ValueError) as error:
            raise HTTPException(422, str(error)) from error
        # JSON has no infinity: a survival that never falls so far is null.
        finite = [[t if t < float("inf") else None for t in row] for row in times]
        return Answer(levels=question.levels, times=finite)

    return app


def _names(model: ConformalSurvival) -> list[str]:
    return [str(name) for name in model.feature_names_in_]


def _table(model: ConformalSurvival, question: Question) -> pd.DataFrame:
    names = _names(model)
    for i, row in enumerate(question.rows):
        lacking = [name for name in names if name not in row]
        if lacking:
            raise HTTPException(422, f"row {i} lacks {', '.join(lacking)}")
    return pd.DataFrame(question.rows, columns=names)
