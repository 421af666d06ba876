import numpy as np
import pytest
from scipy.stats import chi2

from consurv.curves.curves import SurvivalCurves
from consurv.metrics import d_calibration, risk_calibration
from consurv.metrics.d_calibration import DCalibrationResult
from consurv.outcome import Outcome
from consurv.report.bootstrap import Estimate, compare
from consurv.report.verdict import is_calibrated, largest_gap, verdict

DOWN, UP = Estimate(-0.02, -0.03, -0.01), Estimate(0.02, 0.01, 0.03)
WITHIN, UNKNOWN = Estimate(-0.001, -0.01, 0.01), Estimate(-0.1, np.nan, np.nan)
SAME = Estimate(0, 0, 0)


def result(shares, n=500):
    """D-calibration of n subjects with these shares in ten bins."""
    histogram = n * np.asarray(shares, dtype=float) / np.sum(shares)
    levels = np.arange(1, 10) / 10
    cumulative = np.cumsum(histogram)[:-1] / n
    statistic = float(np.sum((histogram - n / 10) ** 2) / (n / 10))
    return DCalibrationResult(
        value=float(np.mean((cumulative - levels) ** 2)),
        levels=levels,
        cumulative=cumulative,
        histogram=histogram,
        statistic=statistic,
        p_value=float(chi2.sf(statistic, 9)),
    )


GOOD = result([1] * 10)
OPTIMISTIC = result([5, 5, 6, 7, 9, 10, 11, 13, 16, 18])
PESSIMISTIC = result([18, 16, 13, 11, 10, 9, 7, 6, 5, 5])
SURE = result([18, 13, 9, 6, 4, 4, 6, 9, 13, 18])
VAGUE = result([4, 6, 9, 13, 18, 18, 13, 9, 6, 4])


def kind(before, after, change, n_events=400):
    return verdict(before, after, change, SAME, n_events).kind


class TestKind:
    @pytest.mark.parametrize(
        ("before", "after", "change", "expected"),
        [
            (GOOD, GOOD, WITHIN, "calibrated already"),
            (GOOD, GOOD, UP, "calibrated already"),
            (OPTIMISTIC, GOOD, DOWN, "calibrated now"),
            (OPTIMISTIC, GOOD, WITHIN, "unclear"),
            (OPTIMISTIC, SURE, DOWN, "improved"),
            (OPTIMISTIC, PESSIMISTIC, WITHIN, "unchanged"),
            (SURE, OPTIMISTIC, UP, "worse"),
            (GOOD, OPTIMISTIC, UP, "worse"),
            (GOOD, OPTIMISTIC, WITHIN, "unclear"),
            (OPTIMISTIC, GOOD, UNKNOWN, "unclear"),
        ],
    )
    def test_follows_from_tests_and_interval(self, before, after, change, expected):
        assert kind(before, after, change) == expected

    @pytest.mark.parametrize("n_events", [1, 19])
    def test_is_too_few_below_20_events_whatever_the_tests_say(self, n_events):
        for before, after in [(GOOD, GOOD), (OPTIMISTIC, GOOD), (GOOD, OPTIMISTIC)]:
            assert kind(before, after, DOWN, n_events) == "too few"

    def test_makes_nothing_of_passing_with_fewer_than_50_events(self):
        assert kind(GOOD, GOOD, WITHIN, 49) == "too few"
        assert kind(GOOD, GOOD, WITHIN, 50) == "calibrated already"

    def test_believes_a_rejection_from_20_events_on(self):
        assert kind(OPTIMISTIC, GOOD, DOWN, 20) == "calibrated now"


class TestIsCalibrated:
    def test_forgives_what_is_sure_but_too_little_to_matter(self):
        shares = [10.3, 9.7] * 5
        many = result(shares, n=10**6)
        assert many.p_value < 1e-6
        assert largest_gap(many) == pytest.approx(0.003)
        assert is_calibrated(many)
        words = verdict(many, many, WITHIN, SAME, 10**6).reasons[0]
        assert words.startswith("Raw curves: off by too little to matter (p < 0.001")

    def test_does_not_forgive_large_gaps(self):
        assert not is_calibrated(OPTIMISTIC)


