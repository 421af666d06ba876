"""Censoring rules by name: what a censored subject contributes to F. One a file."""

from __future__ import annotations

from collections.abc import Callable

from consurv._registry import resolve
from consurv.conformal.censoring.rules.auto import AutoRule
from consurv.conformal.censoring.rules.kaplan_meier import KaplanMeierRule
from consurv.conformal.censoring.rules.local import LocalRule
from consurv.conformal.censoring.rules.margin import MarginRule
from consurv.conformal.censoring.rules.pseudo_observation import PseudoObservationRule
from consurv.conformal.censoring.rules.rule import CensoringRule
from consurv.conformal.censoring.rules.self_consistent import SelfConsistentRule
from consurv.conformal.censoring.rules.uncensored import UncensoredRule
from consurv.errors import InvalidInput

__all__ = ["RULES", "CensoringRule", "resolve_rule"]

RULES: dict[str, Callable[[], CensoringRule]] = {
    "uncensored": UncensoredRule,
    "margin": MarginRule,
    "pseudo-observation": PseudoObservationRule,
    "kaplan-meier": KaplanMeierRule,
    "self-consistent": SelfConsistentRule,
    "local": LocalRule,
    "auto": AutoRule,
}


def resolve_rule(
    censoring: str | CensoringRule, n_samples: int | None = None
) -> CensoringRule:
    """Return the rule that a name or an instance stands for.

    Examples
    --------
    >>> resolve_rule("margin").name
    'MarginRule'
    """
    if isinstance(censoring, str):
        rule = resolve(RULES, censoring, "censoring rule")()
    elif isinstance(censoring, CensoringRule):
        rule = censoring
    else:
        raise InvalidInput(
            f"censoring={censoring!r} is neither a name ({', '.join(RULES)}) nor a "
            "CensoringRule; a rule of your own is a class derived from it"
        )
    if n_samples is None:
        return rule
    sampled = rule.with_samples(n_samples)
    if sampled is None:
        raise InvalidInput(
            f"n_samples={n_samples} goes with censoring='kaplan-meier' only, "
            f"not with {censoring!r}"
        )
    return sampled
