"""Claims about losses that aim at calibration."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scipy.stats import spearmanr

from studies.claims.claim import MOST, Claim, Evidence, judged
from studies.results import Results

__all__ = ["objective_claims"]

STUDY = "objective"
_PLAIN = "lognormal-likelihood"
_WEIGHTS = range(6)
_NOTABLE = 0.01  # a drop of the C-index
_SOME = 1 / 5
_SLIP = "with the slip of the authors' time scale CSD is far below all, see the slip"

# What is said of one dataset: True, False, or None without its records.
Test = Callable[[str], bool | None]


def objective_claims(results: Results) -> list[Claim]:
    """Return claim 10, in parts; every part counts datasets, by means over seeds."""
    means = _Means(results)
    most = "on at least 2/3 of the datasets"
    mixed = "lower on at least 1/5 of the datasets and not lower on at least 1/5"
    return [
        judged(
            "10a",
            "X-cal improves D-cal as its weight grows",
            "rank correlation of weight and mean D-cal below 0, and D-cal at 10⁵ "
            f"below that of LL, {most}",
            _on_most(results, means.improves, MOST, "D-cal falls with the weight"),
        ),
        judged(
            "10b",
            "X-cal is often accompanied by a notable decrease of the C-index",
            "C-index at 10⁵ at least 0.01 below that of LL on at least half of the "
            "datasets",
            _on_most(results, means.drops, 0.5, "C-index drops"),
        ),
        judged(
            "10c",
            "X-cal does not reach the D-cal of CSD",
            "mean D-cal above that of LL + CSD in at least 2/3 of dataset × weight",
            _in_most(results, means.x_cal_against_csd, "above CSD", _SLIP),
        ),
        judged(
            "10d",
            "CRPS is inconsistent for D-cal",
            f"D-cal against that of LL: {mixed}",
            _mixed(results, means.crps_helps),
        ),
        judged(
            "10e",
            "SFM is inconsistent for D-cal",
            f"D-cal at more than half of the weights against that of LL: {mixed}",
            _mixed(results, means.sfm_helps),
        ),
        judged(
            "10f",
            "CSD surpasses all losses that aim at calibration",
            "mean D-cal of LL + CSD below that of the loss in at least 2/3 of "
            "dataset × loss",
            _in_most(results, means.losses_against_csd, "CSD below", _SLIP),
        ),
    ]


class _Means:
    """Means over seeds of a dataset's fits, and what is said about them."""

    def __init__(self, results: Results) -> None:
        self._results = results

    def mean(
        self, dataset: str, model: str, metric: str, variant: str = "raw"
    ) -> float | None:
        found = self._results.interval(STUDY, dataset, model, variant, metric)
        return None if found is None else found.mean

    def weighted(self, dataset: str, kind: str, metric: str) -> list[float]:
        names = (f"lognormal-{kind}-1e{power}" for power in _WEIGHTS)
        found = [self.mean(dataset, name, metric) for name in names]
        return [value for value in found if value is not None]

    def improves(self, dataset: str) -> bool | None:
        values = self.weighted(dataset, "x-cal", "d_calibration")
        plain = self.mean(dataset, _PLAIN, "d_calibration")
        if plain is None or len(values) < len(_WEIGHTS):
            return None
        if min(values) == max(values):
            return False
        trend = float(spearmanr(_WEIGHTS, values).statistic)
        return trend < 0 and values[-1] < plain

    def drops(self, dataset: str) -> bool | None:
        values = self.weighted(dataset, "x-cal", "c_index")
        plain = self.mean(dataset, _PLAIN, "c_index")
        if plain is None or len(values) < len(_WEIGHTS):
            return None
        return values[-1] <= plain - _NOTABLE

    def x_cal_against_csd(self, dataset: str) -> list[bool]:
        """Return for each weight whether its D-cal is above that of LL + CSD.

        Each weight counts by itself: the best of six would be chosen on test data.
        """
        values = self.weighted(dataset, "x-cal", "d_calibration")
        return self._above_csd(dataset, values)

    def losses_against_csd(self, dataset: str) -> list[bool]:
        """Return the same for each loss, LL without CSD among them."""
        models = self._results.models(STUDY)
        found = [self.mean(dataset, model, "d_calibration") for model in models]
        values = [value for value in found if value is not None]
        return self._above_csd(dataset, values if len(values) > 1 else [])

    def _above_csd(self, dataset: str, values: Sequence[float]) -> list[bool]:
        after = self.mean(dataset, _PLAIN, "d_calibration", "csd")
        return [] if after is None else [value > after for value in values]

    def crps_helps(self, dataset: str) -> bool | None:
        plain = self.mean(dataset, _PLAIN, "d_calibration")
        crps = self.mean(dataset, "lognormal-crps", "d_calibration")
        return None if plain is None or crps is None else crps < plain

    def sfm_helps(self, dataset: str) -> bool | None:
        values = self.weighted(dataset, "sfm", "d_calibration")
        plain = self.mean(dataset, _PLAIN, "d_calibration")
        if plain is None or not values:
            return None
        return sum(value < plain for value in values) > len(values) / 2


def _split(results: Results, test: Test) -> tuple[Sequence[str], Sequence[str]]:
    """Return the datasets for which something holds, and those for which not."""
    said = {dataset: test(dataset) for dataset in results.datasets(STUDY)}
    return [d for d, s in said.items() if s is True], [
        d for d, s in said.items() if s is False
    ]


def _on_most(results: Results, test: Test, share: float, name: str) -> Evidence:
    yes, no = _split(results, test)
    n = len(yes) + len(no)
    if n == 0:
        return Evidence(None, "")
    exceptions = f"; not on {', '.join(no)}" if no else ""
    return Evidence(
        len(yes) >= share * n, f"{name} on {len(yes)} of {n} datasets{exceptions}"
    )


def _in_most(
    results: Results, cells: Callable[[str], list[bool]], name: str, depends: str
) -> Evidence:
    by_dataset = {d: found for d in results.datasets(STUDY) if (found := cells(d))}
    n = sum(map(len, by_dataset.values()))
    if n == 0:
        return Evidence(None, "")
    holds = sum(map(sum, by_dataset.values()))
    texts = [f"{d} {sum(found)}/{len(found)}" for d, found in by_dataset.items()]
    counted = f"{name} in {holds} of {n} cells ({', '.join(texts)})"
    return Evidence(holds >= MOST * n, f"{counted}; {depends}")


def _mixed(results: Results, test: Test) -> Evidence:
    yes, no = _split(results, test)
    n = len(yes) + len(no)
    if n < 2:
        return Evidence(None, "")
    return Evidence(
        min(len(yes), len(no)) >= _SOME * n,
        f"lower on {', '.join(yes) or 'none'}; not lower on {', '.join(no) or 'none'}",
    )
