"""Calibration by group, and the table of evaluate."""

import numpy as np
import pytest

from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.metrics import evaluate, group_calibration, risk_calibration
from consurv.outcome import Outcome

TIMES = np.linspace(0.05, 12, 200)


def make(n=600, seed=0, stretch=(1.0, 1.0)):
    """Subjects of two sites; the curves of each are stretched."""
    rng = np.random.default_rng(seed)
    site = np.arange(n) % 2
    scale = np.exp(rng.normal(0, 0.5, n))
    time, censoring = rng.exponential(scale), rng.uniform(0.5, 6, n)
    said = scale * np.array(stretch)[site]
    curves = SurvivalCurves(TIMES, np.exp(-TIMES / said[:, None]))
    y = Outcome(np.minimum(time, censoring), time <= censoring)
    return y, curves, np.array(["a", "b"])[site]


class TestGroupCalibration:
    def test_finds_the_group_whose_curves_are_wrong(self):
        y, curves, site = make(stretch=(1.0, 2.0))
        found = group_calibration(y, curves, groups=site)
        assert found.worst_label == "b"
        assert found.p_values[1] < 0.001 < 0.01 < found.p_values[0]
        assert (found.gaps[1] > 0.05).all()  # too optimistic
        assert found.errors.mean() == pytest.approx(float(found))

    def test_groups_of_risk_with_labels_are_the_same_groups(self):
        y, curves, _ = make()
        risk = -curves.median()
        by_risk = risk_calibration(y, curves, n_groups=2)
        half = np.where(risk > np.median(risk), 0, 1)
        found = group_calibration(y, curves, groups=half)
        for name in ("sizes", "observed", "predicted", "p_values", "d_cal"):
            np.testing.assert_allclose(
                getattr(found, name), getattr(by_risk, name), rtol=1e-9
            )

    def test_the_order_of_rows_does_not_matter(self):
        y, curves, site = make()
        rows = np.random.default_rng(1).permutation(len(y))
        found = group_calibration(y, curves, groups=site)
        again = group_calibration(y[rows], curves[rows], groups=site[rows])
        np.testing.assert_allclose(again.gaps, found.gaps, rtol=0, atol=1e-12)

    def test_bad_labels_are_refused(self):
        y, curves, site = make(100)
        with pytest.raises(InvalidInput, match="lengths differ: y has 100, groups has"):
            group_calibration(y, curves, groups=site[:50])
        with pytest.raises(InvalidInput, match="missing labels"):
            group_calibration(y, curves, groups=[None] * 100)


class TestEvaluate:
    def test_has_the_metrics_of_each_group_and_the_worst(self):
        y, curves, site = make(stretch=(1.0, 2.0))
        result = evaluate(y, curves, groups=site)
        table = result.by_group.to_frame()
        assert table.index.tolist() == ["a", "b", "worst"]
        for label in "ab":
            own = site == label
            alone = evaluate(y[own], curves[own]).as_dict()
            assert table.loc[label, list(alone)].to_dict() == alone
            assert table.loc[label, "n"] == own.sum()
        assert table.loc["worst", "d_calibration"] == table["d_calibration"]["b"]
        lowest = table["c_index"][["a", "b"]].min()
        assert table.loc["worst", "c_index"] == lowest
        assert evaluate(y, curves).as_dict() == result.as_dict()
        assert "GroupEvaluation of 2 groups" in repr(result.by_group)

    def test_a_group_without_events_has_no_numbers(self):
        y, curves, _ = make(100)
        lost = np.where(y.event, "seen", "lost")
        table = evaluate(y, curves, groups=lost).by_group.to_frame()
        assert table.loc["lost", "events"] == 0
        assert np.isnan(table.loc["lost", "c_index"])
        assert table.loc["worst", "c_index"] == table.loc["seen", "c_index"]

    def test_without_groups_there_is_no_table(self):
        y, curves, _ = make(100)
        assert evaluate(y, curves).by_group is None
