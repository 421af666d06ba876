"""Facts that hold for survival curves in every form that they are held in."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from consurv import ConformalSurvival, Outcome, SurvivalCurves
from consurv.curves.average import mean_survival
from consurv.curves.chunks import in_chunks
from consurv.curves.representations import (
    LogLogistic,
    LogNormal,
    Proportional,
    Representation,
    Steps,
    Stretched,
    Table,
    Weibull,
)
from consurv.errors import InvalidInput
from consurv.metrics import concordance_index, d_calibration
from consurv.models import CoxPH

N = 7
LEVELS = np.array([0.05, 0.9, 0.5, 0.33, 0.75])
LAWS = {
    Weibull: lambda a, b: stats.weibull_min(1 / b, scale=np.exp(a)),
    LogNormal: lambda a, b: stats.lognorm(b, scale=np.exp(a)),
    LogLogistic: lambda a, b: stats.fisk(1 / b, scale=np.exp(a)),
}
LOCATION = np.linspace(-1, 4, N)
SCALE = np.linspace(0.2, 0.9, N)


def steps(seed, n=40, unit=1.0):
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.exponential(0.3, n))
    hazard = np.cumsum(rng.exponential(0.05, n))
    hazard[:2] = 0.0  # censored before the first event
    hazard[-3:] = hazard[-3]  # and after the last
    with np.errstate(divide="ignore"):
        return Steps(times * unit, np.log(hazard))


def table(kind, own, unit=1.0):
    rng = np.random.default_rng(5)
    times = np.sort(rng.exponential(5, (N, 9) if own else 9), axis=-1) * unit
    return SurvivalCurves(times, -np.sort(-rng.random((N, 9)), axis=1), kind)


def proportional(unit=1.0):
    risk = np.linspace(-2, 3, N)
    return SurvivalCurves._of(Proportional([steps(0, unit=unit)], risk))


def strata(unit=1.0):
    baselines = [steps(1, unit=unit), steps(2, 25, unit)]
    risk, which = np.linspace(2, -1, N), np.arange(N) % 2
    return SurvivalCurves._of(Proportional(baselines, risk, which))


def law(kind):
    return SurvivalCurves._of(kind(LOCATION, SCALE, last_time=30.0))


def stretched(curves):
    # Powers of two, so that a drop is met at the very time.
    return SurvivalCurves._of(Stretched(curves._form, np.resize([2, 1, 0.5], N)))


MAKERS = {
    "linear table": lambda: table("linear", own=False),
    "own step table": lambda: table("step", own=True),
    "own linear table": lambda: table("linear", own=True),
    "pchip table": lambda: table("pchip", own=False),
    "proportional": proportional,
    "strata": strata,
    "weibull": lambda: law(Weibull),
    "lognormal": lambda: law(LogNormal),
    "loglogistic": lambda: law(LogLogistic),
    "given proportional": lambda: proportional().conditional_on(np.linspace(0, 5, N)),
    "given weibull": lambda: law(Weibull).conditional_on(np.linspace(0, 5, N)),
    "stretched table": lambda: stretched(table("pchip", own=False)),
    "stretched proportional": lambda: stretched(proportional()),
    "stretched weibull": lambda: stretched(law(Weibull)),
}
STEPS = ("proportional", "strata", "given proportional", "stretched proportional")
NO_TABLE = [name for name in MAKERS if "table" not in name]


@pytest.fixture(params=MAKERS)
def curves(request):
    return MAKERS[request.param]()


def answers(curves):
    """Return everything that curves say of each subject, as (n, ·)."""
    return np.column_stack(
        [
            curves.survival_at([0.0, 0.7, 3.0, 12.0, 60.0]),
            curves.percentile_times(LEVELS),
            curves.median(),
            curves.mean(),
            curves.restricted_mean(4.0),
            curves.survival_at_observed(np.full(len(curves), 2.5)),
            curves.survival_before_observed(np.full(len(curves), 2.5)),
            curves._times_at(np.array([1.0, 0.0, 0.4, 0.4])),
            curves.last_time,
        ]
    )


@pytest.fixture
def no_tables(monkeypatch):
    """Let every form that is no table refuse to make one."""

    def refuse(self):
        raise AssertionError(f"{type(self).__name__} made a table")

    for kind in (Proportional, Weibull, LogNormal, LogLogistic):
        monkeypatch.setattr(kind, "nodes", refuse)


class TestEveryForm:
    def test_percentile_times_are_the_inverse(self, curves):
        q = curves.percentile_times(LEVELS)
        for level, time in zip(LEVELS, q.T, strict=True):
            assert (curves.survival_at_observed(time) <= level * (1 + 1e-12)).all()
            before = curves.survival_at_observed(time * (1 - 1e-9))
            assert (before[time > 0] >= level * (1 - 1e-7)).all()

    def test_nothing_rises(self, curves):
        times = np.linspace(0, 80, 500)
        survival = curves.survival_at(times)
        assert ((survival >= 0) & (survival <= 1)).all()
        assert (np.diff(survival, axis=1) <= 1e-15).all()
        q = curves.percentile_times(np.linspace(0.99, 0.01, 99))
        assert (np.diff(q, axis=1) >= 0).all()

    def test_just_before_a_time_is_a_little_earlier(self, curves):
        # At all nodes, where curves may drop, and in between.
        times = curves.times if curves.times.ndim == 2 else curves.times[None, :]
        for at in np.c_[times[:, 1:40], np.full((len(times), 1), 55.0)].T:
            time = np.broadcast_to(at, N)
            before = curves.survival_before_observed(time)
            near = curves.survival_at_observed(time * (1 - 1e-11))
            assert_allclose(before, near, atol=1e-8)
            assert (before >= curves.survival_at_observed(time) - 1e-15).all()
        assert_array_equal(curves.survival_before_observed(0), np.ones(N))

    def test_all_are_alive_at_the_start(self, curves):
        assert_array_equal(curves.survival_at([0.0]), np.ones((N, 1)))

    def test_own_levels_and_own_times_are_read_row_by_row(self, curves):
        levels = np.linspace(0.1, 0.8, 3 * N).reshape(N, 3)
        together = curves._form.percentile_times(levels)
        alone = [curves[i].percentile_times(levels[i])[0] for i in range(N)]
        assert_allclose(together, alone, rtol=1e-13)
        time = np.linspace(0, 25, N)
        alone = [curves[i].survival_at([time[i]])[0, 0] for i in range(N)]
        assert_allclose(curves.survival_at_observed(time), alone, rtol=1e-13)
        alone = [curves[i].restricted_mean(time[i])[0] for i in range(N)]
        assert_allclose(curves.restricted_mean(time), alone, rtol=1e-12)

    @pytest.mark.parametrize(
        "rows", [slice(2, 5), [4, 0, 4], np.arange(N) % 3 == 0, 3, slice(0, 0)]
    )
    def test_slicing_commutes_with_everything(self, curves, rows):
        expected = answers(curves)[np.atleast_1d(np.arange(N)[rows])]
        assert_allclose(answers(curves[rows]), expected, rtol=1e-12)

    @pytest.mark.parametrize("n", [None, N])
    def test_concatenate_is_the_inverse_of_slicing(self, curves, n):
        parts = (curves[rows] for rows in (slice(0, 3), slice(3, 4), slice(4, N)))
        joined = SurvivalCurves.concatenate(parts, n)
        assert type(joined._form) is type(curves._form)
        assert_allclose(answers(joined), answers(curves), rtol=1e-13)

    def test_the_mean_is_the_integral(self, curves):
        tau = 6.0
        edges = np.linspace(0, tau, 60_001)
        middle = (edges[1:] + edges[:-1]) / 2
        area = curves.survival_at(middle).sum(axis=1) * (edges[1] - edges[0])
        assert_allclose(curves.restricted_mean(tau), area, rtol=1e-3)
        # The same by the substitution t = q(u), up to a late time of each subject.
        u = (np.arange(20_000) + 0.5) / 20_000
        late = curves.percentile_times([0.02])
        area = np.minimum(curves.percentile_times(u), late).mean(axis=1)
        assert_allclose(curves.restricted_mean(late[:, 0]), area, rtol=1e-3)

    def test_conditions_are_consistent(self, curves):
        c = np.linspace(0, 6, N)
        kept = curves.survival_at_observed(c)
        alive = kept > 0
        later = curves.conditional_on(c)
        t = np.linspace(0, 40, 60)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.minimum(curves.survival_at(t) / kept[:, None], 1)
        expected = np.where(t <= c[:, None], 1.0, ratio)
        assert_allclose(later.survival_at(t)[alive], expected[alive], atol=1e-11)
        rest = (curves.mean() - curves.restricted_mean(c))[alive] / kept[alive]
        assert_allclose(later.mean()[alive], c[alive] + rest, rtol=1e-8)
        assert_array_equal(later.mean()[~alive], c[~alive])
        assert_allclose(
            later.conditional_on(c + 1).median(),
            curves.conditional_on(c + 1).median(),
            rtol=1e-9,
        )

    def test_the_mean_curve_is_the_mean(self, curves):
        times = np.linspace(0, 50, 3000)
        expected = curves.survival_at(times).mean(axis=0)
        assert_allclose(mean_survival(curves, times), expected, atol=1e-13)
        few = mean_survival(curves, times[:3])
        assert_allclose(few, expected[:3], atol=1e-13)

    def test_frame(self, curves):
        frame = curves.to_frame([1.0, 5.0])
        assert_array_equal(frame.to_numpy().T, curves.survival_at([1.0, 5.0]))

    def test_pickle_keeps_everything(self, curves):
        again = pickle.loads(pickle.dumps(curves))
        assert_array_equal(answers(again), answers(curves))
        assert type(again._form) is type(curves._form)
        assert_read_only(again)

    def test_nothing_can_be_changed(self, curves):
        assert_read_only(curves)

    def test_its_table_tells_the_same(self, curves):
        """Steps to rounding; a law's lines are off by less than 3e-4 inside."""
        table = SurvivalCurves(curves.times, curves.survival, curves.interpolation)
        assert curves.times.shape[-1] == curves._form.n_nodes
        t = np.linspace(0, 12, 77)
        tolerance = (
            3e-4 if isinstance(law_below(curves), Weibull | LogNormal) else 1e-12
        )
        tolerance = 3e-4 if isinstance(law_below(curves), LogLogistic) else tolerance
        assert_allclose(curves.survival_at(t), table.survival_at(t), atol=tolerance)


