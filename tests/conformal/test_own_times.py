"""Models that give percentile times beside curves: these are what is shifted."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline

from consurv import ConformalSurvival, SurvivalCurves, conformal_shifts
from consurv.conformal.adjustments.adjust import adjust
from consurv.curves.rearrange import rearrange
from consurv.datasets.encode import TableEncoder

LEVELS = np.array([0.25, 0.5, 0.75])


class Crossing(BaseEstimator):
    """Percentile times that cross in every second row; its curves do not."""

    def fit(self, X, y):
        self.levels_ = LEVELS
        return self

    def predict_percentile_times(self, X):
        q = 10 * np.exp(0.7 * X[:, :1]) * -np.log(LEVELS)
        q[::2] = q[::2, [1, 0, 2]]
        return q

    def predict_survival_function(self, X):
        q = rearrange(self.predict_percentile_times(X), LEVELS)
        return SurvivalCurves.from_percentile_times(q, LEVELS)


def shifts_of(q, levels, y):
    return conformal_shifts(q, levels, y, censoring="uncensored")


def conformalize(model, X, y, levels=LEVELS, **params):
    if "adjustment" not in params:
        params["censoring"] = "uncensored"
    return ConformalSurvival(model, percentiles=levels, **params).conformalize(X, y)


@pytest.fixture
def data(simulate):
    return simulate(200, 0)


@pytest.fixture
def model(data):
    return Crossing().fit(*data)


class TestOwnLevels:
    def test_shifts_come_from_the_models_own_times(self, model, data):
        X, y = data
        raw = model.predict_percentile_times(X)
        read = model.predict_survival_function(X).percentile_times(LEVELS)
        found = conformalize(model, X, y).shifts_
        assert_array_equal(found, shifts_of(raw, LEVELS, y))
        assert not np.array_equal(found, shifts_of(read, LEVELS, y))

    def test_shifts_are_applied_to_the_models_own_times(self, model, data):
        X, y = data
        post = conformalize(model, X, y)
        expected = adjust(model.predict_percentile_times(X), LEVELS, post.shifts_)
        assert expected.n_rearranged
        found = post.predict_survival_function(X)
        assert_array_equal(found.times, expected.times)
        assert found.n_rearranged == expected.n_rearranged

    def test_some_of_them_are_enough(self, model, data):
        X, y = data
        some = [0.5, 0.75]
        raw = model.predict_percentile_times(X)[:, 1:]
        found = conformalize(model, X, y, some).shifts_
        assert_array_equal(found, shifts_of(raw, some, y))

    def test_training_reads_them_too(self, model, data):
        X, y = data
        post = ConformalSurvival(
            Crossing(), percentiles=3, censoring="uncensored", conformal_set="train"
        ).fit(X, y)
        assert_array_equal(post.shifts_, conformalize(model, X, y).shifts_)

    def test_chunks_do_not_show(self, model, data, monkeypatch):
        X, y = data
        whole = conformalize(model, X, y)
        monkeypatch.setattr("consurv.conformal.reading.raw_model.CHUNK_ROWS", 6)
        parts = conformalize(model, X, y)
        assert_array_equal(parts.shifts_, whole.shifts_)

    def test_a_frozen_model_gives_its_own_as_well(self, model, data):
        found = conformalize(FrozenEstimator(model), *data).shifts_
        assert_array_equal(found, conformalize(model, *data).shifts_)


class TestOtherReadings:
    def test_other_levels_are_read_off_the_curves(self, model, data):
        X, y = data
        levels = np.array([0.25, 0.4, 0.5])
        read = model.predict_survival_function(X).percentile_times(levels)
        post = conformalize(model, X, y, levels)
        assert_array_equal(post.shifts_, shifts_of(read, levels, y))
        found = post.predict_survival_function(X)
        assert_array_equal(found.times, adjust(read, levels, post.shifts_).times)

    def test_moved_levels_are_read_off_the_curves(self, model, data):
        X, y = data
        curves_alone = conformalize(
            model.predict_survival_function, X, y, adjustment="level"
        )
        # Even if all the moved levels happen to be levels of the model.
        model.levels_ = np.unique(curves_alone.adjusted_levels_)
        moved = conformalize(model, X, y, adjustment="level")
        assert_array_equal(moved.adjusted_levels_, curves_alone.adjusted_levels_)
        assert_array_equal(
            moved.predict_survival_function(X).times,
            curves_alone.predict_survival_function(X).times,
        )


@pytest.fixture
def cqrnn():
    pytest.importorskip("torch")
    from consurv.models import CQRNN

    return CQRNN(percentiles=3, max_epochs=2, crossing_weight=0.0, random_state=0)


class TestCQRNN:
    @pytest.mark.parametrize("in_pipeline", [False, True])
    def test_is_conformalized_as_it_is(self, cqrnn, simulate, in_pipeline):
        X, y = simulate(150, 1)
        model = cqrnn
        if in_pipeline:
            X = pd.DataFrame(X, columns=list("abc"))
            model = make_pipeline(TableEncoder(), cqrnn)
        post = ConformalSurvival(model, percentiles=3, censoring="uncensored")
        post.fit(X, y).conformalize(X, y)
        trained = post.estimator_
        if in_pipeline:
            raw = trained[-1].predict_percentile_times(trained[0].transform(X))
        else:
            raw = trained.predict_percentile_times(X)
        assert (np.diff(raw, axis=1) > 0).any()  # a hardly trained network crosses
        assert_array_equal(post.shifts_, shifts_of(raw, LEVELS, y))
        expected = adjust(raw, LEVELS, post.shifts_)
        assert_array_equal(post.predict_survival_function(X).times, expected.times)
