"""Sites that calibrate one model together: counts on a lattice of times, no rows."""

from __future__ import annotations

from consurv.conformal.parts.lattice import Lattice
from consurv.distributed.federated.coordinator import first_question, proceed
from consurv.distributed.federated.plan import Plan
from consurv.distributed.federated.run import federate
from consurv.distributed.federated.site import answer

__all__ = ["Lattice", "Plan", "answer", "federate", "first_question", "proceed"]
