"""The recipe for serving, started as a user starts it and asked over HTTP."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from consurv import ConformalSurvival
from consurv.models import CoxPH

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("httpx")

from benchmarks.latency import kept_file, simulate
from benchmarks.serving import ask, serving


@pytest.fixture(scope="module")
def model():
    X, y = simulate(n=300, m=4)
    fitted = CoxPH().fit(X, y)
    return ConformalSurvival(fitted, adjustment="time").conformalize(X, y), X


@pytest.fixture(scope="module")
def client(model, tmp_path_factory):
    with serving(kept_file(model[0], tmp_path_factory.mktemp("served"))) as client:
        yield client


def test_a_thousand_answers_are_those_of_the_model(model, client):
    calibrated, X = model
    answers, seconds = ask(client, X.to_dict("records"), 1000)
    # One by one, as it is asked: sums of many rows may round differently.
    rows = (calibrated.predict_survival_function(X[i : i + 1]) for i in range(len(X)))
    expected = np.concatenate([row.percentile_times([0.9, 0.5, 0.1]) for row in rows])
    found = np.array([answer["times"][0] for answer in answers])
    assert_array_equal(found, expected[np.arange(1000) % len(X)])
    assert np.median(seconds) < 1


def test_a_row_that_lacks_a_feature_is_refused(model, client):
    row = model[1].iloc[0].to_dict()
    del row["x1"]
    answer = client.post("/predict", json={"rows": [row]})
    assert answer.status_code == 422
    assert answer.json()["detail"] == "row 0 lacks x1"


def test_what_cannot_be_predicted_is_refused_in_words(model, client):
    row = model[1].iloc[0].to_dict()
    text = client.post("/predict", json={"rows": [row | {"x1": "old"}]})
    assert text.status_code == 422
    assert "x1" in text.json()["detail"]
    levels = client.post("/predict", json={"rows": [row], "levels": [1.5]})
    assert levels.status_code == 422
    assert client.post("/predict", json={"rows": []}).status_code == 422


def test_it_says_what_it_is(client):
    assert client.get("/health").json() == {
        "adjustment": "time",
        "features": ["x0", "x1", "x2", "x3"],
    }


def test_several_rows_are_answered_in_their_order(model, client):
    calibrated, X = model
    body = {"rows": X[:3].to_dict("records"), "levels": [0.5]}
    times = client.post("/predict", json=body).json()["times"]
    medians = calibrated.predict_survival_function(pd.DataFrame(X[:3])).median()
    assert_array_equal(np.ravel(times), medians)
