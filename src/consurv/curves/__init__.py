"""Survival curves, Kaplan–Meier, and what can be done with them."""

from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier

__all__ = ["KaplanMeier", "SurvivalCurves"]
