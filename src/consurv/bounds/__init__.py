"""Lower bounds of survival times that hold under censoring."""

from consurv.bounds.diagnostic import CensoringTest, check_censoring
from consurv.bounds.estimator import ConformalLowerBound
from consurv.bounds.methods import METHODS, Method
from consurv.bounds.screening import Screening
from consurv.weighting.weights import Weights

__all__ = [
    "METHODS",
    "CensoringTest",
    "ConformalLowerBound",
    "Method",
    "Screening",
    "Weights",
    "check_censoring",
]
