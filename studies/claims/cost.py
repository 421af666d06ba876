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
_TIMES = 16
_ALIKE = 2.0

Values = Callable[[Results, str, str, str], list[float]]


def cost_claims(results: Results) -> list[Claim]:
    """Return claims 11, which are about another algorithm than ours, and 12."""
    theirs = [
        _apart(
            "11a",
            "KM-sampling takes about R times the memory of 'uncensored'",
            "the authors' code takes about 600 times the memory of ours at 20,000 "
            "subjects, which confirms it of theirs",
            _ratio(results, cost.peak_memory),
        ),
        _apart(
            "11b",
            f"KM-sampling takes about {_TIMES} times the time of 'uncensored'",
            "their draws are stored for every level, ours are not",
            _ratio(results, cost.extra_seconds),
        ),
        _apart(
            "11c",
            "The same for finding the shifts alone, the conformal set being predicted",
            "as 11b",
            _ratio(results, cost.shift_seconds),
        ),
        _apart(
            "11d",
            "With AFT on large data KM-sampling makes the whole more than 100 times "
            "slower",
            "as 11b",
            _slower(results),
        ),
    ]
    independent = judged(
        "12",
        "The extra time does not depend on the model",
        "largest over smallest mean of the models at most 2 in at least 2/3 of "
        "dataset × rule × conformal set",
        _independent(results),
    )
    return [*theirs, independent]


def _apart(number: str, claim: str, why: str, found: str) -> Claim:
    """Return a claim about the authors' algorithm, with what ours takes."""
    criterion = f"none: {why}"
    if not found:
        return Claim(number, claim, criterion, "not tested", "no records")
    return Claim(number, claim, criterion, "not comparable", f"ours: {found}")


def _largest(results: Results) -> list[str]:
    """Return the datasets of the largest group of size."""
    known = results.datasets(cost.STUDY)
    last = results.facts[known[-1]].size if known else ""
    return [name for name in known if results.facts[name].size == last]


def _ratio(results: Results, values: Values) -> str:
    """Return the median ratios of R draws and of the exact rule to 'uncensored'."""
    texts = [
        f"{variant_label(rule)} {ratio:.3g} ×"
        for rule in (_SAMPLED, "kaplan-meier")
        if (ratio := _median_ratio(results, values, rule)) is not None
    ]
    where = ", ".join(_largest(results))
    return f"{', '.join(texts)} that of uncensored (on {where})" if texts else ""


def _median_ratio(results: Results, values: Values, rule: str) -> float | None:
    ratios = []
    for dataset in _largest(results):
        for model in results.models(cost.STUDY):
            above = values(results, dataset, model, rule)
            below = values(results, dataset, model, "uncensored")
            if above and below and np.mean(below) > 0:
                ratios.append(np.mean(above) / np.mean(below))
    return float(np.median(ratios)) if ratios else None


def _slower(results: Results) -> str:
    return ", ".join(
        f"{dataset} {np.mean(values):.3g} ×"
        for dataset in results.datasets(cost.STUDY)
        if results.facts[dataset].size == "large"
        and (values := cost.relative_time(results, dataset, "weibull-aft", _SAMPLED))
    )


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
