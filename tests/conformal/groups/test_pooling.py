"""How far groups are drawn to the pooled adjustment."""

import numpy as np
import pytest

from consurv import ConformalSurvival, InvalidInput, Outcome
from consurv.conformal.groups.pooling import other_weights

KINDS = ["time", "log-time", "level", "recalibrated"]


def uniform(sizes, seed=0, power=None, censored=True):
    """Adjusted survival at observed times; its power makes groups differ."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(len(sizes)), sizes)
    power = np.ones(len(sizes)) if power is None else np.asarray(power)
    event_at = rng.exponential(size=len(group)) * power[group]
    limit = rng.exponential(2.0 if censored else np.inf, len(group))
    survival = np.exp(-np.minimum(event_at, limit))
    return survival, event_at <= limit, group


class TestWeights:
    def test_are_one_where_groups_do_not_differ(self):
        apart = [
            (other_weights(*uniform([200, 50, 20], seed), 3) < 1).any()
            for seed in range(200)
        ]
        assert np.mean(apart) < 0.09

    def test_are_small_where_they_clearly_do(self):
        weights = other_weights(*uniform([300, 100], power=[0.5, 2.0]), 2)
        assert (weights < 0.03).all()

    def test_fall_as_groups_grow(self):
        power = [0.7, 1.4]
        found = [other_weights(*uniform([n, n], 1, power), 2) for n in (200, 2000)]
        assert (found[1] < found[0] / 3).all()

    def test_a_group_that_stands_out_is_not_hidden_by_many_that_are_alike(self):
        sizes, power = [100] * 15, [2.5] + [1.0] * 14
        weights = other_weights(*uniform(sizes, power=power), 15)
        assert weights[0] < weights[1:].min() / 5

    def test_see_a_difference_in_spread_alone(self):
        # The same hazard on the whole, but events of one group come in the middle.
        survival, event, group = uniform([1500, 1500], censored=False)
        narrow = 0.5 + 0.5 * (survival - 0.5)
        weights = other_weights(np.where(group, narrow, survival), event, group, 2)
        assert (weights < 0.1).all()

    def test_the_order_of_subjects_and_groups_does_not_matter(self):
        survival, event, group = uniform([100, 60, 30], power=[0.5, 1.0, 2.0])
        weights = other_weights(survival, event, group, 3)
        rows = np.random.default_rng(0).permutation(190)
        again = other_weights(survival[rows], event[rows], 2 - group[rows], 3)
        np.testing.assert_allclose(again[::-1], weights, rtol=1e-9)

    def test_whole_weights_are_repeated_rows(self):
        seen = uniform([100, 60], power=[0.5, 2.0])
        often = np.arange(160) % 3 + 1
        repeated = [np.repeat(values, often) for values in seen]
        np.testing.assert_allclose(
            other_weights(*seen, 2, often.astype(float)),
            other_weights(*repeated, 2),
            rtol=1e-9,
        )

    def test_a_group_of_which_nothing_was_seen_is_pooled(self):
        survival, event, group = uniform([100, 100, 4], power=[0.5, 2.0, 1.0])
        survival = np.where(group == 2, 0.999, survival)
        weights = other_weights(survival, event & (group < 2), group, 3)
        assert weights[2] == 1
        assert (weights[:2] < 0.1).all()

    def test_one_group_alone_is_all(self):
        assert other_weights(*uniform([50]), 1).tolist() == [1]


def wrong_by_group(true_model, stretch):
    """A model of rows (x, x, x, group) that is wrong in each group."""

    def model(X):
        return true_model(X, stretch=np.asarray(stretch)[X[:, 3].astype(int)])

    return model


@pytest.fixture
def draw(simulate):
    def subjects(sizes, seed):
        X, y = simulate(sum(sizes), seed)
        return np.c_[X, np.repeat(np.arange(len(sizes)), sizes)], y

    return subjects


@pytest.mark.filterwarnings("ignore::consurv.CalibrationWarning")
@pytest.mark.parametrize("kind", KINDS)
class TestPartialPooling:
    def test_gives_the_pooled_adjustment_where_nothing_differs(
        self, draw, true_model, kind
    ):
        X, y = draw([150, 60, 20], 3)
        model = wrong_by_group(true_model, [1.5] * 3)
        post = ConformalSurvival(model, adjustment=kind)
        pooled = post.conformalize(X, y).predict_survival_function(X).times
        post.conformalize(X, y, groups=X[:, 3])
        assert post.groups_.weights.tolist() == [1, 1, 1]
        assert post.groups_.members == (None, None, None)
        found = post.predict_survival_function(X, groups=X[:, 3])
        np.testing.assert_array_equal(found.times, pooled)

    def test_halves_the_error_of_the_worst_group(self, draw, true_model, kind):
        sizes = [400, 150]
        X, y = draw(sizes, 0)
        X_new, _ = draw([300, 300], 1)
        model, groups = wrong_by_group(true_model, [1.6, 0.6]), X_new[:, 3]
        post = ConformalSurvival(model, adjustment=kind).conformalize(X, y)
        pooled = post.predict_survival_function(X_new)
        own = post.conformalize(X, y, groups=X[:, 3])
        found = own.predict_survival_function(X_new, groups=groups)
        scale = 10 * np.exp(0.7 * X_new[:, 0] - 0.4 * X_new[:, 1])

        def worst(curves):
            q = curves.percentile_times(own.levels_)
            reached = np.exp(-((q / scale[:, None]) ** 1.5))  # true survival there
            gaps = [reached[groups == g].mean(axis=0) - own.levels_ for g in (0, 1)]
            return np.sqrt(np.mean(np.square(gaps), axis=1)).max()

        assert (own.groups_.weights < 0.1).all()
        assert worst(found) < worst(pooled) / 2

    def test_zero_weights_leave_labels_with_their_rows(self, draw, true_model, kind):
        X, y = draw([120, 90], 0)
        groups = np.array(["a", "b"])[X[:, 3].astype(int)]
        rows = np.random.default_rng(0).permutation(210)
        X, groups = X[rows], groups[rows]
        y = y[rows]
        kept = np.arange(210) % 5 > 0
        model = wrong_by_group(true_model, [1.6, 0.6])
        post = ConformalSurvival(model, adjustment=kind)
        weighted = post.conformalize(X, y, groups=groups, sample_weight=kept * 1.0)
        sizes = weighted.groups_.sizes
        found = weighted.predict(X, groups=groups)
        alone = post.conformalize(X[kept], y[kept], groups=groups[kept])
        assert sizes == alone.groups_.sizes
        np.testing.assert_array_equal(found, alone.predict(X, groups=groups))
        assert alone.score(X, y, groups=groups, sample_weight=kept) == alone.score(
            X[kept], y[kept], groups=groups[kept]
        )


class TestRules:
    def test_one_that_cannot_weigh_is_refused(self, simulate, true_model):
        X, y = simulate(60, 0)
        post = ConformalSurvival(true_model, censoring="self-consistent")
        groups = np.arange(60) % 2
        with pytest.raises(InvalidInput, match="choose group_pooling='none', or the"):
            post.conformalize(X, y, groups=groups)
        post.set_params(group_pooling="none", percentiles=3)
        assert len(post.conformalize(X, y, groups=groups).groups_) == 2


def test_small_weights_of_other_groups_are_not_complained_of(draw, true_model):
    X, y = draw([900, 40], 0)
    model = wrong_by_group(true_model, [1.6, 0.6])
    post = ConformalSurvival(model, adjustment="log-time", percentiles=[0.5, 0.75])
    post.conformalize(X, y, groups=X[:, 3])  # a warning would be an error
    assert (post.groups_.weights < 0.05).all()


def test_weights_in_outcomes_follow_their_groups(simulate, true_model):
    X, y = simulate(80, 0)
    weight = np.where(np.arange(80) % 4 == 0, 0.0, 2.0)
    y = Outcome(y.time, y.event, weight)
    post = ConformalSurvival(true_model, adjustment="time", percentiles=3)
    post.conformalize(X, y, groups=np.arange(80) % 2)
    assert post.groups_.sizes == (20, 40)
