"""Sites together give what all subjects in one place give, and tell of nobody alone."""

import json
import warnings

import numpy as np
import pytest

from consurv import CalibrationWarning, ConformalSurvival
from consurv.distributed import Lattice, federate
from consurv.distributed.federated import Plan, answer, first_question, proceed
from consurv.distributed.federated.coarse import coarser
from consurv.errors import InvalidInput
from tests.distributed.federated.hospitals import (
    model,
    numbers,
    pooled,
    sites,
    tables,
)
from tests.distributed.people import Optimist, subjects

LEVELS = np.arange(1, 10) / 10
KINDS = [(k, r) for k in ("time", "log-time") for r in ("kaplan-meier", "uncensored")]


@pytest.fixture(scope="module")
def fitted():
    return model()


@pytest.fixture(scope="module")
def papers(fitted):
    """All summaries of a run with a minimum, by site and round."""
    rows = {name: t for name, t in tables().items() if name != "isle"}
    found = {}

    def site(name):
        def ask(question):
            told = answer(question, fitted, rows[name], site=name, coarsen=True)
            found[name, question["round"]] = json.loads(json.dumps(told))
            return told

        return ask

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*left out")
        federate(fitted, {n: site(n) for n in rows}, edges=2.0, minimum=5)
    return rows, found


@pytest.fixture(scope="module")
def begun(fitted):
    rows = {"a": subjects(300, seed=1), "b": subjects(200, seed=2)}
    plan = Plan(sites=("a", "b"), levels=(0.5,), edges=(4.0,), minimum=1)
    question = first_question(plan)
    told = {n: answer(question, fitted, t, site=n) for n, t in rows.items()}
    return rows, question, told


def together(fitted, rows, *, coarsen=False, **how):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*left out")
        return federate(fitted, sites(fitted, rows, coarsen=coarsen), **how)


class TestFiveSites:
    @pytest.mark.parametrize(
        ("kind", "censoring", "step"),
        # A fine lattice of ratios would take a minute.
        [(*both, 2.0) for both in KINDS] + [(*both, 0.7) for both in KINDS[:2]],
    )
    def test_give_what_one_place_gives(self, fitted, kind, censoring, step):
        rows = tables()
        found = together(
            fitted, rows, edges=step, minimum=1, adjustment=kind, censoring=censoring
        )
        wanted = pooled(fitted, rows, LEVELS, step, kind, censoring)
        np.testing.assert_allclose(
            numbers(found.adjustment_), numbers(wanted), rtol=1e-9, atol=1e-9
        )
        for name in ("identified", "beyond", "n_subjects"):
            got = getattr(found.adjustment_, name)
            np.testing.assert_array_equal(got, getattr(wanted, name))
        assert found.n_conformal_ == wanted.n_conformal == 3240
        assert found.kaplan_meier_ == wanted.kaplan_meier
        assert found.conformal_set_ == "federated"

    @pytest.mark.parametrize(("kind", "censoring"), KINDS)
    @pytest.mark.parametrize(("seed", "minimum"), [(0, 3), (1, 4), (2, 5), (3, 10)])
    def test_tell_nothing_wrong(self, fitted, kind, censoring, seed, minimum):
        sizes = {"a": 700, "b": 450, "c": 300, "d": 120, "e": 30}
        rows, step = tables(sizes, seed=10 * seed), 3.0
        found = together(
            fitted,
            rows,
            coarsen=True,
            edges=step,
            minimum=minimum,
            adjustment=kind,
            censoring=censoring,
        )

        def observed(table):
            moved = Lattice([step]).move(table["time"])
            return coarser(moved, table["event"].to_numpy() == 1, minimum)

        told = np.isin(LEVELS, found.levels_)
        assert told.any()
        wanted = pooled(fitted, rows, LEVELS, step, kind, censoring, observed=observed)
        np.testing.assert_allclose(
            numbers(found.adjustment_), numbers(wanted)[told], rtol=1e-9, atol=1e-9
        )

    def test_may_come_in_any_order(self, fitted):
        rows = tables()
        first = together(fitted, rows, edges=2.0, minimum=1)
        turned = dict(reversed(rows.items()))
        again = together(fitted, turned, edges=2.0, minimum=1)
        np.testing.assert_array_equal(first.shifts_, again.shifts_)

    def test_leave_the_model_as_it_was(self, fitted):
        before = fitted.predict(subjects(5)[["dose", "age"]])
        found = together(fitted, tables(), edges=2.0, minimum=1)
        after = fitted.predict(subjects(5)[["dose", "age"]])
        np.testing.assert_array_equal(before, after)
        assert fitted.adjustment_.kind == "log-time"
        assert not np.allclose(found.predict(subjects(5)[["dose", "age"]]), before)

    def test_need_one_round_without_censored_subjects(self, fitted):
        rows = {k: t.assign(event=1) for k, t in tables().items()}
        asked = []

        def site(name):
            def ask(question):
                asked.append(question["round"])
                return answer(question, fitted, rows[name], site=name)

            return ask

        found = federate(fitted, {n: site(n) for n in rows}, edges=2.0, minimum=1)
        assert set(asked) == {1}
        wanted = pooled(fitted, rows, LEVELS, 2.0, "time", "kaplan-meier")
        np.testing.assert_allclose(found.shifts_, wanted.shifts, atol=1e-9)

    def test_leave_levels_out_that_they_cannot_tell(self, fitted):
        ask = sites(fitted, tables(), coarsen=True)
        with pytest.warns(CalibrationWarning, match=r"left out: .* minimum of 12 "):
            found = federate(fitted, ask, edges=2.0, minimum=12)
        assert len(found.levels_) < 9
        assert len(found.shifts_) == len(found.levels_)

    def test_refuse_where_no_level_can_be_told(self, fitted):
        rows = {name: subjects(50, seed=i) for i, name in enumerate("abcdef")}
        ask = sites(fitted, rows, coarsen=True)
        how = {"adjustment": "log-time", "censoring": "uncensored"}
        with pytest.raises(InvalidInput, match="no level can be told exactly"):
            federate(fitted, ask, edges=0.2, minimum=14, **how)


