"""Methods for lower bounds by name. One a file."""

from consurv.bounds.methods.adaptive import Adaptive
from consurv.bounds.methods.aipcw import AIPCW
from consurv.bounds.methods.dr_cosarc import DRCosarc
from consurv.bounds.methods.fixed import Fixed
from consurv.bounds.methods.focused import Focused
from consurv.bounds.methods.fused import Fused
from consurv.bounds.methods.ipcw import IPCW
from consurv.bounds.methods.kaplan_meier import WeightedKaplanMeier
from consurv.bounds.methods.method import Bound, Method, Options

__all__ = ["METHODS", "Bound", "Method", "Options"]

METHODS: dict[str, Method] = {
    "fixed": Fixed(),
    "adaptive": Adaptive(),
    "dr-cosarc": DRCosarc(),
    "focused": Focused(),
    "fused": Fused(),
    "ipcw": IPCW(),
    "aipcw": AIPCW(),
    "kaplan-meier": WeightedKaplanMeier(),
}
"""The methods of ``ConformalLowerBound``, by the names that it takes.

Examples
--------
>>> [name for name, method in METHODS.items() if method.takes_weights]
['ipcw', 'aipcw', 'kaplan-meier']
"""
