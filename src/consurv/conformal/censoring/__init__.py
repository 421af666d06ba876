"""Censoring rules: what a censored subject contributes to F. One rule a file."""

from __future__ import annotations

from collections.abc import Callable

from consurv.conformal.censoring.auto import AutoRule
from consurv.conformal.censoring.base import AnyRule, CensoringRule
from consurv.conformal.censoring.kaplan_meier import KaplanMeierRule
from consurv.conformal.censoring.local import LocalRule
from consurv.conformal.censoring.margin import MarginRule
from consurv.conformal.censoring.pseudo_observation import PseudoObservationRule
from consurv.conformal.censoring.self_consistent import SelfConsistentRule
from consurv.conformal.censoring.uncensored import UncensoredRule

__all__ = ["RULES", "AnyRule", "CensoringRule"]

RULES: dict[str, Callable[[], AnyRule]] = {
    "uncensored": UncensoredRule,
    "margin": MarginRule,
    "pseudo-observation": PseudoObservationRule,
    "kaplan-meier": KaplanMeierRule,
    "self-consistent": SelfConsistentRule,
    "local": LocalRule,
    "auto": AutoRule,
}
