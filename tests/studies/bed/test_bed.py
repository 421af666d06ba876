"""The test bed knows the truth, and says what it should of the contestants."""

import json
import zlib

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv.conformal.adjustments import ADJUSTMENTS
from studies.bed.__main__ import main
from studies.bed.censoring import LIMITS, share_of
from studies.bed.contestants import contestants, further
from studies.bed.fitted import FITTED, FittedWorld, world_of
from studies.bed.judge import LEVELS, Errors, judge
from studies.bed.laws import LAWS
from studies.bed.raws import DISTORTIONS
from studies.bed.run import _one
from studies.bed.setting import GROUPS, Setting, settings
from studies.bed.summary import summaries
from studies.bed.world import World

RIGHT = Setting.of("weibull indep40 right 600")


def errors_of(line, *names, repetition=0):
    _, found = _one(Setting.of(line), names, [repetition], {})
    return [Errors(*found[name][str(repetition)]) for name in names]


class TestSettings:
    def test_the_lists_are_those_that_were_written_down(self):
        # They were committed before any tuning; nobody may change them now.
        sums = {
            group: zlib.crc32("\n".join(map(str, settings(group))).encode())
            for group in ("development", "held out")
        }
        assert [len(settings(group)) for group in GROUPS] == [54, 68, 17, 12, 20]
        assert sums == {"development": 3992941616, "held out": 3564702385}

    def test_nothing_held_out_is_in_development(self):
        seen, unseen = (set(settings(group)) for group in GROUPS[:2])
        assert not seen & unseen
        assert not {s.law for s in seen} & {s.law for s in unseen}

    @pytest.mark.parametrize("group", GROUPS)
    def test_every_name_is_known(self, group):
        for s in settings(group):
            assert s.law in LAWS
            assert s.censoring.rstrip("0123456789") in LIMITS
            known = FITTED if group == "fitted" else DISTORTIONS
            assert s.raw.partition(":")[0].partition("-")[0] in known


class TestLaws:
    @pytest.mark.parametrize("name", LAWS)
    def test_percentile_times_invert_survival(self, name):
        law, rng = LAWS[name], np.random.default_rng(0)
        x, u = rng.normal(size=(40, 4)), np.tile(np.linspace(0.9, 0.1, 9), (40, 1))
        times = law.q(u, x)
        ends = np.isfinite(times)
        found = law.s(np.where(ends, times, 1.0), x)[ends]
        if law.unit:  # the first whole unit at which survival is as low
            before = law.s(np.maximum(times - law.unit, 0), x)[ends]
            assert (found <= u[ends] + 1e-9).all()
            assert (before >= u[ends] - 1e-9).all()
        else:
            assert_allclose(found, u[ends], atol=1e-9)

    @pytest.mark.parametrize("censoring", ["indep40", "admin60", "stag80", "cov-50"])
    def test_the_wanted_share_is_censored(self, censoring):
        world = World(Setting("lognormal", censoring, "right", 20_000))
        _, outcome, _ = world.sample(np.random.default_rng(1))
        assert 1 - outcome.event.mean() == pytest.approx(share_of(censoring), abs=0.01)


class TestHiddenCause:
    @pytest.mark.parametrize(("name", "sign"), [("hid+50", 1), ("hid-50", -1)])
    def test_it_ties_censoring_to_times_and_leaves_their_law(self, name, sign):
        world = World(Setting("lognormal", name, "right", 20_000))
        x, outcome, time = world.sample(np.random.default_rng(1))
        assert 1 - outcome.event.mean() == pytest.approx(0.5, abs=0.01)
        u = world.law.s(time[:, None], x)[:, 0]
        assert_allclose(np.quantile(u, [0.1, 0.5, 0.9]), [0.1, 0.5, 0.9], atol=0.01)
        # Events less what the law expects of those who are seen so long: 0 if
        # censoring told nothing of T beyond x.
        seen = -np.log(world.law.s(outcome.time[:, None], x)[:, 0])
        excess = (outcome.n_events - seen.sum()) / np.sqrt(seen.sum())
        assert sign * excess < -10


class TestWorld:
    def test_a_repetition_can_be_drawn_again(self):
        first, again = (World(RIGHT).draw(3) for _ in range(2))
        assert_array_equal(first.outcome.time, again.outcome.time)
        assert not np.array_equal(first.outcome.time, World(RIGHT).draw(4).outcome.time)

    def test_raw_curves_are_steps_where_they_should_be(self):
        for line, kind in [
            ("weibull none right 60", "linear"),
            ("months none right 60", "step"),
            ("weibull none steps:6 60", "step"),
        ]:
            assert World(Setting.of(line)).test.interpolation == kind

    def test_cut_curves_end_early(self):
        world = World(Setting.of("weibull admin50 cut:0.3 60"))
        assert len(np.unique(world.test.last_time)) == 1
        assert (world.test.survival[:, -1] > 0.05).mean() > 0.9

    def test_fitted_models_never_saw_the_conformal_set(self):
        world = world_of(Setting.of("weibull indep40 cox 120"))
        assert isinstance(world, FittedWorld)
        draw = world.draw(0)
        assert len(draw.curves) == len(draw.outcome) == 120
        assert not np.isin(draw.curves.times, draw.outcome.time).any(), "other times"


