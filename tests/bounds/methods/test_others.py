"""Every method against its formula in plain loops, and where nobody is censored."""

from dataclasses import replace

import numpy as np
import pytest

from consurv import (
    ConformalSurvival,
    Outcome,
    SurvivalCurves,
    conformal_levels,
    conformal_shifts,
)
from consurv.bounds import METHODS
from consurv.bounds.methods.dr_cosarc import completed
from consurv.bounds.methods.fixed import cutoff_of, shifted
from consurv.bounds.methods.method import Options, split_conformal
from consurv.errors import CalibrationWarning, InvalidInput
from consurv.weighting.sample import Sample
from tests.weighting.samples import exponential, small, steps, world


def descend(sample, miscoverage, coverage):
    """Return the last level before the first whose miscoverage is too large."""
    found = None
    for level in np.unique(sample.score)[::-1]:
        if miscoverage(level) > (1 - coverage) * (1 + 1e-9):
            break
        found = level
    return found


def g_before(sample, i, t):
    return sample.censoring[[i]].survival_before_observed([t])[0]


class TestUncensored:
    """No censoring: plain split conformal, bit for bit."""

    def sample(self, n=57):
        rng = np.random.default_rng(0)
        time = rng.uniform(0.5, 7, n)
        return Sample(Outcome(time, np.ones(n)), exponential(rng.uniform(1, 9, n)))

    @pytest.mark.parametrize("coverage", [0.5, 0.8, 0.9])
    @pytest.mark.parametrize("name", [name for name in METHODS if name != "fixed"])
    def test_levels_are_order_statistics(self, name, coverage):
        sample = self.sample()
        bound = METHODS[name].plain(sample, coverage)
        k = int(np.ceil(coverage * 58 * (1 - 1e-13)))
        assert bound.level == np.sort(sample.score)[k - 1]
        assert bound.level == conformal_levels(sample.score, [coverage], [1] * 57)[0]
        new = self.sample(9).model
        assert (bound.of(new, None) == new.percentile_times([bound.level])[:, 0]).all()

    @pytest.mark.parametrize("coverage", [0.5, 0.8, 0.9])
    def test_fixed_is_the_shift_of_csd(self, coverage):
        sample = self.sample()
        q = sample.bounds(np.array([coverage]))
        shift = conformal_shifts(q, [coverage], sample.outcome)[0]
        new = self.sample(9).model
        wanted = np.maximum(new.percentile_times([coverage])[:, 0] - shift, 0)
        found = METHODS["fixed"].plain(sample, coverage).of(new, None)
        assert (found == wanted).all()

    def test_coverage_is_k_of_n_plus_1(self):
        # P(T ≥ L) = 18/20 with 19 subjects: by the uniform score of a new one.
        rng = np.random.default_rng(1)
        curves = exponential(np.full(19, 5.0))
        covered = []
        for _ in range(2000):
            time = rng.exponential(5.0, 19)
            sample = Sample(Outcome(time, np.ones(19)), curves)
            covered.append(split_conformal(sample, 0.9).level)
        # P(T ≥ q(ρ)) = ρ here, up to the grid of the curves.
        error = np.std(covered) / np.sqrt(2000)
        assert abs(np.mean(covered) - 0.9) < 4 * error

    def test_too_few_are_refused(self):
        with pytest.raises(InvalidInput, match="at least 9 subjects; the 8 at hand"):
            split_conformal(self.sample(8), 0.9)
        assert split_conformal(self.sample(9), 0.9).level < 1


class TestNoBound:
    """Level 1 is met at time 0: a bound of 0 is refused."""

    def test_where_the_model_is_sure_of_too_many(self):
        time = np.r_[np.full(8, 0.5), np.arange(1.0, 33.0)]
        late = SurvivalCurves([1.0, 40.0], [[1.0, 0.0]] * 40)
        sample = Sample(Outcome(time, np.ones(40)), late)
        with pytest.raises(InvalidInput, match="finds no bound above 0"):
            split_conformal(sample, 0.9)
        assert split_conformal(sample, 0.7).level < 1


class TestIPCW:
    @pytest.mark.parametrize("stabilise", [False, True])
    def test_is_the_weighted_share_of_events(self, stabilise):
        sample = small(1, n=80, ties=False)
        n, event = 80, sample.outcome.event
        weight = [g_before(sample, i, sample.outcome.time[i]) for i in range(n)]
        weight = np.where(event, 1 / np.array(weight), 0.0)
        weight *= n / weight.sum() if stabilise else 1

        def miscoverage(level):
            return (weight[sample.score > level].sum() + 1) / (n + 1)

        options = Options(stabilise=stabilise)
        found = METHODS["ipcw"].find(sample, 0.8, options)
        assert found.level == descend(sample, miscoverage, 0.8)


