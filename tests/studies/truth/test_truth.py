"""The test bed knows the truth, and says what it should about the rules."""

import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import ndtri

from consurv import adjust, conformal_shifts
from consurv.conformal.censoring.rules import RULES
from studies.truth import (
    LEVELS,
    Setting,
    floor,
    settings,
    simulate,
    true_error,
    true_levels,
)
from studies.truth.__main__ import main
from studies.truth.contestants import contestants
from studies.truth.error import population
from studies.truth.law import Baseline
from studies.truth.run import SettingErrors, run
from studies.truth.setting import CENSORINGS, EFFECTS, MODELS, SIZES
from studies.truth.summary import oracle_checks, summaries, targets
from studies.truth.table import setting_rows, summary_rows

RIGHT = Setting("right", 0.5, "independent", 300)
HIDDEN = Setting("too flat", 0.5, "short for low risk", 300, 0.5, by_hidden=True)
HARD = Setting("wrong shape", 1.0, "short for low risk", 300)


def drawn_levels(setting, shifts, n=200_000):
    """The levels attained by fresh subjects with sampled event times."""
    fresh = simulate(replace(setting, n=n), seed=99)
    curves = adjust(setting.percentile_times(LEVELS, fresh.x), LEVELS, shifts)
    times = curves.percentile_times(LEVELS)
    return (fresh.true_time[:, None] > times).mean(axis=0)


class TestSettings:
    def test_every_mistake_effect_censoring_and_size_is_there(self):
        found = settings()
        assert len(found) >= 24
        assert len({s.name for s in found}) == len(found)
        keys = {(s.model, s.effect, s.censoring, s.n) for s in found if not s.hidden}
        assert len(keys) == len(MODELS) * len(EFFECTS) * len(CENSORINGS) * len(SIZES)
        assert any(s.hidden and s.by_hidden for s in found)

    @pytest.mark.parametrize("setting", [s for s in settings() if s.n == 300])
    def test_four_to_five_in_ten_are_censored(self, setting):
        sample = simulate(replace(setting, n=20_000), seed=0)
        assert 1 - sample.outcome.event.mean() == pytest.approx(0.45, abs=0.015)

    @pytest.mark.parametrize(("censoring", "sign"), CENSORINGS.items())
    def test_low_risk_means_late_or_early_censoring(self, censoring, sign):
        x = z = np.array([-1.0, 1.0])
        seen = Setting("right", 1.0, censoring, 300)
        hidden = replace(seen, hidden=0.5, by_hidden=True)
        for setting in (seen, hidden):  # high x and z: late events
            late, early = setting.censoring_scale(x, z)[::-1]
            assert np.sign(np.round(late - early, 9)) == sign

    def test_models_err_as_their_names_say(self):
        x = np.array([-1.0, 1.0])
        at = {
            m: Setting(m, 1.0, "independent", 300).percentile_times(LEVELS, x)
            for m in MODELS
        }
        right = at["right"]
        assert_allclose(at["scaled"], 1.5 * right)
        spread = {m: q[1, 9] / q[0, 9] for m, q in at.items()}
        assert spread["too flat"] < spread["right"] < spread["wrong slope"]
        steep = {m: q[0, 0] / q[0, 18] for m, q in at.items()}
        assert steep["wrong shape"] > steep["right"]
        assert steep["wrong slope"] == pytest.approx(steep["right"])


class TestLaw:
    @pytest.mark.parametrize("hidden", [0.0, 0.5, 1.2])
    def test_quantiles_invert_the_survival(self, hidden):
        law = Baseline(hidden=hidden)
        assert_allclose(law.survival(law.quantile(LEVELS)), LEVELS, rtol=1e-10)
        assert_array_equal(law.quantile(np.array([0.0, 1.0])), [np.inf, 0.0])

    def test_the_hidden_covariate_is_averaged_out(self):
        law = Baseline(hidden=0.7)
        z = ndtri((np.arange(200_000) + 0.5) / 200_000)
        for t in (1.0, 8.0, 40.0):
            given_z = np.exp(-((t / (law.scale * np.exp(0.7 * z))) ** law.shape))
            assert law.survival(np.array(t)) == pytest.approx(given_z.mean(), abs=1e-7)