class TestJudge:
    @pytest.mark.parametrize("law", [n for n in LAWS if "cured" not in n])
    def test_the_truth_has_no_error(self, law):
        world = World(Setting(law, "none", "right", 60))
        found = judge(world, world.test, world.test)
        assert found.marginal < 0.02
        assert found.by_risk < 0.02
        assert found.ise < (0.2 if LAWS[law].unit else 0.02)
        assert found.tau == pytest.approx(1)

    def test_marginal_errors_agree_with_draws(self):
        world = World(Setting.of("lognormal none times:1.5 60"))
        rng = np.random.default_rng(0)
        levels = []
        for _ in range(200):
            time = world.law.q(rng.random((len(world.x_test), 1)), world.x_test)[:, 0]
            levels.append(world.test.survival_at_observed(time))
        reached = (np.array(levels)[:, :, None] <= LEVELS).mean(axis=(0, 1))
        drawn = 1e3 * np.mean((reached - LEVELS) ** 2)
        assert judge(world, world.test, world.test).marginal == pytest.approx(
            drawn, rel=0.02
        )


class TestContestants:
    def test_all_kinds_take_part(self):
        assert set(ADJUSTMENTS) <= set(contestants())

    def test_further_ones_have_names_of_their_own(self):
        assert not set(further()) & set(contestants())

    def test_a_second_step_is_taken_from_where_the_first_one_ends(self):
        line, first = "weibull none times:1.5 600", "recalibrated"
        names = (first, f"{first}, log-time", f"{first}, level")
        found = errors_of(line, "raw", *names)
        assert all(each.by_risk < 2 for each in found[1:]), "raw has more than 20"
        assert len({each.marginal for each in found}) > 2

    def test_a_factor_is_mended_by_log_time_alone(self):
        raw, time, log_time = errors_of(
            "lognormal none times:1.5 2000", "raw", "oracle time", "oracle log-time"
        )
        assert raw.by_risk > 20
        assert time.by_risk > 5
        assert log_time.by_risk < 1

    def test_a_delay_is_mended_by_time(self):
        time, log_time = errors_of("weibull none late:0.5 2000", "time", "log-time")
        assert time.by_risk < 1 < log_time.by_risk

    def test_too_narrow_curves_are_mended_in_probability(self):
        names = ("raw", "level", "km of pit", "cloglog")
        raw, *mended = errors_of("weibull indep40 width:0.6 2000", *names)
        assert raw.marginal > 5
        assert all(found.by_risk < 1 for found in mended)

    def test_a_factor_is_mended_by_the_default_under_censoring(self):
        raw, found = errors_of("weibull indep40 times:1.5 2000", "raw", "recalibrated")
        assert raw.by_risk > 20
        assert found.by_risk < 1


class TestCommand:
    def test_quick_runs_are_written_and_resumed(self, tmp_path, capsys):
        names = ["time", "log-time", "level"]
        asked = ["--quick", "--output", str(tmp_path), "--contestants", *names]
        records = main(asked)
        assert len(records) == 3
        path = tmp_path / "development.json"
        assert json.loads(path.read_text()) == records
        page = (tmp_path / "development.md").read_text()
        assert "| log-time |" in page
        assert "## by risk" in page
        # What is there is not run again: a record that was tampered with stays.
        first = next(iter(records))
        records[first]["raw"]["0"][0] = 77.0
        path.write_text(json.dumps(records))
        assert main(asked)[first]["raw"]["0"][0] == 77.0
        assert main([*asked, "--fresh"])[first]["raw"]["0"][0] < 77

    def test_lists_and_refuses(self, capsys):
        assert main(["--held-out", "--list", "--settings", "^heavy.*times"]) == {}
        assert capsys.readouterr().out == "heavy stag85 times:1.5 400\n"
        with pytest.raises(SystemExit):
            main(["--settings", "nothing"])
        assert "no setting of 'development' matches" in capsys.readouterr().err


def test_harm_is_counted_against_raw():
    good, bad = [1.0, 1.0, 1.0, 1.0, 1.0], [4.0, 1.0, 1.6, 1.0, 0.5]
    records = {
        "a": {"raw": {"0": good}, "time": {"0": bad}},
        "b": {"raw": {"0": good}, "time": {"0": good}},
        "c": {"raw": {"0": good}},  # not run yet: left out
    }
    raw, time = summaries(records, ["time"])
    assert (raw.harmed, raw.worst) == (0, 0)
    assert (time.harmed, time.harmed_marginally) == (0.5, 0.5)
    assert (time.worst_in, time.worst) == ("a", pytest.approx(0.6))
    assert (time.worst_marginal, time.least_tau) == (3, 0.5)
