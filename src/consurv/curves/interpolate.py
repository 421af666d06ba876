"""Evaluation of curves and the areas below them.

A curve is right-continuous: at a repeated time its value is that of the last node.
"""

from __future__ import annotations

import numpy as np

from consurv._checks import Float
from consurv.curves.nodes import Nodes, end_time, tail_survival
from consurv.curves.pchip import Cubic, fall_rates
from consurv.curves.search import Index, last_index, pick

__all__ = [
    "area_until",
    "fall_rate_at",
    "index_before",
    "pchip_rates",
    "segment_cubic",
    "survival_at",
    "survival_before",
]


def survival_at(nodes: Nodes, times: Float) -> Float:
    """Return the survival of each curve at *times*.

    Parameters
    ----------
    nodes : Nodes of n curves
    times : array of shape (m,) or (n, m)
        Finite and >= 0, in any order; common to all curves, or a row for each.

    Returns
    -------
    array of shape (n, m)

    Examples
    --------
    >>> nodes = Nodes(np.array([0.0, 4.0]), np.array([[1.0, 0.5]]), "linear")
    >>> survival_at(nodes, np.array([2.0, 6.0]))
    array([[0.75, 0.25]])
    """
    out = np.empty((nodes.survival.shape[0], times.shape[-1]))
    common = nodes.times.ndim == 1 and times.ndim == 1
    index = _locate(nodes.times, times) if common else None
    for rows, block in nodes.blocks(times.shape[-1]):
        time = times if times.ndim == 1 else times[rows]
        where = _locate(block.times, time) if index is None else index
        out[rows] = _evaluate(block, time, where)
    return out


def survival_before(nodes: Nodes, time: Float, index: Index) -> Float:
    """Return S(t⁻), the probability of reaching t, of linear or step curves.

    Only the nodes beside the times are read, whatever the length of the curves.

    Parameters
    ----------
    nodes : Nodes of n curves
    time : array of shape (n,)
        One for each curve, > 0.
    index : array of shape (n,)
        As ``index_before`` gives it.

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> nodes = Nodes(np.array([0.0, 4.0]), np.array([[1.0, 0.5]]), "step")
    >>> time = np.array([4.0])
    >>> survival_before(nodes, time, index_before(nodes, time))
    array([1.])
    """
    row, last = np.arange(len(time)), nodes.survival.shape[1] - 1
    value = nodes.survival[row, index].astype(np.float64)
    shared = nodes.times.ndim == 1
    if nodes.interpolation != "step":
        after = np.minimum(index + 1, last)
        start, stop = (
            nodes.times[i] if shared else nodes.times[row, i] for i in (index, after)
        )
        lowest = nodes.survival[row, after]
        # Past the last node the width is 0; the line there follows below.
        with np.errstate(divide="ignore", invalid="ignore"):
            value -= (time - start) / (stop - start) * (value - lowest)
        np.maximum(value, lowest, out=value)
    tail = np.flatnonzero(index == last)
    last_time = nodes.times[-1] if shared else nodes.times[tail, -1]
    last_survival = nodes.survival[tail, -1].astype(np.float64)
    value[tail] = tail_survival(last_time, last_survival, time[tail])
    return value


def index_before(nodes: Nodes, time: Float) -> Index:
    """Return the index of the last node before a time > 0 of its own for each curve.

    Examples
    --------
    >>> nodes = Nodes(np.array([0.0, 4.0]), np.array([[1.0, 0.5]]), "step")
    >>> index_before(nodes, np.array([4.0])), index_before(nodes, np.array([4.1]))
    (array([0]), array([1]))
    """
    if nodes.times.ndim == 1:
        return np.searchsorted(nodes.times, time, side="left") - 1
    out = np.empty(len(time), dtype=np.intp)
    for rows, block in nodes.blocks(1):
        out[rows] = last_index(block.times, time[rows, None], np.less)[:, 0]
    return out


def _locate(times: Float, time: Float) -> Index:
    """Return the index of the last node that is not after *time*."""
    if times.ndim == 1:
        return np.searchsorted(times, time, side="right") - 1
    return last_index(times, time, np.less_equal)


def _evaluate(block: Nodes, time: Float, index: Index) -> Float:
    last = block.survival.shape[1] - 1
    value = pick(block.survival, index)
    if block.interpolation != "step":
        _fall_within(block, time, index, np.minimum(index + 1, last), value)
    tail = index == last
    if tail.any():
        last_time, last_survival = block.times[..., -1], block.survival[:, -1]
        if tail.ndim == 1:
            value[:, tail] = tail_survival(
                last_time[..., None], last_survival[:, None], time[tail]
            )
        else:
            row = np.nonzero(tail)[0]
            value[tail] = tail_survival(
                last_time if last_time.ndim == 0 else last_time[row],
                last_survival[row],
                np.broadcast_to(time, tail.shape)[tail],
            )
    return value


