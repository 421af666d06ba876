"""Time bins of the discrete models: edges at quantiles of the event times."""

from __future__ import annotations

import numpy as np

from consurv._checks import Float, Index
from consurv.outcome import Outcome

__all__ = ["event_quantiles", "find_bins", "share_left"]


def event_quantiles(outcome: Outcome, n_bins: int | None = None) -> Float:
    """Return the upper edges of bins that hold about as many events each.

    Parameters
    ----------
    outcome : Outcome
        At least one event.
    n_bins : int, optional
        By default the square root of the number of events, rounded up.

    Returns
    -------
    array of shape (k,), k <= n_bins
        Increasing; the last is the last event time. Ties of events make bins fewer.

    Examples
    --------
    >>> event_quantiles(Outcome(time=[1, 2, 3, 4, 9], event=[1, 1, 1, 1, 0]))
    array([2., 4.])
    """
    times = outcome.time[outcome.event]
    k = int(np.ceil(np.sqrt(len(times)))) if n_bins is None else n_bins
    levels = np.arange(1, k + 1) / k
    # Event times themselves, so that a bin closed on the right holds its share.
    edges: Float = np.unique(np.quantile(times, levels, method="inverted_cdf"))
    return edges


def find_bins(edges: Float, time: Float) -> Index:
    """Return the bin of each time: number i is (edge i−1, edge i], the last is open.

    Examples
    --------
    >>> find_bins(np.array([2.0, 4.0]), np.array([1.0, 2.0, 3.0, 5.0]))
    array([0, 0, 1, 2])
    """
    return np.searchsorted(edges, time, side="left")


def share_left(edges: Float, time: Float) -> Float:
    """Return the share of its bin that lies after each time; 1 in the last, open bin.

    Examples
    --------
    >>> share_left(np.array([2.0, 4.0]), np.array([0.5, 2.0, 3.0, 5.0]))
    array([0.75, 0.  , 0.5 , 1.  ])
    """
    bins = find_bins(edges, time)
    inside = np.minimum(bins, len(edges) - 1)
    lower = np.concatenate([[0.0], edges[:-1]])[inside]
    share = (edges[inside] - time) / (edges[inside] - lower)
    return np.where(bins < len(edges), share, 1.0)
