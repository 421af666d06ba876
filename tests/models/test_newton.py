import numpy as np
import pytest
from numpy.testing import assert_allclose

from consurv.errors import ConsurvError
from consurv.models import newton
from consurv.models.newton import minimise


def double_well(x):
    """Two minima at ±1, and between them a hill."""
    return float(np.sum((x**2 - 1) ** 2)), 4 * x * (x**2 - 1)


def curvature(x):
    return np.diag(12 * x**2 - 4)


class TestMinimise:
    def test_leaves_a_hill(self):
        found = minimise(double_well, curvature, np.array([0.1, -0.2]), "it")
        assert_allclose(found, [1, -1], atol=1e-6)

    def test_halves_steps_that_lead_too_far(self):
        """Full steps of Newton's method on arctan's area run away from 2."""

        def value(x):
            area = x * np.arctan(x) - np.log(1 + x**2) / 2
            return float(area.sum()), np.arctan(x)

        found = minimise(
            value, lambda x: np.diag(1 / (1 + x**2)), np.array([9.0]), "it"
        )
        assert_allclose(found, 0, atol=1e-6)

    def test_does_not_care_for_units(self):
        units = np.array([1e-8, 1.0, 1e8])

        def value(x):
            return float(np.cosh(x / units - 1).sum()), np.sinh(x / units - 1) / units

        def hessian(x):
            return np.diag(np.cosh(x / units - 1) / units**2)

        assert_allclose(minimise(value, hessian, np.zeros(3), "it"), units)

    def test_leaves_a_parameter_that_does_nothing(self):
        found = minimise(
            lambda x: (float(np.cosh(x[0])), np.array([np.sinh(x[0]), 0.0])),
            lambda x: np.diag([np.cosh(x[0]), 0.0]),
            np.array([3.0, 5.0]),
            "it",
        )
        assert_allclose(found, [0, 5], atol=1e-6)

    def test_tells_that_there_is_no_minimum(self, monkeypatch):
        monkeypatch.setattr(newton, "_MAX_STEPS", 7)
        with pytest.raises(ConsurvError, match=r"the law did not converge in 7 steps"):
            minimise(
                lambda x: (-x[0], -np.ones(1)),
                lambda x: np.eye(1),
                np.zeros(1),
                "the law",
            )

    def test_tells_that_no_step_leads_down(self):
        with pytest.raises(ConsurvError, match=r"it did not converge in 1 steps"):
            minimise(
                lambda x: (abs(x[0]), np.ones(1)),
                lambda x: np.eye(1),
                np.zeros(1),
                "it",
            )

    def test_stops_where_numbers_end(self):
        with pytest.raises(ConsurvError, match=r"it did not converge in 1 steps"):
            minimise(
                lambda x: (0.0, np.ones(1)),
                lambda x: np.full((1, 1), np.inf),
                np.zeros(1),
                "it",
            )
