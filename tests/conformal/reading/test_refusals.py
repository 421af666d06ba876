"""What cannot be read is refused with the way out."""

import numpy as np
import pytest

from consurv import ConformalSurvival, InvalidInput, Outcome, SurvivalCurves
from consurv.conformal.adjustments import register_adjustment
from consurv.conformal.adjustments.time import TimeAdjustment
from consurv.conformal.reading.curve_rows import CurveRows
from consurv.conformal.reading.inputs import read_levels

Y = Outcome(time=np.arange(1.0, 20), event=np.ones(19))
CURVES = SurvivalCurves([20.0], [[0.0]] * 19)


def test_times_of_a_table_in_memory_are_asked_of_its_curves():
    model = ConformalSurvival(lambda X: ([20.0], [[0.0]] * len(X)), adjustment="time")
    model.conformalize(np.zeros((19, 1)), Y)
    with pytest.raises(InvalidInput, match=r"curves\.survival_at\(times\)"):
        model.predict_survival_function(np.zeros((2, 1)), times=[1.0])


def test_more_levels_than_anyone_can_tell_apart():
    with pytest.raises(InvalidInput, match="more than 100,000"):
        read_levels(10**6)


def test_a_model_of_curves_that_was_loaded_knows_nobody():
    with pytest.raises(InvalidInput, match=r"give calibrate\(curves\)"):
        CurveRows().predict_survival_function(np.zeros((1, 1)))


def test_curves_of_two_parts_are_not_mixed():
    rows = CurveRows(CURVES, CURVES)
    assert len(rows.predict_survival_function(rows.numbers(1))) == 19
    with pytest.raises(InvalidInput, match="one part at a time"):
        rows.predict_survival_function(np.array([[0.0], [20.0]]))


def test_no_kind_of_adjustment_takes_the_name_of_the_default():
    class Auto(TimeAdjustment):
        kind = "auto"

    with pytest.raises(InvalidInput, match="the default's name"):
        register_adjustment(Auto)


def test_times_too_far_apart_for_a_cubic():
    with pytest.raises(InvalidInput, match="too far for pchip"):
        SurvivalCurves([1e-200, 1.0, 1e200], [[0.9, 0.5, 0.1]], "pchip")


def test_a_sparse_tensor_is_refused_with_the_call():
    torch = pytest.importorskip("torch")
    model = ConformalSurvival(lambda X: ([20.0], [[0.0]] * len(X)))
    with pytest.raises(InvalidInput, match=r"X\.to_dense\(\)"):
        model.conformalize(torch.zeros(19, 1).to_sparse(), Y)
