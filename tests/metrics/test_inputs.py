"""The border that every metric shares."""

from __future__ import annotations

import numpy as np
import pytest

from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.metrics._inputs import check_events, check_inputs
from consurv.outcome import Outcome

CURVES = SurvivalCurves([1.0, 2.0], [[0.8, 0.4], [0.9, 0.1]])


class TestCheckInputs:
    def test_returns_the_outcomes_whatever_their_form(self):
        y = Outcome([1, 2], [1, 0])
        assert check_inputs(y, CURVES) is y
        assert check_inputs(y.to_structured(), CURVES) == y
        assert check_inputs((y.event, y.time), CURVES) == y

    def test_refuses_another_number_of_curves(self):
        with pytest.raises(InvalidInput, match="y has 3, curves has 2"):
            check_inputs(([1, 1, 0], [1, 2, 3]), CURVES)

    @pytest.mark.parametrize(
        ("curves", "said"),
        [
            (np.ones((2, 3)), r"got ndarray of shape \(2, 3\)"),
            (None, "got NoneType;"),
            (Outcome([1, 2], [1, 0]), r"got Outcome of shape \(2,\)"),
        ],
    )
    def test_refuses_what_is_no_curves_and_says_what_it_got(self, curves, said):
        with pytest.raises(InvalidInput, match=said):
            check_inputs(([1, 1], [1, 2]), curves)

    def test_the_message_ends_with_the_metrics_own_way_out(self):
        with pytest.raises(InvalidInput, match=r"from_frame of .* subjects; or dance$"):
            check_inputs(([1, 1], [1, 2]), None, instead="; or dance")

    def test_refuses_outcomes_without_an_event(self):
        with pytest.raises(InvalidInput, match="no event among its 2 subjects"):
            check_inputs(([0, 0], [1, 2]), CURVES)


class TestCheckEvents:
    def test_one_event_is_enough(self):
        check_events(Outcome([1, 2], [0, 1]))

    def test_no_event_is_refused(self):
        with pytest.raises(InvalidInput, match="coded as censoring"):
            check_events(Outcome([1, 2], [0, 0]))