def law_below(curves):
    return getattr(curves._form, "_form", curves._form)


def assert_read_only(curves):
    with pytest.raises(AttributeError, match="immutable"):
        curves.times = 1
    held = [*vars(curves._form).values(), curves.times, curves.survival]
    held += list(getattr(curves._form, "_nodes", ()))
    arrays = [value for value in held if isinstance(value, np.ndarray)]
    assert arrays
    assert not any(array.flags.writeable for array in arrays)


class TestSteps:
    @pytest.mark.parametrize("name", STEPS)
    def test_answers_are_those_of_the_table(self, name):
        curves = MAKERS[name]()
        table = SurvivalCurves._from_nodes(curves._nodes)
        mine, other = answers(curves)[:, :-1], answers(table)[:, :-1]
        assert_allclose(mine, other, rtol=1e-12)
        c = np.linspace(0, 20, N)
        assert_allclose(
            answers(curves.conditional_on(c))[:, :-1],
            answers(table.conditional_on(c))[:, :-1],
            rtol=1e-11,
        )

    @pytest.mark.parametrize("make", [proportional, strata])
    @pytest.mark.parametrize("unit", [2.0**30, 2.0**-30])
    def test_a_change_of_unit_changes_no_bit(self, make, unit):
        plain, other = make(), make(unit=unit)
        q = plain.percentile_times(LEVELS)
        assert_array_equal(other.percentile_times(LEVELS), q * unit)
        assert_array_equal(other.mean(), plain.mean() * unit)
        times = np.linspace(0, 20, 30)
        assert_array_equal(other.survival_at(times * unit), plain.survival_at(times))

    @given(
        st.lists(st.integers(0, 5), min_size=1, max_size=12),
        st.lists(st.floats(-8, 8), min_size=1, max_size=5),
    )
    @settings(deadline=None)
    def test_levels_that_are_met_exactly(self, increments, risks):
        """Wherever the table rounds a probability to, the search stops there."""
        hazard = np.cumsum(increments) / 16
        with np.errstate(divide="ignore"):
            baseline = Steps(np.arange(1.0, len(hazard) + 1), np.log(hazard))
        curves = SurvivalCurves._of(Proportional([baseline], np.array(risks)))
        table = SurvivalCurves._from_nodes(curves._nodes)
        met = np.unique(table.survival)
        met = np.concatenate([met, np.nextafter(met, 0), np.nextafter(met, 1)])
        levels = np.append(met[(met >= 0) & (met < 1)], 0.0)
        assert_array_equal(
            curves._form.percentile_times(levels), table._form.percentile_times(levels)
        )

    def test_many_subjects_are_searched_and_summed_as_the_table_says(self):
        rng = np.random.default_rng(0)
        risk = rng.normal(0, 1.5, 3000)
        curves = SurvivalCurves._of(Proportional([steps(3, 500)], risk))
        table = SurvivalCurves._from_nodes(curves._nodes)
        levels = np.arange(0, 40) / 40
        assert_array_equal(
            curves._form.percentile_times(levels), table._form.percentile_times(levels)
        )
        assert_allclose(curves.mean(), table.mean(), rtol=1e-12)
        assert_allclose(
            curves.restricted_mean(9.0), table.restricted_mean(9.0), rtol=1e-12
        )
        times = np.linspace(0, 300, 4000)
        assert_allclose(
            mean_survival(curves, times), mean_survival(table, times), atol=1e-13
        )

    def test_extreme_risks(self):
        risk = np.array([-np.inf, -800.0, 800.0, np.inf])
        curves = SurvivalCurves._of(Proportional([steps(0)], risk))
        first = np.exp(steps(0).log_hazard).nonzero()[0][0]
        at_once = steps(0).times[first]
        expected = [np.inf, np.inf, at_once, at_once]
        assert_array_equal(curves.median(), expected)
        assert_array_equal(curves.mean(), expected)
        assert_array_equal(curves._times_at(np.array([0.0]))[:, 0], expected)
        assert_array_equal(curves.survival_at([at_once])[:, 0], [1, 1, 0, 0])

    def test_a_missing_risk_is_refused(self):
        with pytest.raises(InvalidInput, match="1 NaN values, the first at row 1"):
            Proportional([steps(0)], np.array([0.0, np.nan]))

    def test_baselines_that_differ_become_strata(self):
        joined = SurvivalCurves.concatenate([proportional(), strata(), proportional()])
        assert isinstance(joined._form, Proportional)
        expected = np.vstack(
            [answers(c()) for c in (proportional, strata, proportional)]
        )
        assert_allclose(answers(joined[:N]), expected[:N], rtol=1e-12)
        assert_allclose(answers(joined[N : 2 * N]), expected[N : 2 * N], rtol=1e-12)


