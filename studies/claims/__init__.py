"""What the paper says about its ablations, held against the records."""

from studies.claims.claim import Claim
from studies.claims.lists import cost_claims, metric_claims

__all__ = ["Claim", "cost_claims", "metric_claims"]
