"""Curves of subjects who are known to have survived so far."""

from __future__ import annotations

import numpy as np

from consurv._checks import Float
from consurv.curves.interpolate import fall_rate_at, pchip_rates, survival_at
from consurv.curves.nodes import Nodes, end_time

__all__ = ["as_linear", "condition"]


def condition(nodes: Nodes, time: Float) -> Nodes:
    """Return the nodes of S(t | T > c) = min(1, S(t) / S(c)), exactly.

    The last line becomes an ordinary segment that ends in a node at survival 0, so
    that no second line has to be drawn. Where S(c) = 0 all mass lies at c. A step
    curve becomes a linear one with vertical drops, because the last line is not a
    step. A pchip curve carries its rates of fall, since those that its new nodes
    imply would differ.

    Parameters
    ----------
    nodes : Nodes of n curves
    time : array of shape (n,)
        The times c, finite and >= 0.

    Examples
    --------
    >>> nodes = Nodes(np.array([0.0, 4.0]), np.array([[1.0, 0.5]]), "linear")
    >>> given = condition(nodes, np.array([2.0]))
    >>> given.times[0], given.survival[0].round(3)
    (array([0., 2., 2., 4., 4., 8.]), array([1.   , 1.   , 1.   , 0.667, 0.667, 0.   ]))
    """
    if nodes.interpolation == "step":
        nodes = as_linear(nodes)
    c = time[:, None]
    given = survival_at(nodes, c)
    times = np.broadcast_to(nodes.times, nodes.survival.shape)
    past = times <= c
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        kept = np.minimum(nodes.survival / given, 1.0)
    kept = np.where(past, 1.0, np.where(given > 0, kept, 0.0))
    moved = np.where(past | (given == 0), c, times)
    end, end_survival = _end(nodes, c, given)
    # A second node at c and at the last time: the rates on both sides differ there.
    new_times = np.hstack([np.zeros_like(c), c, moved, moved[:, -1:], end])
    ones = np.ones_like(c)
    new_survival = np.hstack([ones, ones, kept, kept[:, -1:], end_survival])
    rates = None
    if nodes.interpolation == "pchip":
        rates = _rates(nodes, time, given, past, new_times, new_survival)
    return Nodes(new_times, new_survival, nodes.interpolation, rates)


def as_linear(nodes: Nodes) -> Nodes:
    """Draw steps as vertical drops: (t1, S0), (t1, S1), (t2, S1), ..."""
    return Nodes(
        np.repeat(nodes.times, 2, axis=-1)[..., 1:],
        np.repeat(nodes.survival, 2, axis=1)[:, :-1],
        "linear",
    )


def _end(nodes: Nodes, c: Float, given: Float) -> tuple[Float, Float]:
    """Return the node at which the last line ends; a flat one stays where it is."""
    last_time = np.broadcast_to(nodes.times[..., -1:], c.shape)
    last_survival = nodes.survival[:, -1:].astype(np.float64)
    flat = last_survival == 1
    end = np.where(flat, last_time, end_time(last_time, last_survival))
    return np.where(given > 0, np.maximum(end, c), c), np.where(flat, 1.0, 0.0)


def _rates(
    nodes: Nodes,
    time: Float,
    given: Float,
    past: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    new_times: Float,
    new_survival: Float,
) -> Float:
    """Return the rates of fall at the new nodes of pchip curves."""
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = np.where(past, fall_rate_at(nodes, time), pchip_rates(nodes)) / given
        tail = -np.diff(new_survival[:, -2:]) / np.diff(new_times[:, -2:])
    rates = np.where(given > 0, rates, 0.0)
    tail = np.where(np.isfinite(tail), tail, 0.0)
    before = np.zeros_like(tail)
    return np.hstack([before, before, rates, tail, tail])
