"""consurv: calibrated survival prediction.

Conformalizes the survival curves of any model so that their probabilities hold while
the ranking stays.
"""

__version__ = "0.1.0"
