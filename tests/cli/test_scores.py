import numpy as np
import pytest

from consurv.cli.scores import ScoresInParts
from consurv.curves import SurvivalCurves
from consurv.metrics import concordance_index, d_calibration
from consurv.outcome import Outcome


class TestScoresInParts:
    @pytest.mark.parametrize("interpolation", ["linear", "step"])
    def test_are_those_of_all_curves_together(self, interpolation: str) -> None:
        rng = np.random.default_rng(0)
        times = np.linspace(1, 20, 15)
        survival = np.exp(-np.outer(rng.exponential(0.1, 60), times))
        curves = SurvivalCurves(times, survival, interpolation)
        y = Outcome(rng.exponential(10, 60), rng.random(60) < 0.6)
        parts = ScoresInParts()
        for rows in (slice(0, 10), slice(10, 45), slice(45, 60)):
            parts.add(curves[rows], y[rows])
        scores = parts.scores(y)
        assert scores.c_index == float(concordance_index(y, curves))
        expected = d_calibration(y, curves)
        np.testing.assert_allclose(scores.d_cal.histogram, expected.histogram)
        assert float(scores.d_cal) == pytest.approx(float(expected))