class TestWords:
    @pytest.mark.parametrize(
        ("before", "words"),
        [
            (OPTIMISTIC, "too optimistic, events come earlier than they say"),
            (PESSIMISTIC, "too pessimistic, events come later than they say"),
            (SURE, "too sure of themselves"),
            (VAGUE, "too vague"),
            (GOOD, "consistent with calibration (p = 1; largest gap"),
        ],
    )
    def test_say_in_which_way_curves_are_off(self, before, words):
        assert words in verdict(before, GOOD, DOWN, SAME, 400).reasons[0]

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (DOWN, "D-cal fell by more than chance"),
            (UP, "D-cal rose by more than chance"),
            (WITHIN, "D-cal changed by no more than chance"),
            (UNKNOWN, "too small for a bootstrap interval"),
        ],
    )
    def test_say_what_became_of_d_cal(self, change, words):
        assert words in " ".join(verdict(GOOD, GOOD, change, SAME, 400).reasons)

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (SAME, "was kept (C-index the same to four digits)"),
            (Estimate(-0.01, -0.02, 0.01), "was kept (the C-index fell by 0.0100, wi"),
            (Estimate(0.001, 0.0005, 0.002), "all but kept (the C-index rose by 0.001"),
            (Estimate(-0.05, -0.06, -0.04), "got worse: the C-index fell by 0.0500"),
            (Estimate(0.05, 0.04, 0.06), "got better: the C-index rose by 0.0500"),
        ],
    )
    def test_say_what_became_of_the_ranking(self, change, words):
        assert words in verdict(GOOD, GOOD, WITHIN, change, 400).reasons[-1]

    def test_say_what_a_passed_test_is_worth(self):
        # √(15.6 / 400) is 0.197.
        reasons = " ".join(verdict(OPTIMISTIC, GOOD, DOWN, SAME, 400).reasons)
        assert "With 400 events among 500 subjects the test would notice" in reasons
        assert "off by 20% of what it should be" in reasons

    def test_say_how_few_are_too_few(self):
        reasons = " ".join(verdict(GOOD, GOOD, WITHIN, SAME, 12).reasons)
        assert "Only 12 events were observed. The test wants at least 50" in reasons


class TestOnCurves:
    """Uncensored exponential times, and curves stretched by a factor."""

    @staticmethod
    def of(n, before, after):
        time = np.random.default_rng(5).exponential(10, n)
        y = Outcome(time=time, event=np.ones(n))
        grid = np.linspace(0.1, 100, 200)
        curves = [
            SurvivalCurves(grid, np.exp(-grid / (10 * stretch))[None].repeat(n, 0))
            for stretch in (before, after)
        ]
        found = compare(y, *curves, n_bootstrap=50)
        results = [d_calibration(y, c) for c in curves]
        change = found.estimates["d_calibration"][2]
        return verdict(*results, change, found.estimates["c_index"][2], n).kind

    def test_differs_for_calibrated_and_stretched_curves_and_small_samples(self):
        assert self.of(400, before=1, after=1) == "calibrated already"
        assert self.of(400, before=2, after=1) == "calibrated now"
        assert self.of(400, before=3, after=1.5) == "improved"
        assert self.of(400, before=1, after=2) == "worse"
        assert self.of(15, before=1, after=1) == "too few"
        assert self.of(15, before=2, after=1) == "too few"


class TestRareEvents:
    """2 % have the event; D-calibration spreads all others as the curves say."""

    HAZARD = 0.0175

    @pytest.fixture
    def right(self, followed, curves_of_hazard):
        X, y = followed(10_000, self.HAZARD)
        return X, y, self.looked_at(X, y, curves_of_hazard(self.HAZARD))

    @staticmethod
    def looked_at(X, y, model):
        curves = SurvivalCurves(*model(X))
        by_risk = risk_calibration(y, curves, risk=X[:, 0])
        return (
            d_calibration(y, curves),
            by_risk,
            risk_calibration(y, curves, n_groups=1),
        )

    @staticmethod
    def verdict(y, before, after, change=DOWN):
        d_cals, by_risk, overall = zip(before, after, strict=True)
        return verdict(
            *d_cals,
            d_cal_change=WITHIN,
            c_index_change=SAME,
            n_events=y.n_events,
            by_risk=by_risk,
            overall=overall,
            risk_cal_change=change,
        )

    @pytest.mark.parametrize(
        ("factor", "words"), [(0.5, "too optimistic"), (1.6, "too pessimistic")]
    )
    def test_curves_with_another_risk_are_off(
        self, right, curves_of_hazard, factor, words
    ):
        X, y, after = right
        before = self.looked_at(X, y, curves_of_hazard(factor * self.HAZARD))
        assert before[0].p_value > 0.05
        found = self.verdict(y, before, after)
        assert found.kind == "calibrated now"
        assert found.reasons[2].startswith(
            f"Against Kaplan–Meier of all subjects: raw curves {words} (p < 0.001), "
            "calibrated ones consistent with it (p = "
        )
        assert found.reasons[3].startswith("Against Kaplan–Meier in groups of risk: ")
        assert found.reasons[0].startswith("Raw curves: consistent with D-calibration")
        for change in (UP, WITHIN):  # a group is worse off
            assert self.verdict(y, after, before, change).kind == "worse"
        assert self.verdict(y, before, before, WITHIN).kind == "unchanged"
        # Where D-calibration rejects nothing, the change by risk is what counts.
        found = self.verdict(y, before, after, WITHIN)
        assert found.kind == "unclear"
        assert "the calibrated ones pass the tests, but" in found.headline

    def test_right_curves_were_calibrated_already(self, right):
        _, y, tests = right
        found = self.verdict(y, tests, tests)
        assert found.kind == "calibrated already"
        for place, whose in ((2, "of all subjects"), (3, "in groups of risk")):
            told = f"Against Kaplan–Meier {whose}: raw curves consistent with it (p ="
            assert found.reasons[place].startswith(told)

    def test_small_shares_are_a_part_of_those_of_events(self):
        # Sure by far, and off by less than 0.01: by a tenth of the events, then.
        many = result([10.2, *[10] * 8, 9.8], n=10**6)
        assert many.p_value < 1e-6
        assert largest_gap(many) == pytest.approx(0.002)
        assert is_calibrated(many)
        assert not is_calibrated(many, share=0.02)
        assert is_calibrated(many, share=0.05)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("hazard", "n"), [(0.0175, 5_000), (0.0175, 10_000), (0.65, 450), (0.65, 3000)]
    )
    def test_right_curves_are_seldom_called_off(
        self, followed, curves_of_hazard, hazard, n
    ):
        model, off = curves_of_hazard(hazard), 0
        for seed in range(200):
            X, y = followed(n, hazard, seed)
            tests = self.looked_at(X, y, model)
            off += self.verdict(y, tests, tests).kind != "calibrated already"
        assert off / 200 <= 0.05


