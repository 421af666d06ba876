"""What is evaluated in a cell: the raw curves and the ways to conformalize them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from consurv.conformal.censoring.rules import resolve_rule
from studies.named import NamedFit

__all__ = ["CIPOT", "PERCENTILE_COUNTS", "RAW", "Variant", "variants_of"]

# The paper's number of draws for each censored subject.
_N_SAMPLES = 1000
_CENSORING_RULES = (
    "uncensored",
    "margin",
    "pseudo-observation",
    "kaplan-meier",
    "kaplan-meier-sampled",
    "self-consistent",
    "local",
    "auto",
)
_COST_RULES = _CENSORING_RULES[:5]
PERCENTILE_COUNTS = (9, 19, 39, 49, 99)
CIPOT = "cipot"


@dataclass(frozen=True)
class Variant:
    """One way to conformalize a fit; all is None for the raw curves.

    Attributes
    ----------
    name : str
        Unique in a record.
    adjustment : {"time", "level"} or None
    censoring : str or None
        The rule for censored subjects.
    n_samples : int or None
        Draws per censored subject; None is exact.
    conformal_set : str or None
        A policy; "paper" is the paper's advice.
    percentiles : int or None
        The number of levels.
    """

    name: str
    adjustment: str | None = None
    censoring: str | None = None
    n_samples: int | None = None
    conformal_set: str | None = None
    percentiles: int | None = None

    @property
    def is_raw(self) -> bool:
        """Whether the model's own curves are meant."""
        return self.adjustment is None


RAW = Variant("raw")


def variants_of(study: str, fit: NamedFit, percentiles: int) -> tuple[Variant, ...]:
    """Return the variants of a fit in a study.

    Parameters
    ----------
    study : str
    fit : NamedFit
    percentiles : int
        The number of levels where it is not what is varied.

    Raises
    ------
    InvalidInput
        If a rule for censored subjects does not exist.

    Examples
    --------
    >>> aft, km = NamedFit("weibull-aft", "weibull-aft"), NamedFit("km", "km")
    >>> [v.name for v in variants_of("ablation-percentiles", aft, 19)]
    ['raw', '9', '19', '39', '49', '99']
    >>> [v.name for v in variants_of("main", km, 19)]
    ['raw']
    """
    other_loss = study == "objective" and fit.key != "lognormal-likelihood"
    if fit.key == "km" or other_loss:
        return (RAW,)
    return (RAW, *_MAKERS[study](fit, percentiles))


def _time(
    name: str,
    percentiles: int,
    *,
    rule: str = "kaplan-meier",
    conformal_set: str = "paper",
) -> Variant:
    sampled = rule == "kaplan-meier-sampled"
    censoring = "kaplan-meier" if sampled else rule
    resolve_rule(censoring)  # an error before anything runs
    return Variant(
        name,
        "time",
        censoring,
        _N_SAMPLES if sampled else None,
        conformal_set,
        percentiles,
    )


def _by_rule(rules: tuple[str, ...], percentiles: int) -> list[Variant]:
    return [_time(rule, percentiles, rule=rule) for rule in rules]


def _cipot(percentiles: int) -> Variant:
    return Variant(CIPOT, "level", "uniform", None, "paper", percentiles)


def _csd(fit: NamedFit, percentiles: int) -> list[Variant]:
    return [_time("csd", percentiles), _time("auto", percentiles, rule="auto")]


def _conformal_sets(fit: NamedFit, percentiles: int) -> list[Variant]:
    # A model that needs no validation set has its training set, and is trained once
    # more with a tenth held out for the two policies of the paper.
    two = ("validation", "train+validation")
    policies = two if fit.holds_out else ("train",)
    return [_time(p, percentiles, conformal_set=p) for p in policies]


_MAKERS: dict[str, Callable[[NamedFit, int], list[Variant]]] = {
    "main": lambda fit, k: [*_csd(fit, k), _cipot(k)],
    "objective": _csd,
    "ablation-censoring": lambda fit, k: [*_by_rule(_CENSORING_RULES, k), _cipot(k)],
    "ablation-conformal-set": _conformal_sets,
    "ablation-percentiles": lambda fit, k: [
        _time(str(count), count) for count in PERCENTILE_COUNTS
    ],
    "cost": lambda fit, k: _by_rule(_COST_RULES, k),
}