class TestSamples:
    def test_a_seed_gives_the_same_subjects_again(self):
        one, two = simulate(HIDDEN, 3), simulate(HIDDEN, 3)
        assert_array_equal(one.outcome.time, two.outcome.time)
        assert not np.isin(one.x, simulate(HIDDEN, 4).x).any()
        assert not np.isin(one.x, simulate(RIGHT, 3).x).any()

    @pytest.mark.parametrize("setting", [HIDDEN, HARD], ids=lambda s: s.name)
    def test_survival_and_percentile_times_are_of_one_model(self, setting):
        sample = simulate(setting, 0)
        median = sample.percentile_times[:, 9]
        assert_allclose(setting.model_survival(median, sample.x), 0.5, rtol=1e-10)
        beyond = sample.outcome.time > median
        assert_array_equal(sample.survival < 0.5, beyond)

    def test_events_happen_at_their_true_times(self):
        sample = simulate(RIGHT, 0)
        event, time = sample.outcome.event, sample.outcome.time
        assert_array_equal(time[event], sample.true_time[event])
        assert (time[~event] < sample.true_time[~event]).all()


class TestError:
    @pytest.mark.parametrize("hidden", [0.0, 0.5])
    def test_a_right_model_is_right(self, hidden):
        setting = replace(RIGHT, hidden=hidden)
        assert true_error(setting, np.zeros(19)) == pytest.approx(0, abs=1e-15)

    @pytest.mark.parametrize("setting", [HIDDEN, HARD], ids=lambda s: s.name)
    def test_it_is_what_many_true_times_show(self, setting):
        sample = simulate(setting, 0)
        shifts = conformal_shifts(sample.percentile_times, LEVELS, sample.outcome)
        attained = true_levels(setting, shifts)
        # The standard deviation of a drawn level is at most 0.0011.
        assert_allclose(drawn_levels(setting, shifts), attained, atol=0.005)
        by_hand = 1e3 * np.mean((attained - LEVELS) ** 2)
        assert true_error(setting, shifts) == by_hand > 0.1

    def test_rearranging_is_part_of_it(self):
        shifts = np.where(LEVELS > 0.5, -3.0, 3.0)  # later times early, and back
        x, raw = population(HARD)
        unrepaired = HARD.true_survival(np.maximum(raw - shifts, 0), x).mean(axis=0)
        assert np.abs(true_levels(HARD, shifts) - unrepaired).max() > 0.01

    def test_more_subjects_in_the_population_change_nothing(self):
        x = ndtri((np.arange(100_000) + 0.5) / 100_000)
        shifts = np.linspace(2.0, -1.0, 19)
        curves = adjust(HARD.percentile_times(LEVELS, x), LEVELS, shifts)
        times = curves.percentile_times(LEVELS)
        many = HARD.true_survival(times, x).mean(axis=0)
        assert_allclose(true_levels(HARD, shifts), many, atol=2e-5)

    def test_the_floor_is_the_variance_of_a_conformal_level(self):
        assert floor(1500) == pytest.approx(0.1165, abs=1e-4)
        assert floor(300) == pytest.approx(0.5795, abs=1e-4)

    @pytest.mark.slow
    def test_the_oracle_attains_the_floor_and_the_paper_rule_does_not(self):
        names = ["oracle", "kaplan-meier"]
        (found,) = run([replace(RIGHT, effect=1.0)], names, range(150))
        (check,) = oracle_checks([found])
        assert check.attained
        assert check.standard_error < 0.1 * check.floor
        assert found.mean("kaplan-meier") > 2 * check.mean


class TestContestants:
    def test_every_registered_rule_takes_part(self):
        assert {"raw", "oracle", *RULES} <= set(contestants())

    @pytest.mark.parametrize("name", contestants())
    def test_it_attains_levels(self, name):
        setting = replace(HIDDEN, model="scaled")
        attained = contestants()[name](setting, simulate(setting, 1))
        assert attained.shape == (19,)
        assert (np.diff(attained) >= -1e-12).all()
        assert (attained >= 0).all()
        assert (attained <= 1).all()


