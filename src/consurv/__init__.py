"""consurv: calibrated survival prediction.

Mends the survival curves of any model by subjects that it did not see: probabilities
become calibrated, the ranking of subjects stays (nearly, by default).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from consurv._frames import announce
from consurv._versions import __version__

if TYPE_CHECKING:
    from consurv.bounds import ConformalLowerBound, check_censoring
    from consurv.conformal import (
        Adjustment,
        CensoringRule,
        ConformalSurvival,
        DoublyRobust,
        FromCurves,
        FromEstimator,
        adjust,
        conformal_levels,
        conformal_shifts,
        load,
        load_adjustment,
        register_adjustment,
        save_adjustment,
    )
    from consurv.curves import KaplanMeier, SurvivalCurves, breslow
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
    "ConformalLowerBound",
    "ConformalSurvival",
    "ConsurvError",
    "DoublyRobust",
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
    "breslow",
    "check_censoring",
    "conformal_levels",
    "conformal_shifts",
    "load",
    "load_adjustment",
    "register_adjustment",
    "save_adjustment",
]

# Where the names are, which are imported when they are asked for: the command can be
# interrupted, or say its version, before large libraries are here.
_HOMES = {
    "consurv.bounds": ("ConformalLowerBound", "check_censoring"),
    "consurv.conformal": (
        "Adjustment",
        "CensoringRule",
        "ConformalSurvival",
        "DoublyRobust",
        "FromCurves",
        "FromEstimator",
        "adjust",
        "conformal_levels",
        "conformal_shifts",
        "load",
        "load_adjustment",
        "register_adjustment",
        "save_adjustment",
    ),
    "consurv.curves": ("KaplanMeier", "SurvivalCurves", "breslow"),
    "consurv.errors": (
        "CalibrationWarning",
        "ConsurvError",
        "InvalidInput",
        "MissingDependency",
        "NotConformalizedError",
    ),
    "consurv.outcome": ("Outcome",),
}
_SUBPACKAGES = (
    "adapters",
    "bounds",
    "conformal",
    "curves",
    "datasets",
    "distributed",
    "errors",
    "keep",
    "metrics",
    "models",
    "outcome",
    "report",
    "splits",
    "weighting",
)
# Who knows tables that are not in memory; it is asked by those below it.
announce("consurv.distributed.registry")


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(import_module(home), name)
            globals()[name] = value  # the next time it is found at once
            return value
    if name in _SUBPACKAGES:
        return import_module(f"consurv.{name}")
    raise AttributeError(f"module 'consurv' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_SUBPACKAGES})
