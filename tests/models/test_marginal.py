import numpy as np
import pytest

from consurv.curves import KaplanMeier
from consurv.errors import InvalidInput
from consurv.models import KaplanMeierModel


class TestKaplanMeierModel:
    def test_gives_everybody_the_same_curve(self, simulated):
        X, y = simulated
        curves = KaplanMeierModel().fit(X, y).predict_survival_function(X)
        times = np.linspace(0, 2 * y.time.max(), 50)
        expected = KaplanMeier(y).survival_at(times)
        np.testing.assert_allclose(
            curves.survival_at(times), np.tile(expected, (200, 1)), atol=1e-12
        )

    def test_ranks_nobody(self, simulated):
        assert KaplanMeierModel().fit(*simulated).score(*simulated) == 0.5

    def test_stores_the_curve_only_once(self, simulated):
        X, y = simulated
        model = KaplanMeierModel().fit(X, y)
        curves = model.predict_survival_function(np.tile(X, (20, 1)))
        assert len(curves) == 4000
        assert curves.survival.strides[0] == 0

    def test_needs_an_event(self):
        with pytest.raises(InvalidInput, match="none of the 3 subjects"):
            KaplanMeierModel().fit(np.zeros((3, 1)), ([0, 0, 0], [1, 2, 3]))