def fake_results():
    right = Setting("right", 0.5, "independent", 1500)
    by_hidden = replace(right, hidden=0.5, by_hidden=True)
    wrong = replace(right, model="scaled", n=300)
    errors = [
        (right, [0.1, 0.3], [2.0, 2.0]),
        (by_hidden, [0.6, 1.0], [1.0, 1.4]),
        (wrong, [2.0, 3.0], [1.0, 2.0]),
    ]
    return [
        SettingErrors(s, {"auto": np.array(ours), "kaplan-meier": np.array(paper)})
        for s, ours, paper in errors
    ]


class TestSummary:
    def test_numbers_by_hand(self):
        ours, paper = summaries(fake_results())
        assert ours.mean == pytest.approx(3.5 / 3)
        assert ours.ratio == pytest.approx(3.5 / 4.7)
        assert ours.excess == pytest.approx(1.0)
        assert ours.excess_in.startswith("scaled")
        assert ours.calibrated == pytest.approx(0.8)
        assert ours.calibrated_in.endswith("independent (hidden), N = 1500")
        assert ours.explained == pytest.approx(0.2)
        assert paper.ratio == 1
        assert np.isnan(paper.excess)

    def test_targets_are_met_or_missed(self):
        goals = targets(summaries(fake_results())[0])
        assert [goal.met for goal in goals] == [False, False, True, False, None]

    def test_without_the_paper_rule_there_is_nothing_to_compare_with(self):
        results = [
            SettingErrors(r.setting, {"auto": r.errors["auto"]}) for r in fake_results()
        ]
        (ours,) = summaries(results)
        assert np.isnan([ours.ratio, ours.excess]).all()
        assert [goal.met for goal in targets(ours)] == [True, False, None]

    def test_tables_show_means_and_standard_errors(self):
        header, first, *_ = setting_rows(fake_results())
        assert header == ["setting", "auto", "kaplan-meier"]
        assert first[1:] == ["0.20 ± 0.10", "2.00 ± 0.00"]
        _, ours, paper = summary_rows(fake_results())
        assert ours[:4] == ["auto", "1.17", "0.74", "+1.00"]
        assert paper[:4] == ["kaplan-meier", "1.57", "1.00", ""]


class TestCommand:
    def test_it_prints_and_writes(self, tmp_path, capsys):
        pytest.importorskip("matplotlib")
        options = "--rules raw oracle kaplan-meier --choice oracle --seeds 3"
        pattern = "right, effect 1, short"
        results = main(
            ["--settings", pattern, *options.split(), "--output", str(tmp_path)]
        )
        out = capsys.readouterr().out
        assert len(results) == 2
        assert "floor mean ρ(1−ρ)/(N+2) = 0.117" in out
        assert 'Targets for censoring="oracle"' in out
        content = json.loads((tmp_path / "truth.json").read_text())
        assert content["n_seeds"] == 3
        first = content["settings"][0]["errors"]
        assert first["raw"] == {"mean": 0.0, "se": 0.0}
        oracle = results[0].mean("oracle")
        assert first["oracle"]["mean"] == pytest.approx(oracle, abs=1e-6)
        assert [t["met"] for t in content["targets"]] == [True] * 4 + [None]
        page = (tmp_path / "truth.md").read_text()
        assert f"| {results[0].setting.name} | 0.00 ± 0.00 |" in page
        assert (tmp_path / "truth.png").stat().st_size > 10_000

    def test_a_part_of_the_run_is_written_nowhere(self, capsys):
        main(["--settings", RIGHT.name, "--rules", "raw", "--seeds", "1"])
        assert "written" not in capsys.readouterr().out

    def test_settings_are_listed(self, capsys):
        assert main(["--list", "--settings", "hidden.*300"]) == []
        assert capsys.readouterr().out.count("N = 300\n") == 6

    def test_an_unknown_setting_is_refused(self, capsys):
        with pytest.raises(SystemExit):
            main(["--settings", "Gompertz"])
        assert "no setting matches 'Gompertz'; --list" in capsys.readouterr().err
