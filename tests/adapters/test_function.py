import numpy as np
import pytest

from consurv.adapters.function import ADAPTER
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput


def exponential(X):
    times = np.linspace(0.1, 20, 100)
    return times, np.exp(-np.outer(np.exp(X[:, 0]), times))


class TestFunction:
    def test_gives_curves_in_the_order_of_the_rows(self, small):
        curves = ADAPTER.curves(exponential, small.X)
        times, survival = exponential(small.X)
        np.testing.assert_allclose(curves.survival_at(times), survival, atol=1e-15)

    def test_may_return_survival_curves(self, small):
        def steps(X):
            return SurvivalCurves(*exponential(X), interpolation="step")

        assert ADAPTER.curves(steps, small.X).interpolation == "step"

    def test_a_part_of_the_rows_gives_that_part_of_the_curves(self, small):
        whole = ADAPTER.curves(exponential, small.X)
        part = ADAPTER.curves(exponential, small.X[20:50])
        np.testing.assert_array_equal(part.survival, whole[20:50].survival)

    def test_is_always_fitted_and_its_own_clone(self):
        assert ADAPTER.is_fitted(exponential)
        assert ADAPTER.clone(exponential) is exponential
        assert not ADAPTER.takes_validation(exponential)

    def test_cannot_be_trained(self, small):
        with pytest.raises(
            InvalidInput, match=r"exponential is a function and cannot be.*conformalize"
        ):
            ADAPTER.fit(exponential, small.X, small.y)