class TestByRisk:
    """400 subjects of a high and a low risk, each with right or with wrong curves."""

    @staticmethod
    def both(raw, calibrated):
        """Results of halves whose curves end at these times; 100, 300 is right."""
        time = np.concatenate([np.arange(0.5, 100.5, 0.5), np.arange(1.5, 301.5, 1.5)])
        risk = np.repeat([1.0, 0.0], 200)
        curves = [
            SurvivalCurves(np.repeat(ends, 200)[:, None], np.zeros((400, 1)))
            for ends in (raw, calibrated)
        ]
        return tuple(
            risk_calibration((time > 0, time), c, risk=risk, n_groups=2) for c in curves
        )

    def test_is_green_if_nobody_is_worse_off(self):
        both = self.both(raw=(150.0, 450.0), calibrated=(100.0, 300.0))
        found = verdict(OPTIMISTIC, GOOD, DOWN, SAME, 400, both)
        assert found.kind == "calibrated now"
        assert "No group of risk has become clearly worse." in found.reasons

    @pytest.mark.parametrize(("before", "change"), [(OPTIMISTIC, DOWN), (GOOD, WITHIN)])
    def test_is_not_green_if_somebody_is_and_says_who(self, before, change):
        both = self.both(raw=(100.0, 450.0), calibrated=(150.0, 300.0))
        found = verdict(before, GOOD, change, SAME, 400, both)
        assert found.kind == "uneven"
        assert found.headline == (
            "Calibrated on average, but worse for some: the half at highest risk"
        )
        told = next(r for r in found.reasons if r.startswith("Clearly worse off"))
        assert told == (
            "Clearly worse off is the half at highest risk: 25% survive time 75, "
            "raw said 25%, calibrated says 50%."
        )

    def test_says_so_in_other_verdicts_too(self):
        both = self.both(raw=(100.0, 450.0), calibrated=(150.0, 300.0))
        found = verdict(OPTIMISTIC, SURE, DOWN, SAME, 400, both)
        assert found.kind == "improved"
        assert any(r.startswith("Clearly worse off") for r in found.reasons)

    def test_is_green_if_what_the_test_by_risk_finds_is_too_little_to_matter(self):
        time = np.tile(np.arange(0.005, 100, 0.01), 20)
        tests = []
        for end in (100.5, 100.0):
            curves = SurvivalCurves([end], np.zeros((time.size, 1)))
            tests.append(risk_calibration((time > 0, time), curves))
        assert tests[0].p_value < 0.025
        found = verdict(GOOD, GOOD, WITHIN, SAME, time.size, tests)
        assert found.kind == "calibrated already"
        assert "raw curves off by too little to matter (p" in found.reasons[2]
        assert found.reasons[2].startswith("Against Kaplan–Meier of all subjects: raw")

    def test_says_nothing_with_too_few_events(self):
        both = self.both(raw=(100.0, 450.0), calibrated=(150.0, 300.0))
        found = verdict(GOOD, GOOD, WITHIN, SAME, 12, both)
        assert found.kind == "too few"
        assert not any("worse" in reason for reason in found.reasons)


class TestHeadline:
    def test_of_a_change_within_chance_agrees_with_the_tests(self):
        found = verdict(OPTIMISTIC, GOOD, WITHIN, SAME, 400)
        assert found.headline == (
            "The raw curves were off and the calibrated ones pass the test, but chance "
            "alone may explain the change"
        )
        assert "too optimistic" in found.reasons[0]
        found = verdict(GOOD, OPTIMISTIC, WITHIN, SAME, 400)
        assert found.headline.startswith("Only the raw curves pass the test, but")
