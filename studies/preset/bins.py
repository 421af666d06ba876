"""N-MTLR and DeepHit with the time bins of the authors' code."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor, nn

from consurv._checks import Float
from consurv.models.deep.deephit import DeepHit
from consurv.models.deep.nmtlr import NMTLR
from consurv.outcome import Outcome
from studies.preset.networks import late_norm_mlp

__all__ = ["PaperDeepHit", "PaperNMTLR", "event_edges"]

# How far before the first time DeepHit's first edge lies.
_BEFORE = 1e-5


def event_edges(outcome: Outcome) -> Float:
    """Return the edges of bins: √(events) quantiles from the first event to the last.

    Examples
    --------
    >>> event_edges(Outcome(time=[1, 2, 3, 4, 9], event=[1, 1, 1, 1, 0]))
    array([1., 4.])
    """
    times = outcome.time[outcome.event]
    levels = np.linspace(0, 1, math.ceil(math.sqrt(len(times))))
    edges: Float = np.unique(np.quantile(times, levels))
    return edges


class PaperNMTLR(NMTLR):
    """N-MTLR with the authors' bins.

    An event at an edge belongs to the bin after it, the last event to the open one; a
    censored subject has its whole bin before it.
    """

    def _prepare(self, outcome: Outcome) -> None:
        self.edges_ = event_edges(outcome)

    def _encode(self, outcome: Outcome) -> dict[str, Tensor]:
        bins = np.searchsorted(self.edges_, outcome.time, side="right")
        return {
            "bin": torch.from_numpy(bins),
            "share": torch.ones(len(bins)),
            "event": torch.tensor(outcome.event),
        }

    def _network(self, n_features: int) -> nn.Module:
        network = super()._network(n_features)
        last = list(network.children())[-1]
        assert isinstance(last, nn.Linear)
        nn.init.xavier_normal_(last.weight)
        nn.init.zeros_(last.bias)
        return network


class PaperDeepHit(DeepHit):
    """DeepHit as in pycox, on the authors' bins.

    The first edge lies just before the first training time. No event can fall into the
    bin before it, and yet the network gives it a probability: curves begin below 1.
    """

    def _prepare(self, outcome: Outcome) -> None:
        first = float(outcome.time.min())
        edges = event_edges(outcome)
        edges[0] = max(first - _BEFORE, first / 2)
        self.edges_ = edges

    def _encode(self, outcome: Outcome) -> dict[str, Tensor]:
        event = outcome.event & (outcome.time <= self.edges_[-1])
        happened = np.searchsorted(self.edges_, outcome.time, side="left")
        survived = np.searchsorted(self.edges_, outcome.time, side="right") - 1
        return {
            "index": torch.from_numpy(np.where(event, happened, survived)),
            "event": torch.from_numpy(event),
        }

    def _network(self, n_features: int) -> nn.Module:
        return late_norm_mlp(n_features, len(self.edges_), self.hidden, self.dropout)