def joint(sample, i):
    """Return the joint masses of Y and D of a subject at whole times."""
    s = sample.model[[i]].survival_at(np.arange(0.0, 7))[0]
    g = sample.censoring[[i]].survival_at(np.arange(0.0, 7))[0]
    return -np.diff(s) * g[:-1], -np.diff(g) * s[1:], s[-1] * g[-1]


class TestFocusedAndFused:
    def test_focused(self):
        sample = small(2, n=120, ties=False)
        seen = np.array(
            [sum(joint(sample, i)[0]) + joint(sample, i)[2] for i in range(120)]
        )
        weight, new = sample.outcome.event / seen, np.mean(1 / seen)

        def miscoverage(level):
            missed = weight[sample.score > level].sum() + new
            return missed / (weight.sum() + new)

        found = METHODS["focused"].find(sample, 0.7, Options())
        assert found.level == descend(sample, miscoverage, 0.7)

    def test_fused(self):
        sample = small(2, n=120, ties=False)
        masses = [joint(sample, i) for i in range(120)]
        seen = np.array([sum(m[0]) + m[2] for m in masses])
        kinds = []

        def miscoverage(level):
            q = sample.bounds(np.array([level]))[:, 0]
            weight, new = np.empty(120), np.empty(120)
            for i, (event, censored, _) in enumerate(masses):
                passed = np.arange(1, 7) < q[i]
                early = sum(event[passed]) / seen[i]
                lost = sum(censored[passed]) / (1 - seen[i])
                kinds.append(lost < early)
                weight[i] = 1.0 if lost < early else sample.outcome.event[i] / seen[i]
                new[i] = 1.0 if lost < early else 1 / seen[i]
            one = new.mean()
            return (weight[sample.score > level].sum() + one) / (weight.sum() + one)

        found = METHODS["fused"].find(sample, 0.7, Options())
        assert found.level == descend(sample, miscoverage, 0.7)
        assert 0 < np.mean(kinds) < 1  # both kinds of weights were there


class TestAdaptive:
    def test_is_the_formula(self):
        sample = small(3, n=120, ties=False)
        least = 1 / np.log(120)
        cap = sample.censoring.percentile_times([least])[:, 0]

        def miscoverage(level):
            bound = np.minimum(sample.bounds(np.array([level]))[:, 0], cap)
            weight = np.array([1 / g_before(sample, i, bound[i]) for i in range(120)])
            reached = bound <= sample.limit
            missed = reached & (sample.outcome.time < bound)
            one = weight.mean()
            return (weight[missed].sum() + one) / (weight[reached].sum() + one)

        found = METHODS["adaptive"].find(sample, 0.7, Options())
        assert found.level == descend(sample, miscoverage, 0.7)
        assert found.least_censoring == least


class TestDrCosarc:
    def test_completes_censoring_times(self):
        sample = small(4, n=2000)
        limit = completed(sample, 1)
        event, time = sample.outcome.event, sample.outcome.time
        assert (limit[~event] == time[~event]).all()
        assert (limit[event] >= time[event]).all()
        # Those drawn at time 1 survive 3 as G(3)/G(1) has it.
        early = event & (time == 1)
        g = sample.censoring[early]
        expected = (g.survival_at([3.0]) / g.survival_at([1.0]))[:, 0].mean()
        error = np.sqrt(expected * (1 - expected) / early.sum())
        assert abs(np.mean(limit[early] > 3) - expected) < 4 * error

    def test_is_adaptive_on_them_and_never_above_the_model(self):
        sample = small(4, n=120, ties=False)
        whole = replace(sample, limit=completed(sample, 7))
        same = METHODS["adaptive"].find(whole, 0.7, Options())
        found = METHODS["dr-cosarc"].find(sample, 0.7, Options(seed=7))
        assert found.level == same.level
        new = steps(np.random.default_rng(0), 20)
        g = steps(np.random.default_rng(1), 20)
        own = new.percentile_times([0.7])[:, 0]
        assert (found.of(new, g) == np.minimum(same.of(new, g), own)).all()


