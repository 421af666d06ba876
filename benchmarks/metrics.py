"""Metrics against other libraries, on the same curves in the same process.

A peer is left out where one call would take too long by its growth so far.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.report import Measure
from benchmarks.timing import Times, race
from consurv import KaplanMeier, Outcome, SurvivalCurves
from consurv import metrics as ours

__all__ = ["Data", "measure", "run", "simulate"]

CASE = "Metrics: a peer / consurv, curves of 100 points on a shared grid"
PATIENCE = 40.0  # seconds: a peer expected to need more is left out
Call = Callable[[], object]


@dataclass(frozen=True)
class Data:
    """Test and training outcomes, and curves on one grid."""

    y: Outcome
    train: Outcome
    grid: NDArray[np.float64]
    survival: NDArray[np.float64]

    @property
    def curves(self) -> SurvivalCurves:
        """The curves as ours; made anew, so that nothing is remembered."""
        return SurvivalCurves(self.grid, self.survival)

    @property
    def times(self) -> NDArray[np.float64]:
        """The nodes inside the follow-up of both samples."""
        last = min(self.y.time.max(), self.train.time.max())
        return self.grid[(self.grid > self.y.time.min()) & (self.grid < 0.9 * last)]


def simulate(n: int, seed: int = 0) -> Data:
    """Return n test and n training subjects, about 40 % censored."""
    rng = np.random.default_rng(seed)

    def sample() -> tuple[Outcome, NDArray[np.float64]]:
        scale = np.exp(rng.normal(2, 0.6, n))
        time, censoring = rng.exponential(scale), rng.exponential(1.5 * scale)
        # Follow-up ends at 80 in both samples: scikit-survival refuses test subjects
        # who outlast the training sample.
        censoring = np.minimum(censoring, 80.0)
        return Outcome(np.minimum(time, censoring) + 1e-6, time <= censoring), scale

    (y, scale), (train, _) = sample(), sample()
    grid = np.linspace(0.1, 60.1, 100)
    return Data(y, train, grid, np.exp(-grid / scale[:, None]))


def run(quick: bool) -> list[Measure]:
    """Measure at 10³, 10⁴ and 10⁵ subjects."""
    return measure({1_000: 2} if quick else {1_000: 3, 10_000: 3, 100_000: 1})


def measure(rounds: Mapping[int, int]) -> list[Measure]:
    """Compare every metric with every peer that has it; *rounds* by size."""
    found: list[Measure] = []
    history: dict[str, list[float]] = {}
    for n, turns in rounds.items():
        for metric, own, peers in contests(simulate(n)):
            fit = {
                k: c
                for k, c in peers.items()
                if _expected(history.get(k, [])) < PATIENCE
            }
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the peers' own
                times = race({metric: own, **fit}, turns)
            for name, peer in times.items():
                history.setdefault(name, []).append(peer.best)
                if name != metric:
                    found.append(_measure(metric, name, n, peer, times[metric]))
    return found


def _expected(seconds: list[float]) -> float:
    """Return what ten times the subjects will take: quadratic unless known better."""
    if len(seconds) < 2:
        return 100 * sum(seconds)
    return seconds[-1] ** 2 / seconds[-2]


def _measure(metric: str, name: str, n: int, peer: Times, own: Times) -> Measure:
    # Kaplan–Meier may take 1.2 times as long as the fastest; others must be faster.
    limit = 1 / 1.2 if metric == "Kaplan-Meier" else 1.0
    target = limit if n >= 10_000 else None
    what = f"n = {n:,}, {name}"
    return Measure.of_times(CASE, what, peer, own, target, at_most=False)


def contests(data: Data) -> Iterator[tuple[str, Call, dict[str, Call]]]:
    """Yield each metric, our call and the peers' calls."""
    import lifelines.utils
    import sksurv.metrics
    import sksurv.nonparametric
    from pycox.evaluation import EvalSurv
    from pycox.utils import kaplan_meier
    from SurvivalEVAL import SurvivalEvaluator

    y, train, curves = data.y, data.train, data.curves
    event, target = y.event.astype(int), y.to_structured()
    frame = pd.DataFrame(data.survival.T, index=data.grid)
    inside = np.isin(data.grid, data.times)

    def survivaleval() -> Any:
        return SurvivalEvaluator(
            data.survival, data.grid, y.time, y.event, train.time, train.event
        )

    def pycox() -> Any:
        # Its own censor_surv="km" holds an n x n array; on the grid it is fast.
        curve = kaplan_meier(y.time, 1 - event)
        place = np.searchsorted(curve.index, data.grid, side="right") - 1
        values = curve.to_numpy()[np.maximum(place, 0)]
        censoring = pd.DataFrame(np.repeat(values[:, None], len(y), 1), data.grid)
        return EvalSurv(frame, y.time, event, EvalSurv(censoring, y.time, 1 - event))

    median = curves.median()
    yield (
        "C-index",
        lambda: ours.concordance_of_risk(y, -median),
        {
            "C-index, lifelines": lambda: lifelines.utils.concordance_index(
                y.time, median, y.event
            ),
            "C-index, scikit-survival": lambda: (
                sksurv.metrics.concordance_index_censored(y.event, y.time, -median)
            ),
        },
    )
    yield (
        "C-index from curves",
        lambda: ours.concordance_index(y, data.curves),
        {
            "C-index from curves, SurvivalEVAL": lambda: survivaleval().concordance(
                ties="Risk"
            )
        },
    )
    yield (
        "Antolini's C",
        lambda: ours.antolini_concordance_index(y, data.curves),
        {
            "Antolini's C, pycox": lambda: EvalSurv(
                frame, y.time, event
            ).concordance_td("antolini")
        },
    )
    yield (
        "D-calibration",
        lambda: ours.d_calibration(y, data.curves),
        {"D-calibration, SurvivalEVAL": lambda: survivaleval().d_calibration()},
    )
    yield (
        "KM-calibration",
        lambda: ours.km_calibration(y, data.curves),
        {"KM-calibration, SurvivalEVAL": lambda: survivaleval().km_calibration()},
    )
    yield (
        "IBS",
        lambda: ours.integrated_brier_score(
            y, data.curves, y_train=train, times=data.times
        ),
        {
            "IBS, scikit-survival": lambda: sksurv.metrics.integrated_brier_score(
                train.to_structured(), target, data.survival[:, inside], data.times
            ),
            "IBS, SurvivalEVAL": lambda: survivaleval().integrated_brier_score(
                target_times=data.times
            ),
            "Brier scores, pycox": lambda: pycox().brier_score(data.times),
        },
    )
    yield (
        "MAE-PO",
        lambda: ours.mae_po(y, data.curves, y_train=train),
        {"MAE-PO, SurvivalEVAL": lambda: survivaleval().mae(method="Pseudo_obs")},
    )
    yield (
        "Kaplan-Meier",
        lambda: KaplanMeier(y).survival,
        {
            "Kaplan-Meier, lifelines": lambda: lifelines.KaplanMeierFitter().fit(
                y.time, y.event
            ),
            "Kaplan-Meier, scikit-survival": lambda: (
                sksurv.nonparametric.kaplan_meier_estimator(y.event, y.time)
            ),
            "Kaplan-Meier, SurvivalEVAL": _survivaleval_km(y),
        },
    )


def _survivaleval_km(y: Outcome) -> Call:
    from SurvivalEVAL.nonparametric_estimator.single_event import KaplanMeier as Theirs

    return lambda: Theirs(y.time, y.event)
