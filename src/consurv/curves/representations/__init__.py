"""How curves are held: as a table, as hazards times a baseline, or as a law."""

from consurv.curves.representations.base import Representation
from consurv.curves.representations.given import Given
from consurv.curves.representations.proportional import Proportional
from consurv.curves.representations.steps import Steps
from consurv.curves.representations.table import Table

__all__ = ["Given", "Proportional", "Representation", "Steps", "Table"]