class TestLaws:
    @pytest.mark.parametrize("kind", LAWS)
    def test_agrees_with_scipy(self, kind):
        curves, frozen = law(kind), LAWS[kind](LOCATION[:, None], SCALE[:, None])
        times = np.array([0.0, 0.3, 2.0, 20.0, 100.0])
        assert_allclose(curves.survival_at(times), frozen.sf(times), atol=1e-12)
        assert_allclose(curves.percentile_times(LEVELS), frozen.isf(LEVELS), rtol=1e-12)
        assert_allclose(curves.mean(), frozen.mean()[:, 0], rtol=1e-12)

    @pytest.mark.parametrize("kind", LAWS)
    @pytest.mark.parametrize("scale", [0.05, 0.5, 0.999, 1.0, 1.3, 2.5, 6.0])
    @pytest.mark.parametrize("tau", [0.3, 1.0, 4.0])
    def test_restricted_means(self, kind, scale, tau):
        curves = SurvivalCurves._of(kind(np.zeros(1), np.full(1, scale)))
        # Gauss–Legendre, after a substitution that makes the start smooth.
        x, w = np.polynomial.legendre.leggauss(400)
        power = 2 * int(np.ceil(scale))
        y = (x + 1) / 2
        slope = tau * power * y ** (power - 1)
        area = (w / 2 * slope * curves.survival_at(tau * y**power)[0]).sum()
        assert_allclose(curves.restricted_mean(tau), area, rtol=1e-11)

    @pytest.mark.parametrize("kind", LAWS)
    def test_at_once_and_never(self, kind):
        form = kind(np.array([-np.inf, np.inf, 1.0]), np.array([0.0, 0.0, 0.5]))
        curves = SurvivalCurves._of(form)
        assert_array_equal(curves.survival_at([0.0, 5.0])[:2], [[0, 0], [1, 1]])
        assert_array_equal(curves.median()[:2], [0, np.inf])
        assert_array_equal(curves.mean()[:2], [0, np.inf])
        assert_array_equal(curves.restricted_mean(3.0)[:2], [0, 3])
        assert np.isinf(curves.last_time).all()

    def test_a_mean_may_be_infinite(self):
        curves = SurvivalCurves._of(LogLogistic(np.zeros(2), np.array([0.99, 1.0])))
        assert np.isfinite(curves.mean()).tolist() == [True, False]

    @pytest.mark.parametrize("kind", LAWS)
    def test_missing_parameters_are_refused(self, kind):
        with pytest.raises(InvalidInput, match="NaN parameters, the first at row 1"):
            kind(np.array([0.0, np.nan]), np.ones(2))

    def test_the_mean_curve_of_many_is_the_mean(self):
        rng = np.random.default_rng(0)
        form = LogNormal(rng.normal(size=50), rng.uniform(0.4, 0.6, 50))
        times = np.sort(rng.exponential(2, 3000))
        found = mean_survival(SurvivalCurves._of(form), times)
        assert_allclose(found, form.survival_at(times).mean(axis=0), atol=1e-13)


