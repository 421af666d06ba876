import numpy as np
import pytest

from consurv.cli.scores import ScoresInParts
from consurv.curves import SurvivalCurves
from consurv.metrics import concordance_index, d_calibration, risk_calibration
from consurv.outcome import Outcome


class TestScoresInParts:
    @pytest.mark.parametrize("interpolation", ["linear", "step"])
    def test_are_those_of_all_curves_together(self, interpolation: str) -> None:
        rng = np.random.default_rng(0)
        times = np.linspace(1, 20, 15)
        survival = np.exp(-np.outer(rng.exponential(0.1, 60), times))
        curves = SurvivalCurves(times, survival, interpolation)
        y = Outcome(rng.exponential(10, 60), rng.random(60) < 0.6)
        parts = ScoresInParts(y)
        for rows in (slice(0, 10), slice(10, 45), slice(45, 60)):
            parts.add(curves[rows], y[rows])
        scores = parts.scores()
        assert scores.c_index == float(concordance_index(y, curves))
        expected = d_calibration(y, curves)
        np.testing.assert_allclose(scores.d_cal.histogram, expected.histogram)
        assert float(scores.d_cal) == pytest.approx(float(expected))
        assert scores.by_risk == risk_calibration(y, curves)

    def test_group_by_a_given_risk(self) -> None:
        rng = np.random.default_rng(0)
        curves = SurvivalCurves([10.0], rng.uniform(0, 0.9, (60, 1)))
        y, risk = Outcome(rng.exponential(10, 60), np.ones(60)), rng.random(60)
        parts = ScoresInParts(y)
        parts.add(curves, y)
        expected = risk_calibration(y, curves, risk=risk)
        assert parts.scores(risk).by_risk == expected