def _fall_within(
    block: Nodes, time: Float, index: Index, after: Index, value: Float
) -> None:
    """Take the fall since the left node off *value*; meaningless in the tail."""
    start, stop = pick(block.times, index), pick(block.times, after)
    lowest = pick(block.survival, after)
    # A time that is not in the tail lies in [start, stop), so the width is > 0; an
    # infinite one gives u = 0 and the curve stays at its last finite level.
    with np.errstate(divide="ignore", invalid="ignore"):
        u = (time - start) / (stop - start)
        if block.interpolation == "linear":
            value -= u * (value - lowest)
        else:
            value -= segment_cubic(block, index, after).fall(u)
    np.maximum(value, lowest, out=value)


def pchip_rates(block: Nodes) -> Float:
    """Return the rates of fall of pchip curves, carried or computed."""
    if block.rates is not None:
        return np.ascontiguousarray(block.rates)
    return fall_rates(block.times, block.survival)


def segment_cubic(block: Nodes, index: Index, after: Index) -> Cubic:
    """Return the cubics of the segments between the nodes *index* and *after*."""
    rates = pchip_rates(block)
    width = pick(block.times, after) - pick(block.times, index)
    return Cubic(
        pick(block.survival, index) - pick(block.survival, after),
        width * pick(rates, index),
        width * pick(rates, after),
    )


def fall_rate_at(nodes: Nodes, time: Float) -> Float:
    """Return ``-dS/dt`` of pchip curves at one time each, 0 past the last node.

    Parameters
    ----------
    nodes : Nodes of n pchip curves
    time : array of shape (n,)

    Returns
    -------
    array of shape (n, 1)

    Examples
    --------
    >>> nodes = Nodes(np.array([0.0, 4.0]), np.array([[1.0, 0.5]]), "pchip")
    >>> fall_rate_at(nodes, np.array([1.0]))
    array([[0.125]])
    """
    out = np.empty((len(time), 1))
    for rows, block in nodes.blocks(1):
        t = time[rows, None]
        index = _locate(block.times, t)
        after = np.minimum(index + 1, block.survival.shape[1] - 1)
        start = pick(block.times, index)
        with np.errstate(divide="ignore", invalid="ignore"):
            width = pick(block.times, after) - start
            slope = segment_cubic(block, index, after).slope((t - start) / width)
            out[rows] = np.where(width > 0, slope / width, 0.0)
    return out


def area_until(nodes: Nodes, tau: Float) -> Float:
    """Return the area below each curve from 0 to its *tau*, which may be +inf.

    Parameters
    ----------
    nodes : Nodes of n curves
    tau : array of shape (n,)

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> nodes = Nodes(np.array([0.0, 4.0]), np.array([[1.0, 0.5]]), "linear")
    >>> area_until(nodes, np.array([np.inf]))
    array([4.])
    """
    out = np.empty(nodes.survival.shape[0])
    for rows, block in nodes.blocks(1):
        out[rows] = _body(block, tau[rows]) + _tail(block, tau[rows])
    last_time = np.broadcast_to(nodes.times[..., -1], out.shape)
    # Such a curve stays above 0 for ever; sums over infinite widths say nothing.
    out[np.isinf(last_time) & np.isinf(tau)] = np.inf
    return out


def _body(block: Nodes, tau: Float) -> Float:
    """Return the area up to the last node or *tau*, whichever comes first."""
    level = block.survival[:, :-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        width = np.diff(block.times)
        span = np.diff(np.minimum(block.times, tau[:, None]))
        if block.interpolation == "step":
            return np.asarray((span * level).sum(axis=1))
        u = np.where(span > 0, span / width, 0.0)
    fall = level - block.survival[:, 1:]
    if block.interpolation == "linear":
        mean_fall = fall * (u / 2)
    else:
        rates = pchip_rates(block)
        cubic = Cubic(fall, width * rates[:, :-1], width * rates[:, 1:])
        mean_fall = cubic.mean_fall(u)
    with np.errstate(invalid="ignore"):
        return np.asarray((span * (level - mean_fall)).sum(axis=1))


def _tail(block: Nodes, tau: Float) -> Float:
    """Return the area below the last line up to *tau*."""
    last_time, last_survival = block.times[..., -1], block.survival[:, -1]
    stop = np.minimum(tau, end_time(last_time, last_survival))
    height = tail_survival(last_time, last_survival, stop)
    with np.errstate(invalid="ignore"):
        length = np.maximum(stop - last_time, 0)
    return np.asarray(length * ((last_survival + height) / 2))
