import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.validation import check_is_fitted

from consurv.errors import ConsurvError, InvalidInput, MissingDependency
from consurv.models import WeibullAFT
from consurv.outcome import Outcome

lifelines = pytest.importorskip("lifelines")


class TestWeibullAFT:
    def test_is_that_of_lifelines(self, simulated):
        X, y = simulated
        frame = pd.DataFrame(X, columns=list("abc")).assign(t=y.time, e=y.event)
        theirs = lifelines.WeibullAFTFitter(penalizer=0.01).fit(frame, "t", "e")
        curves = WeibullAFT().fit(X, y).predict_survival_function(X)
        for level in (0.9, 0.5, 0.2):
            expected = theirs.predict_percentile(frame, p=level)
            np.testing.assert_allclose(
                curves.percentile_times([level])[:, 0], expected, rtol=1e-6
            )

    @pytest.mark.parametrize("offset", [1e3, 1e6, 1e9, -1e9])
    def test_does_not_depend_on_where_zero_is(self, simulated, offset):
        X, y = simulated
        expected = WeibullAFT().fit(X, y).predict(X)
        found = WeibullAFT().fit(X + offset, y).predict(X + offset)
        np.testing.assert_allclose(found, expected, rtol=1e-4)

    @pytest.mark.parametrize("unit", [1e-290, 1e-100, 1e-20, 1e20, 1e100, 1e200])
    def test_does_not_depend_on_the_unit_of_time(self, simulated, unit):
        X, y = simulated
        expected = WeibullAFT().fit(X, y).predict_survival_function(X)
        scaled = Outcome(time=y.time * unit, event=y.event)
        found = WeibullAFT().fit(X, scaled).predict_survival_function(X)
        np.testing.assert_allclose(found.median() / unit, expected.median(), rtol=1e-4)
        np.testing.assert_allclose(found.mean() / unit, expected.mean(), rtol=1e-4)
        np.testing.assert_allclose(found.last_time / unit, expected.last_time)

    def test_leaves_ordinary_data_as_they_are(self, simulated):
        model = WeibullAFT().fit(*simulated)
        assert model.unit_ == 1
        np.testing.assert_array_equal(model.offset_, np.zeros(3))

    def test_refuses_more_features_than_events_before_the_call(self):
        rng = np.random.default_rng(0)
        y = Outcome(rng.exponential(size=40), np.arange(40) < 12)
        model = WeibullAFT()
        with pytest.raises(
            InvalidInput, match=r"13 features and y only 12 events.*choose coxph"
        ):
            model.fit(rng.normal(size=(40, 13)), y)
        assert not hasattr(model, "n_features_in_")

    def test_passes_on_that_there_is_no_solution(self, simulated, monkeypatch):
        def fail(*args, **kwargs):
            raise lifelines.exceptions.ConvergenceError("\nno way down\nTry ...")

        monkeypatch.setattr(lifelines.WeibullAFTFitter, "fit", fail)
        with pytest.raises(ConsurvError, match=r"\(no way down\).*raise penalty"):
            WeibullAFT().fit(*simulated)

    def test_needs_lifelines(self, simulated, monkeypatch):
        monkeypatch.setitem(sys.modules, "lifelines", None)
        model = WeibullAFT()
        with pytest.raises(MissingDependency, match=r"lifelines.*consurv\[models\]"):
            model.fit(*simulated)
        with pytest.raises(ValueError, match="not fitted"):
            check_is_fitted(model)

    def test_checks_its_penalty(self, simulated):
        with pytest.raises(InvalidInput, match=r"penalty=-1 is not valid.*>= 0"):
            WeibullAFT(penalty=-1).fit(*simulated)
