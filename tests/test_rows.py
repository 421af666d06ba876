"""Row numbers in messages are those of the user's table."""

import numpy as np
import pandas as pd
import pytest

from consurv import ConformalSurvival, Outcome
from consurv.errors import InvalidInput

ROWS = 5000  # more than are predicted at once


def test_curves_of_a_late_chunk_are_named_by_their_row() -> None:
    def model(X: pd.DataFrame) -> tuple[list[float], np.ndarray]:
        return [1.0, 2.0], np.c_[X["x"], np.full(len(X), 0.2)]

    X = pd.DataFrame({"x": np.full(ROWS, 0.5)})
    y = Outcome(time=np.arange(1, ROWS + 1), event=np.ones(ROWS))
    post = ConformalSurvival(model, adjustment="time").conformalize(X, y)
    X.loc[4321, "x"] = 1.5
    with pytest.raises(InvalidInput, match=r"the first at row 4321, column 0: 1\.5"):
        post.predict_survival_function(X)