class Odd(Optimist):
    """Says of some that they live for ever, and of others that they are dead."""

    def predict_survival_function(self, X):
        times, survival = super().predict_survival_function(X)
        survival = np.array(survival)
        survival[X["age"].to_numpy() > 85] = 1.0
        survival[X["age"].to_numpy() < 45] *= 0.75
        first = np.where(X["age"].to_numpy() < 45, 0.75, 1.0)
        return np.append(0.0, times), np.column_stack([first, survival])


class TestOddCurves:
    @pytest.mark.parametrize("kind", ["time", "log-time"])
    @pytest.mark.parametrize("censoring", ["kaplan-meier", "uncensored"])
    def test_do_not_matter(self, kind, censoring):
        settings = {"adjustment": kind, "censoring": "uncensored", "percentiles": 9}
        odd = ConformalSurvival(Odd(), **settings)
        rows = tables({"a": 800, "b": 500})
        with pytest.warns(CalibrationWarning, match="infinite percentile times"):
            odd.conformalize(rows["a"], time="time", event="event")
        with pytest.warns(CalibrationWarning, match="infinite percentile times"):
            wanted = pooled(odd, rows, LEVELS, 4.0, kind, censoring)
        with pytest.warns(CalibrationWarning, match="infinite percentile times"):
            found = federate(
                odd,
                sites(odd, rows),
                edges=4.0,
                minimum=1,
                adjustment=kind,
                censoring=censoring,
            ).adjustment_
        np.testing.assert_allclose(numbers(found), numbers(wanted), rtol=1e-9)
        np.testing.assert_array_equal(found.n_subjects, wanted.n_subjects)
        assert found.n_infinite == wanted.n_infinite > 0

    def test_a_few_infinite_ones_are_not_told_of(self):
        odd = ConformalSurvival(Odd(), adjustment="time", percentiles=3)
        with pytest.warns(CalibrationWarning, match="infinite percentile times"):
            odd.conformalize(subjects(500), time="time", event="event")
        some = subjects(500, seed=4)
        few = some[(some["age"] <= 85) | (np.arange(500) < 12)].assign(time=4.0)
        question = first_question(Plan(sites=("a",), levels=(0.25, 0.5), edges=(4.0,)))
        with pytest.raises(InvalidInput, match=r"infinite percentile times at a lie"):
            answer(question, odd, few, site="a")


