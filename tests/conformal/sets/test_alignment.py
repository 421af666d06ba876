"""Models of folds are brought to where the final model stands."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv import ConformalSurvival, Outcome, SurvivalCurves
from consurv.conformal.reading.raw_model import RawModel
from consurv.conformal.sets.alignment import AlignedModel, Anchor
from consurv.curves.representations import Weibull
from consurv.models import CQRNN, CoxPH, DeepSurv

X = np.linspace(-1, 1, 200)[:, None]
LEVELS = np.array([0.9, 0.5, 0.1])


def law(middle, contrast):
    """Return a model whose log medians are a line in x."""

    def predict(rows):
        location = middle + contrast * np.asarray(rows)[:, 0]
        return SurvivalCurves._of(Weibull(location, np.full(len(rows), 0.5)))

    class Model:
        predict_survival_function = staticmethod(predict)

    return RawModel(Model())


def aligned(final, fold, rows=None):
    rows = np.arange(200) if rows is None else rows
    return Anchor.of(final, X).align(fold, X, rows)


class TestAlign:
    def test_middle_and_spread_become_those_of_the_final_model(self):
        final, fold = law(2.0, 0.8), law(1.0, 0.4)
        assert_allclose(
            aligned(final, fold).percentile_times(X, LEVELS),
            final.percentile_times(X, LEVELS),
            rtol=1e-12,
        )

    def test_widths_stay(self):
        fold = law(1.0, 0.4)
        q = aligned(law(2.0, 0.8), fold).percentile_times(X, LEVELS)
        raw = fold.percentile_times(X, LEVELS)
        assert_allclose(q[:, 0] / q[:, 1], raw[:, 0] / raw[:, 1], rtol=1e-12)

    def test_a_model_that_stands_there_stays(self):
        fold = law(1.0, 0.4)
        same = aligned(fold, fold).percentile_times(X, LEVELS)
        assert_array_equal(same, fold.percentile_times(X, LEVELS))

    def test_contrasts_change_at_most_threefold(self):
        q = aligned(law(0.0, 3.0), law(0.0, 0.01)).percentile_times(X, LEVELS)
        assert_allclose(np.ptp(np.log(q[:, 1])), 3 * 0.02, rtol=1e-9)

    def test_a_model_that_says_the_same_of_all_is_only_shifted(self):
        q = aligned(law(2.0, 0.8), law(0.0, 0.0)).percentile_times(X, LEVELS)
        wanted = law(2.0, 0.0).percentile_times(X, LEVELS)
        assert_allclose(q, wanted, rtol=1e-12)

    def test_only_rows_of_both_count(self):
        # The fold never saw the right half; what it says there must not matter.
        def odd(rows):
            x = np.asarray(rows)[:, 0]
            location = np.where(x > 0, 50.0, 1.0 + x)
            return SurvivalCurves._of(Weibull(location, np.full(len(x), 0.5)))

        class Model:
            predict_survival_function = staticmethod(odd)

        model = aligned(law(1.0, 1.0), RawModel(Model()), np.arange(100))
        assert isinstance(model, AlignedModel)
        assert_allclose([model.shift, model.contrast], [0.0, 1.0], atol=1e-12)

    def test_curves_without_a_median_leave_the_model_alone(self):
        never = RawModel(lambda rows: ([4.0], [[1.0]] * len(rows)))
        assert aligned(law(1.0, 1.0), never) is never

    def test_survival_at_observed_times_follows(self):
        model = aligned(law(2.0, 0.8), law(1.0, 0.4))
        time = np.linspace(0.5, 9, 200)
        at, before = model.survival_around_observed(X, time).T
        expected = law(2.0, 0.8).curves(X).survival_at_observed(time)
        assert_allclose(at, expected, rtol=1e-12)
        assert_array_equal(at, before)

    def test_own_percentile_times_follow(self, subjects):
        X, y = subjects(120)
        model = RawModel(CQRNN(random_state=0, max_epochs=3).fit(X, y))
        stretched = AlignedModel(model, 0.0, np.log(2.0), 1.0, (-9.0, 9.0))
        levels = np.array([0.9, 0.5])
        own = model.own_times(X, levels)
        assert own is not None
        assert_allclose(stretched.own_times(X, levels), 2 * own, rtol=1e-12)


@pytest.fixture
def subjects():
    def draw(n):
        rng = np.random.default_rng(n)
        X = rng.normal(size=(n, 3))
        time, limit = rng.exponential(np.exp(X[:, 0])), rng.exponential(3, n)
        return X, Outcome(time=np.minimum(time, limit), event=time <= limit)

    return draw


class TestWho:
    @pytest.fixture
    def asked(self, monkeypatch):
        asked = []
        align = Anchor.align
        monkeypatch.setattr(
            Anchor, "align", lambda *a, **k: asked.append(1) or align(*a, **k)
        )
        return asked

    def test_models_that_stop_early_are_aligned(self, subjects, asked):
        X, y = subjects(80)
        ConformalSurvival(DeepSurv(random_state=0, max_epochs=3), n_folds=3).fit(X, y)
        assert len(asked) == 3

    def test_others_are_not(self, subjects, asked):
        X, y = subjects(80)
        ConformalSurvival(CoxPH(), n_folds=3).fit(X, y)
        assert not asked

    def test_workers_find_the_same(self, subjects):
        X, y = subjects(80)
        q = [
            ConformalSurvival(
                DeepSurv(random_state=0, max_epochs=3), random_state=0, n_jobs=jobs
            )
            .fit(X, y)
            .predict_quantile(X, LEVELS)
            for jobs in (1, 2)
        ]
        assert_allclose(*q, rtol=1e-6)
