"""F and its quantiles: the smallest s with N·F(s) ≥ k at every level, found exactly.

With censored subjects spread over a law, F has up to N·M jumps (M event times), far
too many to list. The search lists only those in a tiny interval that is proven to hold
the answer. It asks partitions of the subjects (``questions.py``), about all levels at
once, in a few rounds:

0. where there are only points, and few, they are listed and that is all;
1. a sketch, a few draws of each law beside the points, gives a window around s;
2. in the window the points are listed and the mass of the laws is close to the
   polynomial through a few cheap estimates, which predicts a bracket (lo, hi];
3. the exact mass at both ends shows mass(lo) < k ≤ mass(hi), or corrects the prediction
   for another round, and the breakpoints between, listed, are walked through.

Cost: O(N) per level and round; memory: what lies in the windows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from consurv._checks import Bool, Float, Index
from consurv.conformal.quantile.masses import to_mass
from consurv.conformal.quantile.questions import Partition, ask, ask_all
from consurv.conformal.quantile.searches import Searches
from consurv.conformal.quantile.sketch import Outline, Sketch

__all__ = [
    "MAX_ROUNDS",
    "Quantiles",
    "conformal_quantiles",
    "rank",
    "smallest_scores",
]

# Up to so many breakpoints are listed without a search.
FEW_PIECES = 1 << 14
# Enough to cut down to the rounding through the exponents of all floats.
MAX_ROUNDS = 2200


class Quantiles(NamedTuple):
    """The conformal quantile of the scores at each of P levels.

    Attributes
    ----------
    scores : ndarray of shape (P,)
        NaN where no subject counts. Where part of the mass is fixed, -inf if that alone
        reaches k and inf if the mass nowhere does.
    ranks, n, n_events : ndarray of shape (P,)
        k, the subjects that count, and the events among them with scores up to it
        (these as much as they weigh).
    rounds : int
        How often partitions were asked.
    beyond : ndarray of bool of shape (P,)
        Where k exceeds the number of subjects, or the sum of their weights.
    """

    scores: Float
    ranks: Index
    n: Index
    n_events: Any
    rounds: int
    beyond: Bool


def rank(level: float, n: float) -> int:
    """Return k = ⌈ρ(N + 1)⌉, guarded against the rounding of ρ.

    >>> rank(0.55, 99), rank(0.1 + 0.2, 9), rank(0.95, 18)
    (55, 3, 19)
    """
    return int(np.ceil(level * (n + 1) * (1 - 1e-13)))


def conformal_quantiles(
    partitions: Sequence[Partition], columns: Index, levels: Float
) -> Quantiles:
    """Return the smallest score at which the mass reaches k = ⌈ρ(N + 1)⌉.

    Where k > N it is the largest score.

    Parameters
    ----------
    partitions : sequence of Partition
        Any split of the subjects, in any order.
    columns : ndarray of int of shape (P,)
        What partitions call the levels.
    levels : ndarray of shape (P,)
    """

    def ranks(n: Index) -> Index:
        pairs = zip(levels.tolist(), n.tolist(), strict=True)
        return np.array([rank(*pair) for pair in pairs])

    return _search(partitions, columns, ranks)


def smallest_scores(
    partitions: Sequence[Partition], columns: Index, ranks: Index
) -> Float:
    """Return the smallest score at which the mass of all partitions reaches each rank.

    Examples
    --------
    >>> from consurv.conformal.quantile.masses import LevelMass
    >>> parts = [LevelMass(np.array([3.0, 1.0])), LevelMass(np.array([2.0]))]
    >>> smallest_scores(parts, np.array([0]), np.array([2]))
    array([2.])
    """
    return _search(partitions, columns, lambda _: ranks).scores


def _search(
    partitions: Sequence[Partition],
    columns: Index,
    ranks_of: Callable[[Index], Index],
) -> Quantiles:
    rounds, outline = 1, ask(partitions, Sketch(columns))
    n = outline.n
    ranks = ranks_of(n)
    if outline.listed.all():
        return _of_all_points(outline, ranks)
    far = any(hasattr(partition, "answer_all") for partition in partitions)
    searches = Searches(outline, ranks, FEW_PIECES, far)
    del outline  # it is long, and those who look on have their part of it
    while searches.open:
        rounds += 1
        if rounds > MAX_ROUNDS:
            raise RuntimeError(f"no quantile after {MAX_ROUNDS} rounds")
        asked = searches.questions(columns)
        answers = ask_all(partitions, [question for _, question in asked])
        for (levels, question), found in zip(asked, answers, strict=True):
            searches.see(levels, question, found)
    return Quantiles(searches.scores, ranks, n, searches.n_events, rounds, ranks > n)


def _of_all_points(outline: Outline, ranks: Index) -> Quantiles:
    """Return the quantiles where the sketch is all that there is: points, and few."""
    n, fixed = outline.n, to_mass(outline.fixed)
    scores, none = outline.scores, outline.weights == 0
    if none.any():
        scores = np.where(none, np.inf, scores)
    target = np.minimum(ranks, n) - fixed - (1e-9 + 1e-12 * n)
    places = np.ceil(target).astype(np.intp) - 1
    found = np.where(places < 0, -np.inf, np.inf)
    n_events = np.zeros(len(n), dtype=np.int64)
    for i in np.flatnonzero((places >= 0) & (places < outline.n_points)).tolist():
        found[i] = np.partition(scores[i], places[i])[places[i]]
        n_events[i] = np.count_nonzero(outline.events[i] & (scores[i] <= found[i]))
    found[n == 0] = np.nan
    return Quantiles(found, ranks, n, n_events, 1, ranks > n)
