"""What the paper says about its ablations, held against the records."""

from consurv.experiments.claims.base import Claim
from consurv.experiments.claims.lists import cost_claims, metric_claims

__all__ = ["Claim", "cost_claims", "metric_claims"]