class TestJoining:
    def test_other_forms_become_tables(self):
        parts = [law(Weibull), table("linear", own=False), table("step", own=True)]
        joined = SurvivalCurves.concatenate(parts)
        assert isinstance(joined._form, Table)
        assert_allclose(
            joined.median(), np.concatenate([p.median() for p in parts]), rtol=1e-12
        )

    def test_pchip_curves_need_one_grid(self):
        with pytest.raises(InvalidInput, match=r"pchip.*same grid"):
            SurvivalCurves.concatenate(
                [table("pchip", own=False), table("linear", own=False)]
            )

    @pytest.mark.parametrize("n", [N - 1, N + 1])
    @pytest.mark.parametrize("name", ["linear table", "proportional"])
    def test_a_wrong_number_of_subjects_is_refused(self, name, n):
        curves = MAKERS[name]()
        with pytest.raises(InvalidInput, match=f"n={n} subjects were announced"):
            SurvivalCurves.concatenate([curves[:3], curves[3:]], n)
        with pytest.raises(InvalidInput, match=f"n={n} subjects were announced"):
            SurvivalCurves.concatenate([curves], n)

    def test_no_parts_are_refused(self):
        with pytest.raises(InvalidInput, match="no curves to join"):
            SurvivalCurves.concatenate([])

    def test_what_a_subclass_knows_is_joined(self):
        from consurv import adjust

        curves = adjust([[3, 9], [1, 7], [2, 8]], [0.75, 0.25], shifts=[2, 1])
        joined = SurvivalCurves.concatenate([curves[:1], curves[1:]])
        assert_array_equal(joined.clipped, curves.clipped)
        assert type(joined) is type(curves)


