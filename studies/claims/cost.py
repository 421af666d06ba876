"""Claims about time and memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from studies import cost
from studies.claims.claim import MOST, Claim, Evidence, judged
from studies.names import variant_label
from studies.results import Results

__all__ = ["cost_claims"]

_SAMPLED = "kaplan-meier-sampled"
_N_SAMPLES = 1000
_TIMES = 16
_ALIKE = 2.0

Values = Callable[[Results, str, str, str], list[float]]


def cost_claims(results: Results) -> list[Claim]:
    """Return claims 11 and 12."""
    return [
        judged(
            "11a",
            "KM-sampling takes about R times the memory of 'uncensored'",
            "median ratio over cells of the largest group of size within a factor of "
            f"3 of R = {_N_SAMPLES}",
            _ratio(results, cost.peak_memory, _N_SAMPLES, 3),
        ),
        judged(
            "11b",
            f"KM-sampling takes about {_TIMES} times the time of 'uncensored'",
            "median ratio over cells of the largest group of size within a factor of "
            f"2 of {_TIMES}",
            _ratio(results, cost.extra_seconds, _TIMES, 2),
        ),
        judged(
            "11c",
            "The same for finding the shifts alone, the conformal set being predicted",
            f"as 11b: within a factor of 2 of {_TIMES}",
            _ratio(results, cost.shift_seconds, _TIMES, 2),
        ),
        judged(
            "11d",
            "With AFT on large data KM-sampling makes the whole more than 100 times "
            "slower",
            "relative time above 100 on every large dataset",
            _slower(results),
        ),
        judged(
            "12",
            "The extra time does not depend on the model",
            "largest over smallest mean of the models at most 2 in at least 2/3 of "
            "dataset × rule × conformal set",
            _independent(results),
        ),
    ]


def _largest(results: Results) -> list[str]:
    """Return the datasets of the largest group of size."""
    known = results.datasets(cost.STUDY)
    last = results.facts[known[-1]].size if known else ""
    return [name for name in known if results.facts[name].size == last]


def _ratio(
    results: Results, values: Values, expected: float, factor: float
) -> Evidence:
    found = {
        rule: _median_ratio(results, values, rule)
        for rule in (_SAMPLED, "kaplan-meier")
    }
    sampled = found[_SAMPLED]
    if sampled is None:
        return Evidence(None, "")
    texts = [
        f"{variant_label(rule)} {ratio:.3g} ×"
        for rule, ratio in found.items()
        if ratio is not None
    ]
    return Evidence(
        expected / factor <= sampled <= expected * factor,
        f"{', '.join(texts)} that of uncensored (on {', '.join(_largest(results))})",
    )


def _median_ratio(results: Results, values: Values, rule: str) -> float | None:
    ratios = []
    for dataset in _largest(results):
        for model in results.models(cost.STUDY):
            above = values(results, dataset, model, rule)
            below = values(results, dataset, model, "uncensored")
            if above and below and np.mean(below) > 0:
                ratios.append(np.mean(above) / np.mean(below))
    return float(np.median(ratios)) if ratios else None


def _slower(results: Results) -> Evidence:
    found = {
        dataset: float(np.mean(values))
        for dataset in results.datasets(cost.STUDY)
        if results.facts[dataset].size == "large"
        and (values := cost.relative_time(results, dataset, "weibull-aft", _SAMPLED))
    }
    if not found:
        return Evidence(None, "")
    texts = [f"{dataset} {value:.3g} ×" for dataset, value in found.items()]
    return Evidence(min(found.values()) > 100, ", ".join(texts))


def _independent(results: Results) -> Evidence:
    spreads = []
    for dataset in results.datasets(cost.STUDY):
        for rule in cost.cost_rules(results):
            spreads += _spreads(results, dataset, rule)
    if not spreads:
        return Evidence(None, "")
    alike = sum(spread <= _ALIKE for spread in spreads)
    return Evidence(
        alike >= MOST * len(spreads),
        f"at most 2 in {alike} of {len(spreads)}; median {np.median(spreads):.3g}",
    )


def _spreads(results: Results, dataset: str, rule: str) -> list[float]:
    """Return largest / smallest mean seconds of models with the same conformal set."""
    groups: dict[str, list[float]] = {}
    for model in results.models(cost.STUDY):
        seconds = cost.extra_seconds(results, dataset, model, rule)
        if seconds:
            run = next(iter(results.runs(cost.STUDY, dataset, model, rule).values()))
            kind = str(run.get("conformal_set"))
            groups.setdefault(kind, []).append(float(np.mean(seconds)))
    return [max(part) / min(part) for part in groups.values() if len(part) > 1]
