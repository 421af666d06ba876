"""Raw models: the truth, distorted in one way."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from consurv._checks import Float
from studies.bed.laws import Law, Of, index

__all__ = ["DISTORTIONS", "distorted"]

# A median that is never reached counts as this.
_LATE = 8.0


def _parts(law: Law, u: Float, x: Float) -> tuple[Float, Float]:
    """Return the medians, and the percentile times over them."""
    median = law.q(np.full((len(x), 1), 0.5), x)
    median = np.where(np.isfinite(median), median, _LATE)
    return median, law.q(u, x) / median


def _times(law: Law, a: float) -> Of:
    return lambda u, x: a * law.q(u, x)


def _contrast(law: Law, a: float) -> Of:
    def q(u: Float, x: Float) -> Float:
        median, ratio = _parts(law, u, x)
        return median**a * ratio

    return q


def _width(law: Law, a: float) -> Of:
    def q(u: Float, x: Float) -> Float:
        median, ratio = _parts(law, u, x)
        return median * ratio**a

    return q


def _widths(law: Law, a: float) -> Of:
    """Widths that differ by what has nothing to do with them."""

    def q(u: Float, x: Float) -> Float:
        median, ratio = _parts(law, u, x)
        return median * ratio ** np.exp(a * x[:, 3:])

    return q


def _late(law: Law, a: float) -> Of:
    return lambda u, x: law.q(u, x) + a


def _hazard(law: Law, a: float) -> Of:
    return lambda u, x: law.q(u ** (1 / a), x)


def _bent(law: Law, a: float) -> Of:
    """Bend the index."""
    return lambda u, x: law.q(u, x) * np.exp(a * (index(x) ** 2 - 0.6))


def _noisy(law: Law, a: float) -> Of:
    """Noise in the index, as in an overfitted model."""
    return lambda u, x: law.q(u, x) * np.exp(a * x[:, 3:])


def _sure(law: Law, a: float) -> Of:
    """Curves far too narrow round medians that are half noise."""
    narrow = _width(law, a)
    return lambda u, x: narrow(u, x) * np.exp(x[:, 3:])


def _slow_and_narrow(law: Law, a: float) -> Of:
    narrow = _width(law, 0.6)
    return lambda u, x: 1.5 * narrow(u, x)


def _flat_and_wide(law: Law, a: float) -> Of:
    def q(u: Float, x: Float) -> Float:
        median, ratio = _parts(law, u, x)
        return median**0.4 * ratio**1.5

    return q


def _right(law: Law, a: float) -> Of:
    return law.q


DISTORTIONS: Mapping[str, Callable[[Law, float], Of]] = {
    "right": _right,
    "times": _times,
    "contrast": _contrast,
    "width": _width,
    "widths": _widths,
    "late": _late,
    "hazard": _hazard,
    "bent": _bent,
    "noisy": _noisy,
    "sure": _sure,
    "slow+narrow": _slow_and_narrow,
    "flat+wide": _flat_and_wide,
    # Right so far as they go: few steps, or an early end.
    "steps": _right,
    "cut": _right,
}


def distorted(law: Law, name: str) -> tuple[Of, float]:
    """Return the percentile times of a raw model, and its strength (NaN: none)."""
    kind, _, strength = name.partition(":")
    a = float(strength or "nan")
    return DISTORTIONS[kind](law, a), a