def test_what_0_1_0_pickled_is_read():
    curves = table("pchip", own=False)
    old = object.__new__(SurvivalCurves)
    names = ("times", "survival", "interpolation")
    old.__setstate__({k: getattr(curves, k) for k in names} | {"_rates": None})
    assert set(vars(old)) == {"_form"}
    assert_array_equal(answers(old), answers(curves))


class TestNoTable:
    @pytest.mark.parametrize("name", NO_TABLE)
    def test_answers_need_none(self, name, no_tables):
        curves = MAKERS[name]()
        answers(curves)
        repr(curves)
        mean_survival(curves, np.linspace(0, 10, 50))
        rng = np.random.default_rng(0)
        y = Outcome(time=rng.exponential(5, N), event=np.arange(N) % 3 > 0)
        d_calibration(y, curves)
        concordance_index(y, curves)

    def test_calibration_needs_none(self, no_tables):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(400, 2))
        y = Outcome(time=rng.exponential(np.exp(X[:, 0])), event=rng.random(400) < 0.7)
        model = CoxPH().fit(X, y)
        ConformalSurvival(model).conformalize(X, y).predict_survival_function(X)
        model.predict(X)

    def test_chunks_do_not_grow_short_with_the_baseline(self):
        baseline = Steps(np.arange(1.0, 2**16), np.log(np.arange(1.0, 2**16)))

        def predict(rows):
            risk = np.zeros(rows.stop - rows.start)
            return SurvivalCurves._of(Proportional([baseline], risk))

        assert [len(c) for _, c in in_chunks(predict, 10_000)] == [10_000]


def test_every_form_is_tested():
    found = {type(make()._form) for make in MAKERS.values()}
    concrete = set()
    waiting = [Representation]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if not getattr(kind, "__abstractmethods__", None):
            concrete.add(kind)
    assert {k for k in concrete if k.__module__.startswith("consurv")} <= found
