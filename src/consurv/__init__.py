"""consurv: calibrated survival prediction.

Conformalizes the survival curves of any model: the probabilities become calibrated
while the ranking of subjects stays.
"""

from consurv._versions import __version__
from consurv.conformal import (
    Adjustment,
    CensoringRule,
    ConformalSurvival,
    FromCurves,
    FromEstimator,
    adjust,
    conformal_levels,
    conformal_shifts,
    load_adjustment,
    register_adjustment,
    save_adjustment,
)
from consurv.curves import KaplanMeier, SurvivalCurves
from consurv.errors import (
    CalibrationWarning,
    ConsurvError,
    InvalidInput,
    MissingDependency,
    NotConformalizedError,
)
from consurv.outcome import Outcome

__all__ = [
    "Adjustment",
    "CalibrationWarning",
    "CensoringRule",
    "ConformalSurvival",
    "ConsurvError",
    "FromCurves",
    "FromEstimator",
    "InvalidInput",
    "KaplanMeier",
    "MissingDependency",
    "NotConformalizedError",
    "Outcome",
    "SurvivalCurves",
    "__version__",
    "adjust",
    "conformal_levels",
    "conformal_shifts",
    "load_adjustment",
    "register_adjustment",
    "save_adjustment",
]
