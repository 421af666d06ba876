import numpy as np
import pytest
from numpy.testing import assert_allclose

from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.metrics import evaluate
from consurv.outcome import Outcome
from consurv.report import bootstrap
from consurv.report.bootstrap import Estimate, compare

METRICS = ["c_index", "d_calibration", "km_calibration"]
METRICS += ["integrated_brier_score", "mae_po", "risk_calibration"]


@pytest.fixture(scope="module")
def compared(predicted):
    return compare_on(predicted, random_state=0)


def compare_on(predicted, random_state):
    return compare(
        predicted.y,
        predicted.optimistic,
        predicted.good,
        y_train=predicted.y,
        n_bootstrap=100,
        random_state=random_state,
    )


class TestValues:
    def test_are_those_of_evaluate(self, predicted, compared):
        assert list(compared.estimates) == METRICS
        both = (predicted.optimistic, predicted.good)
        raw, calibrated = (
            evaluate(
                predicted.y,
                c,
                y_train=predicted.y,
                risk=-predicted.optimistic.median(),
            ).as_dict()
            for c in both
        )
        for name, (before, after, change) in compared.estimates.items():
            assert before.value == raw[name]
            assert after.value == calibrated[name]
            assert change.value == calibrated[name] - raw[name]


class TestIntervals:
    def test_hold_the_value(self, compared):
        for parts in compared.estimates.values():
            for part in parts:
                assert part.has_interval
                assert part.low <= part.value <= part.high

    def test_stay_where_the_metric_can_be(self, compared):
        for before, after, _ in compared.estimates.values():
            assert min(before.low, after.low) >= 0
        assert compared.estimates["d_calibration"][1].low == 0

    def test_show_that_right_curves_are_better_than_stretched_ones(self, compared):
        for name in ("d_calibration", "km_calibration", "integrated_brier_score"):
            assert compared.estimates[name][2].is_below(0)

    def test_of_paired_changes_are_narrower_than_those_of_the_values(self, predicted):
        # A curve against nearly the same curve: what is common cancels.
        times = predicted.good.times
        nearly = SurvivalCurves(1.01 * times, predicted.good.survival)
        found = compare(predicted.y, predicted.good, nearly, n_bootstrap=50)
        for before, _, change in found.estimates.values():
            assert change.high - change.low < 0.4 * (before.high - before.low)

    def test_do_not_depend_on_the_kind_of_curves_if_they_are_equal(self, predicted):
        found = compare(predicted.y, predicted.good, predicted.good, n_bootstrap=20)
        for before, after, change in found.estimates.values():
            assert before == after
            assert change == Estimate(0, 0, 0)

    def test_are_the_same_for_the_same_seed(self, predicted, compared):
        again, other = (compare_on(predicted, seed) for seed in (0, 1))
        assert again.estimates == compared.estimates != other.estimates

    @pytest.mark.slow
    def test_cover_what_large_samples_give(self, simulate):
        """Metrics whose meaning does not depend on n: 24 samples, 95 %."""
        times = np.linspace(0.2, 200, 50)

        def curves(X, stretch):
            return SurvivalCurves(times, np.exp(-times / (stretch * 10 * np.exp(X))))

        X, y = simulate(50_000, 1000)
        truth = [evaluate(y, curves(X, stretch)).as_dict() for stretch in (2, 1.3)]
        covered = np.zeros(3)
        for seed in range(24):
            X, y = simulate(120, seed)
            both = (curves(X, 2), curves(X, 1.3))
            found = compare(y, *both, n_bootstrap=60, random_state=seed).estimates
            parts = (found["c_index"][0], *found["d_calibration"][1:])
            d_cal = truth[1]["d_calibration"]
            change = d_cal - truth[0]["d_calibration"]
            right = (truth[0]["c_index"], d_cal, change)
            covered += [p.low <= t <= p.high for p, t in zip(parts, right, strict=True)]
        assert (covered >= 21).all()  # 23 are expected, fewer than 21 in 1 of 30


class TestManySubjects:
    def test_are_drawn_in_part_and_their_spread_is_scaled(self, simulate, monkeypatch):
        X, y = simulate(800)
        times = np.linspace(0.2, 200, 50)
        curves = SurvivalCurves(times, np.exp(-times / (20 * np.exp(X))))
        whole = compare(y, curves, curves, n_bootstrap=100)
        monkeypatch.setattr(bootstrap, "MAX_SUBJECTS", 200)
        part = compare(y, curves, curves, n_bootstrap=100)
        assert (whole.n_drawn, part.n_drawn) == (800, 200)
        for name in METRICS:
            widths = [
                r.estimates[name][0].high - r.estimates[name][0].low
                for r in (whole, part)
            ]
            assert_allclose(*widths, rtol=0.35)


class TestFewSubjects:
    def test_have_no_interval_if_replicates_fail(self):
        # The one event is seldom drawn with someone who outlived it.
        y = Outcome(time=[1.0, 2.0], event=[1, 0])
        curves = SurvivalCurves([4.0], [[0.0], [0.0]])
        found = compare(y, curves, curves, n_bootstrap=20)
        assert 0 < found.n_replicates < 20
        for parts in found.estimates.values():
            assert not any(part.has_interval for part in parts)
            assert not any(part.is_below(9) or part.is_above(-9) for part in parts)

    def test_without_an_event_are_refused(self, predicted):
        y = Outcome(time=predicted.y.time, event=np.zeros(200))
        with pytest.raises(InvalidInput, match="y has no event among its 200"):
            compare(y, predicted.good, predicted.good)


class TestArguments:
    def test_lengths_must_agree(self, predicted):
        with pytest.raises(InvalidInput, match="calibrated has 3"):
            compare(predicted.y, predicted.good, predicted.good[:3])

    @pytest.mark.parametrize(
        ("option", "message"),
        [({"n_bootstrap": 5}, "n_bootstrap=5"), ({"coverage": 1.5}, "coverage=1.5")],
    )
    def test_options_are_checked(self, predicted, option, message):
        with pytest.raises(InvalidInput, match=message):
            compare(predicted.y, predicted.good, predicted.good, **option)
