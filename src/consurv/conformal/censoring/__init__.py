"""Censoring rules: what a censored subject contributes to F. One rule a file."""

from __future__ import annotations

from collections.abc import Callable

from consurv.conformal.censoring.base import CensoringRule
from consurv.conformal.censoring.kaplan_meier import KaplanMeierRule
from consurv.conformal.censoring.margin import MarginRule
from consurv.conformal.censoring.pseudo_observation import PseudoObservationRule
from consurv.conformal.censoring.uncensored import UncensoredRule

__all__ = ["RULES", "CensoringRule"]

RULES: dict[str, Callable[[], CensoringRule]] = {
    "uncensored": UncensoredRule,
    "margin": MarginRule,
    "pseudo-observation": PseudoObservationRule,
    "kaplan-meier": KaplanMeierRule,
}