class TestWhatASiteTells:
    def test_no_count_lies_below_the_minimum(self, papers):
        _, found = papers
        counts = []
        for (_, number), paper in found.items():
            if number == 1:
                counts += paper["outcomes"]["events"] + paper["outcomes"]["censored"]
                counts += [n for some in paper["infinite"] for n in some]
                both = paper["events"] + paper["censored"]
                groups = [group for some in both for group in some]
                counts += [group[0] for group in groups]
                # Nobody is told how many the few are: it is a bound or everybody.
                assert all(g[2] in (0, 4, 8, g[0] - 5, g[0]) for g in groups)
        assert len(counts) > 500
        assert not {1, 2, 3, 4} & set(counts)

    def test_no_time_is_off_the_lattice(self, papers):
        rows, found = papers
        exact = {float(t) for table in rows.values() for t in table["time"]}
        for (name, number), paper in found.items():
            told = set(_numbers({k: v for k, v in paper.items() if k != "checksum"}))
            assert not told & exact, (name, number)
            if number == 1:
                times = np.array(paper["outcomes"]["times"])
                np.testing.assert_array_equal(times % 2.0, 0.0)
                mains = [g[1] for some in paper["events"] for g in some]
                np.testing.assert_allclose(np.array(mains) % 2.0, 0.0, atol=1e-9)

    def test_has_as_much_of_many_subjects_as_of_few(self, papers, fitted):
        _, found = papers
        lengths = {key: len(json.dumps(paper)) for key, paper in found.items()}
        assert max(lengths.values()) < 100_000
        plan = Plan(sites=("one",), levels=(0.5,), edges=(2.0,))
        question = first_question(plan)
        sizes = [
            len(
                json.dumps(
                    answer(question, fitted, subjects(n), site="one", coarsen=True)
                )
            )
            for n in (1000, 30_000)
        ]
        assert sizes[1] < 3 * sizes[0]

    def test_it_refuses_counts_below_the_minimum(self, fitted):
        question = first_question(Plan(sites=("isle",), levels=(0.5,), edges=(2.0,)))
        with pytest.raises(
            InvalidInput,
            match=r"\d+ of \d+ counts of observed times at isle lie below "
            r"the minimum of 5.*coarser lattice",
        ):
            answer(question, fitted, tables()["isle"], site="isle")

    def test_it_refuses_where_no_lattice_is_coarse_enough(self, fitted):
        question = first_question(Plan(sites=("isle",), levels=(0.5,), edges=(2.0,)))
        few = tables()["isle"].head(6)
        with pytest.raises(InvalidInput, match=r"6 subjects with . events are too few"):
            answer(question, fitted, few, site="isle", coarsen=True)


def _numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _numbers(one)
    elif isinstance(value, float):
        yield value


class TestRefusals:
    def test_a_site_is_missing(self, begun):
        _, question, told = begun
        with pytest.raises(InvalidInput, match="round 1 waits for: b"):
            proceed([question], {"x": told["a"]})

    def test_a_summary_is_there_twice(self, begun, fitted):
        rows, question, told = begun
        other = answer(question, fitted, rows["b"], site="a")
        same = {"x": told["a"], "copy of x": told["a"], "y": told["b"]}
        assert proceed([question], same)["round"] == 2
        with pytest.raises(
            InvalidInput, match=r"a has answered round 1 twice.*x and z"
        ):
            proceed([question], {"x": told["a"], "y": told["b"], "z": other})

    def test_a_summary_of_another_plan(self, begun):
        _, _, told = begun
        plan = Plan(sites=("a", "b"), levels=(0.5,), edges=(5.0,), minimum=1)
        with pytest.raises(InvalidInput, match="x answers another question"):
            proceed([first_question(plan)], {"x": told["a"], "y": told["b"]})

    def test_a_summary_that_was_changed(self, begun):
        _, question, told = begun
        changed = told["a"] | {"site": "b"}
        with pytest.raises(InvalidInput, match="x was changed or damaged"):
            proceed([question], {"x": changed})

    def test_a_site_that_takes_no_part(self, begun, fitted):
        rows, question, _ = begun
        with pytest.raises(
            InvalidInput, match="'c' takes no part; the sites are: a, b"
        ):
            answer(question, fitted, rows["a"], site="c")

    def test_other_data_in_the_second_round(self, begun, fitted):
        rows, question, told = begun
        second = proceed([question], dict(told))
        with pytest.raises(InvalidInput, match="data of a are not those"):
            answer(second, fitted, rows["b"], site="a")

    def test_a_question_made_of_other_summaries(self, begun, fitted):
        rows, question, told = begun
        second = proceed([question], dict(told))
        other = answer(question, fitted, rows["b"].head(100), site="b")
        last = {n: answer(second, fitted, t, site=n) for n, t in rows.items()}
        papers = {"a1": told["a"], "b1": other, "a2": last["a"], "b2": last["b"]}
        with pytest.raises(InvalidInput, match="made of other summaries of round 1"):
            proceed([question, second], papers)

    def test_no_question(self, fitted):
        with pytest.raises(InvalidInput, match="is no question or summary"):
            answer({"round": 1}, fitted, subjects(9), site="a")

    @pytest.mark.parametrize(
        ("setting", "value"),
        [
            ("adjustment", "recalibrated"),
            ("adjustment", "level"),
            ("censoring", "auto"),
        ],
    )
    def test_what_counts_are_not_enough_for(self, fitted, setting, value):
        with pytest.raises(
            InvalidInput, match=f"{setting}='{value}' needs more of each"
        ):
            federate(fitted, {"a": None}, edges=2.0, **{setting: value})