class TestFixed:
    def test_is_the_weighted_quantile_with_the_new_weight(self):
        sample = small(5, n=120, ties=False)
        bound = shifted(sample, 0.7, 3.0, np.inf)
        kept = sample.limit >= 3.0
        q = sample.bounds(np.array([0.7]))[:, 0]
        score = (q - np.minimum(sample.outcome.time, 3.0))[kept]
        weight = np.array([1 / g_before(sample, i, 3.0) for i in range(120)])[kept]
        new = steps(np.random.default_rng(0), 5)
        g = steps(np.random.default_rng(1), 5)
        found = bound.of(new, g)
        for i in range(5):
            own = 1 / g[[i]].survival_before_observed([3.0])[0]
            order = np.argsort(score)
            mass = np.cumsum(weight[order])
            first = np.argmax(mass >= 0.7 * (mass[-1] + own) - 1e-9)
            top = new[[i]].percentile_times([0.7])[0, 0]
            wanted = min(3.0, max(0.0, top - score[order][first]))
            assert found[i] == pytest.approx(wanted, abs=1e-12)

    def test_the_cutoff_is_where_half_are_left_by_the_censoring_model(self):
        sample = small(5, n=120, ties=False)
        cutoff = cutoff_of(sample, None)
        left = sample.censoring.survival_at([cutoff - 1e-9, cutoff]).mean(axis=0)
        assert left[1] <= 0.5
        assert cutoff_of(sample, 2.5) == 2.5

    def test_a_bound_of_0_is_never_silent(self):
        sample = small(5, n=120, ties=False)
        bound = shifted(sample, 0.7, 3.0, np.inf)
        rare = SurvivalCurves([1.0, 5.0], [[1e-4, 1e-4]] * 2, "step")
        with pytest.warns(
            CalibrationWarning, match="the bound of 2 of 2 subjects is 0"
        ):
            found = bound.of(steps(np.random.default_rng(0), 2), rare)
        assert (found == 0).all()

    def test_a_curve_that_never_falls_has_a_bound(self):
        sample = small(5, n=120, ties=False)
        flat = SurvivalCurves([1.0], [[1.0]])
        g = steps(np.random.default_rng(1), 1)
        assert shifted(sample, 0.7, 3.0, np.inf).of(flat, g)[0] == 3.0
        rare = SurvivalCurves([1.0, 5.0], [[1e-4, 1e-4]], "step")
        with pytest.warns(CalibrationWarning, match="1 of 1 subjects is 0"):
            assert shifted(sample, 0.7, 3.0, np.inf).of(flat, rare)[0] == 0.0

    @pytest.mark.slow
    def test_covers_at_least_as_asked_if_g_is_right(self):
        found = []
        for seed in range(60):
            x, time, limit = world(400, np.random.default_rng(seed))
            y = Outcome(np.minimum(time, limit), time <= limit)
            s, g = (
                exponential(np.full(400, 9.0), k=150),
                exponential(8 * np.exp(-x), k=150),
            )
            sample = Sample(y, s, g, limit=limit)
            L = METHODS["fixed"].find(sample, 0.9, Options()).of(s, g)
            found.append(np.mean(np.exp(-L / (5 * np.exp(x)))))
        assert np.mean(found) > 0.9 - 3 * np.std(found) / np.sqrt(60)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["adaptive", "dr-cosarc", "ipcw", "focused", "fused"])
def test_covers_as_asked_with_right_models(name):
    found = []
    for seed in range(40):
        x, time, limit = world(600, np.random.default_rng(seed))
        y = Outcome(np.minimum(time, limit), time <= limit)
        s, g = exponential(5 * np.exp(x), k=150), exponential(8 * np.exp(-x), k=150)
        sample = Sample(y, s, g, limit=limit)
        L = METHODS[name].find(sample, 0.9, Options()).of(s, g)
        found.append(np.mean(np.exp(-L / (5 * np.exp(x)))))
    error = np.std(found) / np.sqrt(40)
    assert np.mean(found) > 0.9 - 3 * error
    if name in ("adaptive", "ipcw"):
        assert np.mean(found) < 0.92


def test_every_method_says_what_it_guarantees():
    for name, method in METHODS.items():
        assert method.name == name
        assert method.guarantee
        assert "Guarantee:" in type(method).__doc__


def test_the_plain_bound_is_that_of_levels():
    rng = np.random.default_rng(0)
    time = rng.exponential(5.0, 99)
    y = Outcome(time, np.ones(99))
    times = np.linspace(0.1, 60, 400)

    def model(X):
        return times, np.exp(-times / 9) * np.ones((len(X), 1))

    X = np.zeros((99, 1))
    level = ConformalSurvival(model, adjustment="level", percentiles=19)
    level.conformalize(X, y)
    sample = Sample(y, exponential(np.full(99, 9.0)))
    plain = split_conformal(sample, 0.9)
    assert plain.level == pytest.approx(level.adjusted_levels_[-2], abs=2e-3)
