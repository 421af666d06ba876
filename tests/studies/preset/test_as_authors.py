"""The rows and the arithmetic of the authors' code, against runs of that code.

Their numbers come from shi-ang/CSD (commit a212cdf), run with 9 levels; the conformal
step draws there, so that its numbers wobble in the third digit.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from consurv import KaplanMeier, Outcome, SurvivalCurves
from consurv.datasets.places import MissingData
from consurv.metrics import d_calibration, km_calibration
from studies import protocol
from studies.evaluation import evaluate_variant
from studies.fits import train
from studies.named import NamedFit
from studies.predictions import Predictions
from studies.preset.causes import Causes
from studies.preset.conformal import authors_shifts, authors_times
from studies.preset.data import authors_source
from studies.preset.metrics import evaluate_as_paper
from studies.preset.splits import authors_split
from studies.protocol import split_rows
from studies.variants import RAW, Variant

AS_AUTHORS = Causes("paper", "line", "paper", "paper")
CSD = Variant("csd", "time", "kaplan-meier", None, "paper", 9)

# D-cal and KM-cal of their Kaplan-Meier dummy, which depend on the rows alone.
DUMMIES = {
    ("VALCT", 0): (0.0083713367, 0.010337704),
    ("VALCT", 1): (0.0059500329, 0.0039650425),
    ("VALCT", 4): (0.025953827, 0.023427643),
    ("PBC", 0): (6.6230725e-05, 0.00068713122),
    ("PBC", 2): (0.00030101232, 0.001317939),
    ("GBSG", 0): (0.00037415398, 0.00050222036),
    ("GBSG", 3): (0.00017766493, 0.00028197747),
    ("NACD", 1): (0.00053867263, 0.0008649112),
    ("METABRIC", 1): (0.00030150991, 0.0054229732),
    ("SUPPORT", 0): (0.00016802334, 0.00011094444),
}
# C-index, D-cal, KM-cal, IBS and MAE-PO, raw and calibrated.
NAMES = (
    "c_index",
    "d_calibration",
    "km_calibration",
    "integrated_brier_score",
    "mae_po",
)
NUMBERS = {
    ("PBC", "weibull-aft"): (
        (0.84295612, 0.00080323719, 0.00096748354, 0.1099655, 2083.5172),
        (0.84180139, 0.008004228, 0.0017952732, 0.11837913, 2093.9401),
    ),
    ("PBC", "gradient-boosting"): (
        (0.82678984, 0.0015722835, 0.00046087807, 0.1227247, 2301.803),
        (0.82678984, 0.0017596259, 0.0010892958, 0.12474491, 2292.3596),
    ),
    ("VALCT", "gradient-boosting"): (
        (0.55882353, 0.0088910693, 0.0078840991, 0.056910563, 77.657504),
        (0.55882353, 0.010506292, 0.0072206526, 0.058149453, 77.772693),
    ),
    ("GBSG", "weibull-aft"): (
        (0.6868212, 0.0010239094, 0.00078505644, 0.16080566, 39.166679),
        (0.6868212, 0.00044774691, 0.00019399787, 0.15834818, 37.98688),
    ),
}


def source_here(name: str) -> Outcome:
    try:
        return authors_source(name).y
    except MissingData as missing:
        pytest.skip(str(missing))


class TestRows:
    @pytest.mark.parametrize(("dataset", "seed"), DUMMIES)
    def test_the_dummy_has_their_numbers(self, dataset: str, seed: int) -> None:
        y = source_here(dataset)
        train_, validation, test = authors_split(y, seed)
        km = KaplanMeier(y[np.concatenate([train_, validation])])
        same = np.tile(km.survival, (len(test), 1))
        curves = SurvivalCurves(km.times, same, "pchip")
        found = (
            float(d_calibration(y[test], curves)),
            float(km_calibration(y[test], curves, grid="event")),
        )
        assert found == pytest.approx(DUMMIES[dataset, seed], rel=2e-4)

    def test_every_row_is_somewhere(self) -> None:
        rng = np.random.default_rng(0)
        for n in (11, 50, 333):
            y = Outcome(rng.integers(1, 9, n), rng.random(n) < 0.6)
            parts = authors_split(y, seed=n)
            assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(n))
            assert abs(len(parts[2]) - 0.1 * n) <= 1.5

    def test_events_are_shared_out(self) -> None:
        y = authors_source("PBC").y
        shares = [y[rows].n_events / len(rows) for rows in authors_split(y, 0)]
        assert np.ptp(shares) < 0.01

    def test_rows_of_another_order_are_refused(self, monkeypatch, tmp_path) -> None:
        monkeypatch.setenv("CONSURV_DATA", str(tmp_path))
        with pytest.raises(MissingData, match="order of DeepSurv's file"):
            authors_source("GBSG")

    def test_scales_and_curves_come_from_eight_tenths(self) -> None:
        alone, held = (split_rows("PBC", 0, holds, "paper") for holds in (False, True))
        assert alone.test[1] == held.test[1]
        assert alone.conditional == held.conditional == held.train[1]
        assert len(alone.train[1]) == len(held.train[1]) + 42
        assert abs(held.train[0]["age"].mean()) < 1e-12
        assert abs(alone.train[0]["age"].mean()) > 1e-4
        # What they do not standardise stays as it was.
        assert set(held.train[0]["edema"]) == {0.0, 0.5, 1.0}


class TestNumbers:
    @pytest.mark.parametrize(("dataset", "model"), NUMBERS)
    def test_models_without_chance_have_theirs(self, dataset: str, model: str) -> None:
        source_here(dataset)
        split = split_rows(dataset, 0, False, "paper")
        fit = train(NamedFit(model, model, causes=AS_AUTHORS), split, 0)
        known = Predictions(fit.model, split, [RAW, CSD], AS_AUTHORS)
        for variant, theirs in zip((RAW, CSD), NUMBERS[dataset, model], strict=True):
            entry = evaluate_variant(known, variant, 0, "ablation-censoring")
            ours = [entry["metrics"][name] for name in NAMES]
            rel = 2e-4 if variant is RAW else 0.02
            assert ours == pytest.approx(theirs, rel=rel), variant.name

    def test_so_they_do_on_support_without_one_feature(self, monkeypatch) -> None:
        source_here("SUPPORT")
        if "adlsc" not in (source := authors_source("SUPPORT")).X:
            pytest.skip("not here: SUPPORT with adlsc, whose rows are in their order")
        lacking = replace(source, X=source.X.drop(columns="adlsc"))
        monkeypatch.setattr(protocol, "authors_source", lambda name: lacking)
        split = protocol._as_authors("SUPPORT", 0, False)
        fit = train(NamedFit("aft", "weibull-aft", causes=AS_AUTHORS), split, 0)
        raw = Predictions(fit.model, split, [RAW], AS_AUTHORS)
        found = evaluate_variant(raw, RAW, 0, "ablation-censoring")["metrics"]
        theirs = (0.65968796, 0.00055079, 0.00078262, 0.16654214, 688.65186)
        ours = [found[name] for name in NAMES]
        assert ours == pytest.approx(theirs, rel=2e-4)


class TestShifts:
    def test_are_those_of_many_draws(self) -> None:
        rng = np.random.default_rng(3)
        training = Outcome(rng.integers(1, 30, 80), rng.random(80) < 0.6)
        y = Outcome(rng.integers(1, 30, 40), rng.random(40) < 0.6)
        q = np.sort(rng.uniform(1, 40, (40, 3)), axis=1)
        levels = np.array([0.2, 0.5, 0.8])
        km = KaplanMeier(training)
        times = np.concatenate([[0.0], km.times])
        survival = np.concatenate([[1.0], km.survival])
        end = times[-1] / (1 - survival[-1])
        draws = 20_000
        scores = []
        for row, time, event in zip(q, y.time, y.event, strict=True):
            at = np.searchsorted(times, time, side="right") - 1
            left = np.minimum(survival / survival[at], 1)
            mass = -np.diff(np.append(left, 0.0))
            drawn = rng.choice(times, draws, p=mass)
            last = drawn == times[-1]
            if survival[-1] > 0:
                drawn[last] = rng.uniform(times[-1], end, last.sum())
            drawn = np.full(draws, time) if event else drawn
            scores.append(row - drawn[:, None])
        ranks = np.quantile(np.concatenate(scores), levels, axis=0, method="higher")
        found = authors_shifts(q, levels, y, training)
        assert found == pytest.approx(np.diag(ranks), abs=0.3)

    def test_ties_and_events_alone(self) -> None:
        y = Outcome([1.0, 2.0, 3.0, 4.0], [1, 1, 1, 1])
        q = np.full((4, 2), 5.0)
        found = authors_shifts(q, np.array([0.25, 0.6]), y, y)
        # Scores 1, 2, 3, 4: one more than a quarter of them, not of five.
        assert found == pytest.approx([2.0, 3.0])


class TestTimes:
    def test_flat_stretches_are_left_out(self) -> None:
        times = np.array([1.0, 2.0, 5.0, 50.0])
        curves = SurvivalCurves(times, [[0.9, 0.5, 0.5, 0.1]], "pchip")
        bent = SurvivalCurves([1.0, 2.0, 50.0], [[0.9, 0.5, 0.1]], "pchip")
        levels = np.array([0.9, 0.5, 0.3, 0.1, 0.05])
        found = authors_times(curves, levels)
        assert found == pytest.approx(authors_times(bent, levels))
        assert found[0, [0, 1, 3]] == pytest.approx([1.0, 2.0, 50.0])
        assert found[0, 4] == pytest.approx(0.95 * 50 / 0.9)

    def test_a_curve_that_never_drops_gets_nowhere(self) -> None:
        curves = SurvivalCurves([1.0, 2.0], [[1.0, 1.0], [0.5, 0.2]])
        found = authors_times(curves, np.array([0.5]))
        assert found.ravel().tolist() == [np.inf, 1.0]


class TestBrier:
    def test_times_without_weights_count_as_no_error(self) -> None:
        y = Outcome([2.0, 4.0, 9.0], [1, 0, 0])
        curves = SurvivalCurves([10.0], [[0.1], [0.5], [0.9]])
        found = evaluate_as_paper(y, curves, y_train=KaplanMeier(y))
        result = found.integrated_brier_score
        assert len(result.times) == 10
        # Beyond 9 nobody is followed; there the first subject's error is left.
        survival = curves.survival_at([9.0])[:, 0]
        assert result.scores[-1] == pytest.approx(survival[0] ** 2 / 3)
