"""Monotone rearrangement of percentile times that cross.

A row crosses where a lower level has an earlier percentile time than a higher one.
The four repairs work on blocks of rows held the other way round, (levels, subjects)
with the levels falling, so that every numpy call runs along the subjects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consurv._checks import Bool, Float, as_floats, as_levels
from consurv._params import AtLeast, check_params, make_rng
from consurv._registry import resolve
from consurv.curves.search import row_blocks
from consurv.errors import InvalidInput

__all__ = [
    "REARRANGEMENTS",
    "as_percentile_times",
    "crossing_rows",
    "rearrange",
    "rearrange_in_place",
]

# Arrays of a block that are in use at one time and should share the cache.
_ALIVE = 4
# Width / span of a segment stays finite for every span above this.
_TINY = 1e-300


def rearrange(
    percentile_times: ArrayLike,
    levels: ArrayLike,
    method: str = "exact",
    random_state: int | np.random.Generator | None = None,
    *,
    n_draws: int = 1_000_000,
) -> Float:
    """Make rows of percentile times monotone; rows that do not cross are kept.

    The percentile times of a subject are the values of its quantile function Q at
    u = 1 − ρ. Q is linear between them, starts at Q(0) = 0 and ends on the tail line
    of the curve, the one through level 1 at time 0 and the lowest level ρ_L at q_L:
    Q(1) = q_L / (1 − ρ_L). Let F(t) be the measure of {v in [0, 1] : Q(v) ≤ t}, the
    distribution of Q at a uniform draw. The rearranged quantile function is

        Q*(u) = inf {t : F(t) ≥ u}.

    F is piecewise linear with its bends at the percentile times, and two equal
    neighbours make an atom, so Q* is found without drawing. Q* is returned at the
    levels only, and a curve built from the result draws its own tail line: its law
    is that of Q at the levels, not between and beyond them.

    Parameters
    ----------
    percentile_times : array-like of shape (n, p)
        Row i holds q(ρ | x_i) for each level, ≥ 0. Entries may be +inf, the limit of
        a time that grows: the stretches of Q on both sides of one are mass that
        never comes down, so the row keeps it at its lowest levels.
    levels : array-like of shape (p,)
        The levels that the columns belong to, in any order.
    method : {"exact", "bootstrap", "ceil", "floor"}
        ``"exact"`` is Q* in closed form. ``"bootstrap"`` estimates it from uniform
        draws, as the paper does; it is slow and kept for comparison. ``"ceil"`` is
        the running maximum as the level falls, ``"floor"`` the running minimum from
        the lowest level back.
    random_state : int, numpy.random.Generator or None
        Seed of ``"bootstrap"``; the others draw nothing.
    n_draws : int
        Draws per crossing row of ``"bootstrap"``.

    Returns
    -------
    ndarray of shape (n, p)
        A new array, or *percentile_times* itself (as float64) if no row crosses.

    Raises
    ------
    InvalidInput
        If *method* is unknown, shapes do not fit or a time is NaN or negative.

    References
    ----------
    Chernozhukov, Fernández-Val and Galichon (2010), Quantile and probability curves
    without crossing, Econometrica 78(3).

    Examples
    --------
    >>> rearrange([[4.0, 2.0], [1.0, 3.0]], levels=[0.75, 0.25])
    array([[2.18181818, 3.2       ],
           [1.        , 3.        ]])
    >>> rearrange([[4.0, 2.0]], levels=[0.75, 0.25], method="ceil")
    array([[4., 4.]])
    """
    times, checked_levels = as_percentile_times(percentile_times, levels)
    _check_not_negative(times)
    rows = np.flatnonzero(crossing_rows(times, checked_levels))
    result = times.copy() if rows.size else times
    rearrange_in_place(
        result, checked_levels, rows, method, random_state, n_draws=n_draws
    )
    return result


def rearrange_in_place(
    times: Float,
    levels: Float,
    rows: NDArray[np.intp],
    method: str = "exact",
    random_state: int | np.random.Generator | None = None,
    *,
    n_draws: int = 1_000_000,
) -> None:
    """Rearrange the given rows of checked percentile times; see ``rearrange``."""
    repair = resolve(REARRANGEMENTS, method, "rearrangement")
    check_params({"n_draws": n_draws}, {"n_draws": AtLeast(1)})
    if not rows.size and random_state is None:  # to seed a generator takes time
        return
    rng = make_rng(random_state)
    order = np.argsort(-levels)
    uniforms = 1.0 - levels[order]
    for block in row_blocks(rows.size, _ALIVE * (levels.size + 2)):
        part = rows[block]
        repaired = np.empty((order.size, part.size))
        repaired[order] = repair(times[part].T[order], uniforms, rng, n_draws)
        times[part] = repaired.T


def as_percentile_times(
    percentile_times: ArrayLike, levels: ArrayLike
) -> tuple[Float, Float]:
    """Return percentile times (n, p) and their levels (p,), checked as a pair."""
    checked_levels = as_levels(levels)
    times = as_floats(percentile_times, "percentile_times", ndim=2, allow_inf=True)
    if times.shape[1] != checked_levels.size:
        raise InvalidInput(
            f"percentile_times has {times.shape[1]} columns but there are "
            f"{checked_levels.size} levels; give one column for each level"
        )
    return times, checked_levels


def crossing_rows(percentile_times: Float, levels: Float) -> Bool:
    """Say for each row whether its time decreases somewhere as the level falls."""
    order = np.argsort(-levels)
    crossing = np.empty(len(percentile_times), dtype=np.bool_)
    for block in row_blocks(len(percentile_times), levels.size):
        times = percentile_times[block].T[order]
        np.any(times[1:] < times[:-1], axis=0, out=crossing[block])
    return crossing


def _check_not_negative(times: Float) -> None:
    if times.size and times.min() < 0:
        row, column = (int(i) for i in np.argwhere(times < 0)[0])
        raise InvalidInput(
            f"percentile_times has negative values, the first at row {row}, column "
            f"{column}: {times[row, column]:g}; clip them at 0 first, as adjust does"
        )


def _exact(times: Float, uniforms: Float, *_: Any) -> Float:
    """Return Q* at *uniforms* in closed form."""
    knots, nodes = _quantile_function(times, uniforms)
    values = np.sort(nodes, axis=0)
    continuous, atoms = _distribution(nodes, np.diff(knots), values)
    return _invert(values, continuous, atoms, uniforms)


def _quantile_function(times: Float, uniforms: Float) -> tuple[Float, Float]:
    """Return the knots of Q on [0, 1] and its values there, ends included."""
    nodes = np.zeros((len(times) + 2, times.shape[1]))
    nodes[1:-1] = times
    with np.errstate(over="ignore"):  # a tail past the largest float never ends
        np.divide(times[-1], uniforms[-1], out=nodes[-1])
    return np.concatenate(([0.0], uniforms, [1.0])), nodes


def _distribution(nodes: Float, widths: Float, values: Float) -> tuple[Float, Float]:
    """Return the continuous part and the atoms of F at *values*, shape of *values*.

    Each segment of Q spreads its width evenly over the times that it covers. All
    terms are added in the same order for every value and none is negative, so F is
    monotone in floating point too; sums of changing densities would cancel.
    """
    low, high = np.minimum(nodes[:-1], nodes[1:]), np.maximum(nodes[:-1], nodes[1:])
    # The limit of a segment whose end grows to +inf: its mass lies at +inf.
    low[np.isinf(high)] = np.inf
    # Closer times are equal: the slope of F between them could overflow.
    flat = high <= low + _TINY
    base = np.where(flat, 0.0, low)
    slope = np.where(flat, 0.0, widths[:, np.newaxis]) / (high - base + flat)
    finite = np.minimum(values, np.finfo(np.float64).max)  # inf times slope 0 is NaN
    continuous, part = np.zeros_like(values), np.empty_like(values)
    with np.errstate(over="ignore"):  # past the end of a segment, clipped to its width
        for j, width in enumerate(widths):
            np.subtract(finite, base[j], out=part)
            part *= slope[j]
            np.clip(part, 0.0, width, out=part)
            continuous += part
    return continuous, _atoms(flat, low, widths, values)


def _atoms(flat: Bool, low: Float, widths: Float, values: Float) -> Float:
    """Return the mass of the flat segments that lie at or below each value."""
    jumps = np.zeros_like(values)
    segment, subject = np.nonzero(flat)
    first = np.count_nonzero(values[:, subject] < low[segment, subject], axis=0)
    np.add.at(jumps, (first, subject), widths[segment])
    return np.cumsum(jumps, axis=0, out=jumps)


def _invert(values: Float, continuous: Float, atoms: Float, uniforms: Float) -> Float:
    """Return inf {t : F(t) ≥ u} for F linear between *values*, which ascend."""
    at = continuous + atoms
    before = continuous.copy()  # F(t−): an atom counts from the next value on
    before[1:] += atoms[:-1]
    # Sums of p widths are right to about p roundings: closer than this is equal, so
    # that both ends of an atom and the last finite time are met.
    tolerance = 2.0 * len(values) * np.finfo(np.float64).eps
    wanted = uniforms[:, np.newaxis]
    index = _first_at_least(at, uniforms - tolerance)
    previous = index - values.shape[1]
    end, end_mass = (np.take(a, index, mode="clip") for a in (values, before))
    start, start_mass = (np.take(a, previous, mode="clip") for a in (values, at))
    reached = wanted >= end_mass - tolerance
    # Where the end is reached the fraction is not used and may be 0/0 or inf − inf.
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = (wanted - start_mass) / (end_mass - start_mass) * (end - start)
        return np.where(reached, end, np.minimum(start + inside, end))


def _first_at_least(masses: Float, bounds: Float) -> NDArray[np.intp]:
    """Return the flat index of the first of the ascending masses ≥ each bound."""
    counts = np.empty((len(bounds), masses.shape[1]), np.min_scalar_type(len(masses)))
    for bound, count in zip(bounds, counts, strict=True):
        # Bytes added into bytes are several times faster than np.count_nonzero.
        below = (masses < bound).view(np.uint8)
        np.add.reduce(below, axis=0, dtype=counts.dtype, out=count)
    # Widened first: NumPy 1 would multiply bytes by a small number into bytes.
    found: NDArray[np.intp] = counts.astype(np.intp) * masses.shape[1]
    return found + np.arange(masses.shape[1])


def _bootstrap(
    times: Float, uniforms: Float, rng: np.random.Generator, n_draws: int
) -> Float:
    """Return empirical quantiles of Q at *n_draws* uniform draws for each subject."""
    knots, nodes = _quantile_function(times, uniforms)
    # The same guard as for a conformal rank: 0.55 · 100 is 55, not 56.
    ranks = np.ceil(n_draws * uniforms * (1 - 1e-13)).astype(np.intp) - 1
    result = np.empty_like(times)
    for i in range(times.shape[1]):
        draws = np.interp(rng.random(n_draws), knots, nodes[:, i])
        result[:, i] = np.sort(draws)[ranks]
    return result


def _ceil(times: Float, *_: Any) -> Float:
    """Return the running maximum as the level falls."""
    return np.maximum.accumulate(times, axis=0)


def _floor(times: Float, *_: Any) -> Float:
    """Return the running minimum from the lowest level back."""
    return np.minimum.accumulate(times[::-1], axis=0)[::-1]


_Repair = Callable[[Float, Float, np.random.Generator, int], Float]

REARRANGEMENTS: Mapping[str, _Repair] = {
    "exact": _exact,
    "bootstrap": _bootstrap,
    "ceil": _ceil,
    "floor": _floor,
}
