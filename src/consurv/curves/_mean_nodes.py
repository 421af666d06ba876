"""The mean of many curves that are given by their nodes."""

from __future__ import annotations

import numpy as np

from consurv._checks import Float
from consurv.curves._falls import Falls
from consurv.curves.interpolate import pchip_rates, survival_at
from consurv.curves.nodes import Nodes, end_time
from consurv.curves.search import row_blocks

__all__ = ["mean_of_nodes", "mean_tail"]

# Adding up the falls costs as much per node as this many plain evaluations.
_EVALUATIONS_PER_NODE = 3
# Plain evaluation takes so many times at once: blocks then hold enough rows.
_TIMES_AT_ONCE = 1024


def mean_of_nodes(nodes: Nodes, when: Float) -> Float:
    """Return the mean over the subjects of S(t | x_i), at common times.

    No array of subjects x times is held. With n subjects, k nodes and m times it
    costs O(nk + n log n + m) on a shared grid and O((nk + m) log m) where each subject
    has its own, or O(nm log k) for few times. Only pchip curves on grids of their own
    cost that for many times too.

    Parameters
    ----------
    nodes : Nodes of n ≥ 1 curves
    when : array of shape (m,)
        Finite and >= 0, in any order.

    Returns
    -------
    array of shape (m,)

    Examples
    --------
    >>> nodes = Nodes(np.array([0.0, 4.0]), np.array([[1.0, 0.5]]), "linear")
    >>> mean_of_nodes(nodes, np.array([2.0, 6.0]))
    array([0.75, 0.25])
    """
    if nodes.times.ndim == 1:
        return _mean_on_shared_grid(nodes, when)
    if nodes.interpolation == "pchip" or _are_few(when, nodes):
        return _mean_by_evaluation(nodes, when)
    if (when[1:] > when[:-1]).all():
        return _mean_by_falls(nodes, when)
    distinct, back = np.unique(when, return_inverse=True)
    return _mean_by_falls(nodes, distinct)[back]


def _are_few(times: Float, nodes: Nodes) -> bool:
    return bool(times.size <= _EVALUATIONS_PER_NODE * nodes.survival.shape[1])


def _mean_by_evaluation(nodes: Nodes, times: Float) -> Float:
    n, k = nodes.survival.shape
    total: Float = np.zeros(times.size)
    for start in range(0, times.size, _TIMES_AT_ONCE):
        some = slice(start, start + _TIMES_AT_ONCE)
        for rows in row_blocks(n, max(k, times[some].size)):
            total[some] += survival_at(nodes.take(rows), times[some]).sum(axis=0)
    total /= n
    return total


def _mean_on_shared_grid(nodes: Nodes, times: Float) -> Float:
    """Average before interpolating.

    Between two nodes of a common grid each interpolant is a linear function of the
    values and the rates of fall at them, so the mean curve is the curve of the means.
    Past the last node it is not: the lines reach 0 one after the other.
    """
    result = _read_mean_curve(_mean_nodes(nodes), times)
    past = times >= nodes.times[-1]
    if past.any():
        falls = 1 - nodes.survival[:, -1].astype(np.float64)
        result[past] = mean_tail(nodes.times[-1], falls, times[past])
    return result


def _mean_nodes(nodes: Nodes) -> Nodes:
    values, rates = [], []
    for _, block in nodes.blocks(1):
        # A product with ones is faster than a sum over rows.
        ones = np.ones(len(block.survival))
        values.append(ones @ block.survival)
        if nodes.interpolation == "pchip":
            rates.append(ones @ pchip_rates(block))
    n = len(nodes.survival)
    return Nodes(
        nodes.times,
        np.sum(values, axis=0, keepdims=True) / n,
        nodes.interpolation,
        np.sum(rates, axis=0, keepdims=True) / n if rates else None,
    )


def _read_mean_curve(mean: Nodes, times: Float) -> Float:
    """Return the values of one curve on a shared grid; meaningless in the tail."""
    if mean.interpolation == "pchip":
        return np.asarray(survival_at(mean, times)[0])
    if mean.interpolation == "step":
        place = np.searchsorted(mean.times, times, side="right") - 1
        return np.asarray(mean.survival[0, place])
    # Of repeated times it takes the last, so a vertical drop is read as it should.
    return np.asarray(np.interp(times, mean.times, mean.survival[0]))


def mean_tail(last_time: np.float64, falls: Float, times: Float) -> Float:
    """Return the mean of max(0, 1 − (1 − S_L) t / t_L) by sums over sorted 1 − S_L."""
    falls = np.sort(falls)
    until = np.concatenate([[0.0], np.cumsum(falls)])
    if last_time == 0:  # a curve that has not dropped to 0 at once never drops
        return np.full(times.size, np.count_nonzero(falls == 0) / falls.size)
    alive = np.searchsorted(falls, last_time / times, side="left")
    return np.asarray((alive - until[alive] * (times / last_time)) / falls.size)


def _mean_by_falls(nodes: Nodes, times: Float) -> Float:
    """Add up how far all curves have fallen by each of ascending times."""
    falls = Falls(times)
    for _, block in nodes.blocks(1):
        # The last line is one segment more, from the last node to its end at 0.
        last_time, last_survival = block.times[:, -1:], block.survival[:, -1:]
        stop = np.hstack([block.times[:, 1:], end_time(last_time, last_survival)])
        fall = np.hstack(
            [block.survival[:, :-1] - block.survival[:, 1:], last_survival]
        )
        fall[np.isinf(stop)] = 0.0  # never reached: the curve stays where it is
        end = falls.position(stop)
        if nodes.interpolation == "linear":
            start = block.times
            first = np.hstack([falls.position(start[:, :1]), end[:, :-1]])
        else:  # a step is a vertical drop at its right end
            start = np.hstack([stop[:, :-1], last_time])
            first = np.hstack([end[:, :-1], falls.position(last_time)])
        falls.add(start, stop, fall, first, end)
    return 1.0 - falls.total() / len(nodes.survival)
