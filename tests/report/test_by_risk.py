import numpy as np
import pytest

from consurv import ConformalSurvival
from consurv.curves.curves import SurvivalCurves
from consurv.metrics import risk_calibration
from consurv.report.by_risk import clearly_worse, group_name, harms
from consurv.report.risk_groups import RiskLine, risk_groups

TIME = np.arange(1.0, 401)


def of(end):
    curves = SurvivalCurves([end], np.zeros((400, 1)))
    return risk_calibration((TIME > 0, TIME), curves)


class TestClearlyWorse:
    def test_is_nothing_where_nothing_changed(self):
        assert not clearly_worse(of(500.0), of(500.0)).any()

    def test_is_not_what_got_better(self):
        assert not clearly_worse(of(800.0), of(450.0)).any()
        assert clearly_worse(of(450.0), of(800.0)).any()

    def test_is_not_what_got_worse_by_too_little_to_matter(self):
        assert not clearly_worse(of(400.0), of(406.0)).any()

    def test_is_told_where_events_are_rare(self, followed, curves_of_hazard):
        X, y = followed(10_000, 0.0175)
        raw, worse, hardly = (
            SurvivalCurves(*curves_of_hazard(0.0175 * factor)(X))
            for factor in (1, 1.9, 1.05)
        )
        found = [
            risk_calibration(y, curves, risk=X[:, 0]) for curves in (raw, worse, hardly)
        ]
        # Nowhere by as much as 0.02 but at high risk.
        assert np.abs(found[1].gaps - found[0].gaps)[1:].max() < 0.02
        harmed = harms(found[0], found[1])
        assert [harm.who for harm in harmed[-1:]] == ["the fifth at lowest risk"]
        assert str(harmed[-1]).endswith("raw said 99.2%, calibrated says 98.5%")
        assert not harms(found[0], found[2])
        assert not harms(found[1], found[0])

    @pytest.mark.slow
    @pytest.mark.parametrize(("hazard", "n"), [(0.0175, 5_000), (0.65, 450)])
    def test_is_seldom_said_of_a_right_model_whatever_the_share_of_events(
        self, followed, curves_of_hazard, hazard, n
    ):
        said, right = 0, curves_of_hazard(hazard)
        for seed in range(60):
            model = ConformalSurvival(right)
            model.conformalize(*followed(n, hazard, 2 * seed))
            X, y = followed(n, hazard, 2 * seed + 1)
            both = model.predict_both(X)
            risk = -both[0].median()
            said += bool(harms(*(risk_calibration(y, c, risk=risk) for c in both)))
        assert said / 60 <= 0.05

    @pytest.mark.slow
    def test_is_seldom_said_of_a_right_model(self, simulate, right_model):
        said = 0
        for seed in range(80):
            model = ConformalSurvival(right_model)
            model.conformalize(*simulate(1000, 2 * seed))
            X, y = simulate(450, 2 * seed + 1)
            both = model.predict_both(X)
            risk = -both[0].median()
            said += bool(harms(*(risk_calibration(y, c, risk=risk) for c in both)))
        assert said / 80 <= 0.05


class TestTable:
    def test_marks_what_is_worse(self):
        (group,) = risk_groups(of(400.0), of(800.0))
        assert group.who == "all subjects"
        assert {line.judgement for line in group.lines} == {"clearly worse"}

    @pytest.mark.parametrize(
        ("raw", "calibrated", "expected"),
        [(0.7, 0.6, "closer"), (0.6, 0.7, "further"), (0.6, 0.601, "the same")],
    )
    def test_says_which_is_closer(self, raw, calibrated, expected):
        line = RiskLine(1.0, 0.5, 0.4, 0.6, raw, calibrated, False)
        assert line.judgement == expected

    def test_has_more_digits_where_risks_are_small(self):
        line = RiskLine(1.0, 0.997, 0.994, 0.999, 0.994, 0.979, False)
        assert line.percents == ["99.70%", "99.40%", "99.90%", "99.40%", "97.90%"]
        assert line.judgement == "further"
        line = RiskLine(1.0, 0.5, 0.4, 0.6, 0.7, 0.6, False)
        assert line.percents == ["50%", "40%", "60%", "70%", "60%"]

    def test_says_what_is_not_known(self):
        line = RiskLine(1.0, np.nan, np.nan, np.nan, 0.5, 0.5, False)
        assert (line.is_observed, line.judgement) == (False, "not known")


def test_groups_have_names():
    assert group_name(0, 2) == "the half at highest risk"
    assert group_name(5, 10) == "the 6th tenth by risk"
    assert group_name(1, 7) == "the second group of 7 by risk"
