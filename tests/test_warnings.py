"""Warnings name a line of the user, whatever stands between."""

import threading
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import consurv
from consurv import CalibrationWarning, Outcome, SurvivalCurves
from consurv._warnings import warn
from consurv.datasets import TableEncoder
from consurv.metrics import (
    brier_score,
    integrated_brier_score,
    make_scorer,
    one_calibration,
    uno_concordance_index,
)
from consurv.models import DeepHit

ROOT = Path(consurv.__file__).parent
Y = Outcome(time=[1, 2, 3, 4, 5, 6], event=[1, 1, 1, 1, 0, 1])
SHORT = Outcome(time=[1, 2, 3], event=[1, 0, 1])
CURVES = SurvivalCurves([8.0], np.linspace(0, 0.5, 6)[:, None])


class Known:
    def predict_survival_function(self, X):
        return CURVES


def encode_new_values():
    encoder = make_pipeline(FunctionTransformer(), TableEncoder())
    encoder.fit(pd.DataFrame({"sex": ["m", "f"]}), Y[:2])
    encoder.transform(pd.DataFrame({"sex": ["m", "x"]}))


def train_without_events_to_stop_by():
    X = np.arange(12.0).reshape(6, 2)
    censored = Outcome(time=Y.time, event=np.zeros(6))
    DeepHit(max_epochs=1, random_state=0).fit(X, Y, X_val=X, y_val=censored)


ENTRIES = {
    "a metric": lambda: brier_score(Y, CURVES, [1.0, 5.0], y_train=SHORT),
    "a metric with a grid": lambda: integrated_brier_score(Y, CURVES, y_train=SHORT),
    "a metric of pairs": lambda: uno_concordance_index(Y, CURVES, y_train=SHORT),
    "a metric at a time": lambda: one_calibration(
        Y, SurvivalCurves([8.0], [[0.2]] * 3 + [[0.3]] * 3), 2.0, n_groups=3
    ),
    "a scorer": lambda: make_scorer(integrated_brier_score, y_train=SHORT)(
        Known(), None, Y
    ),
    "a step of a pipeline": encode_new_values,
    "a deep model": train_without_events_to_stop_by,
    "a function object": partial(brier_score, Y, CURVES, [1.0, 5.0], y_train=SHORT),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_file_is_the_users(entry):
    with pytest.warns(CalibrationWarning) as caught:
        ENTRIES[entry]()
    assert {record.filename for record in caught} == {__file__}


def test_a_thread_of_its_own_has_no_line_of_the_user():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        thread = threading.Thread(target=warn, args=["few subjects"])
        thread.start()
        thread.join()
    assert Path(caught[0].filename).name == "threading.py"


def test_another_category_can_be_given():
    with pytest.warns(UserWarning, match="not scored") as caught:
        warn("not scored", UserWarning)
    assert caught[0].category is UserWarning


def test_no_file_counts_frames_by_hand():
    found = {
        path.relative_to(ROOT).parts[0]
        for path in ROOT.rglob("*.py")
        if "warnings.warn(" in path.read_text() and path.name != "_warnings.py"
    }
    assert found == set()
