"""How curves are held: as a table, as hazards times a baseline, or as a law."""

from consurv.curves.representations.given import Given
from consurv.curves.representations.law import Law
from consurv.curves.representations.loglogistic import LogLogistic
from consurv.curves.representations.lognormal import LogNormal
from consurv.curves.representations.proportional import Proportional
from consurv.curves.representations.representation import Representation
from consurv.curves.representations.steps import Steps
from consurv.curves.representations.stretched import Stretched
from consurv.curves.representations.table import Table
from consurv.curves.representations.weibull import Weibull

__all__ = [
    "Given",
    "Law",
    "LogLogistic",
    "LogNormal",
    "Proportional",
    "Representation",
    "Steps",
    "Stretched",
    "Table",
    "Weibull",
]
