"""Survival curves, Kaplan–Meier, Breslow, and what can be done with them."""

from consurv.curves.breslow import Baseline, breslow
from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier

__all__ = ["Baseline", "KaplanMeier", "SurvivalCurves", "breslow"]
