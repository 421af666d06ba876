"""What a search for shifts or levels has found."""

from __future__ import annotations

from typing import NamedTuple

from consurv._checks import Bool, Float, Index

__all__ = ["Levels", "Shifts"]


class Shifts(NamedTuple):
    """The conformal quantile of the scores at every level, and what it rests on.

    Attributes
    ----------
    shifts : ndarray of shape (P,)
    n_subjects : ndarray of shape (P,)
        How many subjects count at each level.
    beyond : ndarray of shape (P,) of bool
        Levels with k > N: the shift is the largest score.
    identified : ndarray of shape (P,) of bool
        Levels with enough events at or beyond q' (five, or half of the k subjects that
        should be there).
    n_infinite : int
        Subjects left out at some level because their percentile time is infinite.
    """

    shifts: Float
    n_subjects: Index
    beyond: Bool
    identified: Bool
    n_infinite: int = 0


class Levels(NamedTuple):
    """Adjusted levels, and what they rest on.

    Attributes
    ----------
    levels : ndarray of shape (P,)
    beyond : ndarray of shape (P,) of bool
        Levels with k > N: the level at which all subjects count.
    identified : ndarray of shape (P,) of bool
        Levels with enough events at or below ρ* (five, or half of the k subjects that
        should be there).
    """

    levels: Float
    beyond: Bool
    identified: Bool
