import numpy as np
import pytest

from consurv import ConformalSurvival
from consurv._checks import Float
from consurv.conformal import LevelAdjustment
from consurv.errors import InvalidInput
from studies.fits import train
from studies.named import NamedFit
from studies.predictions import Predictions
from studies.protocol import Split, split_rows
from studies.variants import Variant

DEEP = NamedFit("deephit", "deephit", {"max_epochs": 2})
AFT = NamedFit("weibull-aft", "weibull-aft")
CQRNN = NamedFit("cqrnn", "cqrnn", {"max_epochs": 2})

CIPOT = Variant("cipot", "level", "uniform", None, "paper", 19)


def variant(
    conformal_set: str = "paper", percentiles: int = 19, rule: str = "kaplan-meier"
) -> Variant:
    return Variant("csd", "time", rule, None, conformal_set, percentiles)


def predict(named: NamedFit, *variants: Variant) -> Predictions:
    split = split_rows("PBC", 0, named.holds_out)
    return Predictions(train(named, split, 0).model, split, variants)


def with_conformal_survival(named: NamedFit, split: Split, one: Variant) -> Float:
    """The same by the estimator that users have, which trains once more."""
    model = ConformalSurvival(
        named.make(0),
        adjustment=one.adjustment,
        censoring=one.censoring,
        conformal_set=one.conformal_set,
        random_state=0,
    )
    model.fit(*split.train, *(split.validation or ()))
    return model.predict_survival_function(split.test[0]).times


@pytest.mark.parametrize(
    ("named", "policy", "resolved", "rule"),
    [
        (DEEP, "paper", "train+validation", "kaplan-meier"),
        (DEEP, "validation", "validation", "pseudo-observation"),
        (AFT, "paper", "train", "margin"),
        (AFT, "paper", "train", "auto"),
    ],
)
def test_equals_the_conformal_survival_of_users(
    named: NamedFit, policy: str, resolved: str, rule: str
) -> None:
    one = variant(policy, rule=rule)
    predictions = predict(named, one)
    assert predictions.policy(policy) == resolved
    found = predictions.conformalize(one, 0)
    curves = predictions.adjusted(found.adjustment)
    expected = with_conformal_survival(named, predictions.split, one)
    np.testing.assert_allclose(curves.times, expected, rtol=1e-12)
    assert found.seconds > found.shift_seconds > 0


@pytest.mark.parametrize("named", [DEEP, AFT])
def test_moved_levels_equal_those_of_users(named: NamedFit) -> None:
    predictions = predict(named, CIPOT)
    found = predictions.conformalize(CIPOT, 0)
    assert isinstance(found.adjustment, LevelAdjustment)
    curves = predictions.adjusted(found.adjustment)
    expected = with_conformal_survival(named, predictions.split, CIPOT)
    np.testing.assert_allclose(curves.times, expected, rtol=1e-12)
    assert curves.n_rearranged == curves.n_clipped == 0
    assert found.seconds > found.shift_seconds > 0


def test_shifts_and_levels_do_not_mix() -> None:
    csd = variant()
    both = predict(AFT, csd, CIPOT)
    for one in (csd, CIPOT):
        alone = Predictions(both.model, both.split, [one])
        expected = alone.adjusted(alone.conformalize(one, 0).adjustment)
        found = both.adjusted(both.conformalize(one, 0).adjustment)
        np.testing.assert_array_equal(found.times, expected.times)


class TestLevels:
    def test_all_variants_are_read_at_once(self) -> None:
        counts = [variant(percentiles=k) for k in (9, 19, 39, 49, 99)]
        together = predict(AFT, *counts)
        for one in counts:
            alone = Predictions(together.model, together.split, [one])
            expected = alone.conformalize(one, 0).adjustment.shifts
            found = together.conformalize(one, 0).adjustment.shifts
            np.testing.assert_array_equal(found, expected)
            assert len(expected) == one.percentiles
        assert together.fresh().conformalize(counts[0], 0).adjustment.shifts.size == 9

    def test_a_missing_set_is_an_error(self) -> None:
        csd = variant("validation")
        with pytest.raises(InvalidInput, match="no validation set"):
            predict(AFT, csd).conformalize(csd, 0)


class TestCrossingPercentileTimes:
    def test_are_conformalized_as_they_are_at_the_models_own_levels(self) -> None:
        csd = variant()
        predictions = predict(CQRNN, csd)
        model, split = predictions.model, predictions.split
        raw = model.predict_percentile_times(split.test[0])
        assert (np.diff(raw, axis=1) > 0).any()  # an untrained network crosses
        result = predictions.conformalize(csd, 0).adjustment
        curves = predictions.adjusted(result)
        kept = ~curves.rearranged & ~curves.clipped
        expected = (raw - result.shifts)[kept][:, ::-1]
        np.testing.assert_allclose(curves.times[kept][:, 1:], expected, rtol=1e-12)

    def test_come_from_the_rearranged_curve_at_other_levels(self) -> None:
        finer = variant(percentiles=39)
        predictions = predict(CQRNN, finer)
        result = predictions.conformalize(finer, 0).adjustment
        expected = predictions.raw.percentile_times(result.levels) - result.shifts
        curves = predictions.adjusted(result)
        kept = ~curves.rearranged & ~curves.clipped
        np.testing.assert_allclose(
            curves.times[kept][:, 1:], expected[kept][:, ::-1], rtol=1e-12
        )
