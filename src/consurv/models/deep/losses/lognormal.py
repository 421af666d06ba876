"""Losses of a log-normal law for right-censored times: likelihood and CRPS."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

__all__ = [
    "lognormal_crps",
    "lognormal_log_survival",
    "lognormal_nll",
    "lognormal_survival",
]

# Beyond this many standard deviations the normal law holds nothing that floats show.
_REACH = 9.0
_NODES = 48
# The logarithm of a time that no study sees: from there on the CRPS grows with the
# logarithm alone. A wide law's own value soon leaves the range of floats, and one such
# subject would be all that the gradient knows.
_LOG_CEILING = 20.0
# exp is taken of nothing larger; exp(88) is the largest of single precision.
_LARGEST_EXPONENT = 75.0
_LOG_ROOT_2PI = 0.5 * float(np.log(2 * np.pi))


def lognormal_log_survival(log_time: Tensor, mu: Tensor, sigma: Tensor) -> Tensor:
    """Return log S(t) of a log-normal law, far into its tail.

    Parameters
    ----------
    log_time, mu, sigma : Tensor of shapes that broadcast
        log t, and mean and standard deviation of log T.

    Examples
    --------
    >>> zero, one = torch.zeros(()), torch.ones(())
    >>> lognormal_log_survival(zero, zero, one).exp()
    tensor(0.5000)
    """
    log_survival: Tensor = torch.special.log_ndtr((mu - log_time) / sigma)
    return log_survival


def lognormal_survival(log_time: Tensor, mu: Tensor, sigma: Tensor) -> Tensor:
    """Return S(t) of a log-normal law.

    Parameters
    ----------
    log_time, mu, sigma : Tensor of shapes that broadcast

    Examples
    --------
    >>> zero, one = torch.zeros(()), torch.ones(())
    >>> lognormal_survival(zero, zero, one)
    tensor(0.5000)
    """
    survival: Tensor = torch.special.ndtr((mu - log_time) / sigma)
    return survival


def lognormal_nll(log_time: Tensor, event: Tensor, mu: Tensor, sigma: Tensor) -> Tensor:
    """Return the mean negative log-likelihood of log times.

    An event contributes log f(log t), a censored subject log S(t). The density is
    that of log T; the one of T differs by log t, which no parameter can change.

    Parameters
    ----------
    log_time, event, mu, sigma : Tensor of shape (n,)

    Returns
    -------
    scalar Tensor

    Examples
    --------
    >>> zero, one = torch.zeros(1), torch.ones(1)
    >>> lognormal_nll(zero, torch.tensor([False]), zero, one)  # log 2
    tensor(0.6931)
    """
    z = (log_time - mu) / sigma
    log_density = -0.5 * z**2 - sigma.log() - _LOG_ROOT_2PI
    log_survival = lognormal_log_survival(log_time, mu, sigma)
    return -torch.where(event, log_density, log_survival).mean()


def lognormal_crps(
    log_time: Tensor, event: Tensor, mu: Tensor, sigma: Tensor
) -> Tensor:
    """Return the mean survival CRPS of a log-normal law.

    ∫ (1 − S(u))² du from 0 to t, and for events also ∫ S(u)² du from t on. With
    u = exp(μ + σw) both are integrals of Φ² over w, smooth whatever σ is, and are
    found by Gauss–Legendre quadrature; where 1 − Φ is below what floats show they
    are those of 1. The second has no bound, some exp(σ²/4): a value v above e²⁰ counts
    as e²⁰(1 + log v − 20), which has the same slope there. So times should be given in
    a unit near their own size.

    Parameters
    ----------
    log_time, event, mu, sigma : Tensor of shape (n,)

    Returns
    -------
    scalar Tensor

    References
    ----------
    Avati, Duan, Zhou, Jung, Shah, Ng: Countdown Regression: Sharp and Calibrated
    Survival Predictions, UAI 2019.

    Examples
    --------
    >>> zero, one = torch.zeros(1), torch.ones(1)
    >>> lognormal_crps(zero, torch.tensor([True]), zero, one)
    tensor(0.2674)
    """
    z = (log_time - mu) / sigma
    below = z.clamp(-_REACH, _REACH)
    left = _integral(-_REACH, below, mu, sigma, 1.0)
    left = left + (mu + sigma * z).exp() - (mu + sigma * torch.minimum(z, below)).exp()
    start = z.clamp_min(-_REACH)
    # Φ(−w)² exp(σw) peaks near σ/2.
    stop = torch.maximum(start, 0.5 * sigma.detach() + _REACH)
    tail, scale = _scaled_integral(start, stop, mu, sigma, -1.0)
    low = mu - scale
    tail = tail + (low + sigma * start).exp() - (low + sigma * z).exp()
    right = _grow_slowly(tail, scale)
    return (left + torch.where(event, right, 0.0)).mean()


def _grow_slowly(value: Tensor, scale: Tensor) -> Tensor:
    """Return value·exp(scale), beyond the ceiling with the slope of its logarithm."""
    log_value = value.clamp_min(1.0).log() + scale
    ceiling = math.exp(_LOG_CEILING)
    beyond = ceiling * (1 + log_value - _LOG_CEILING)
    return torch.where(log_value > _LOG_CEILING, beyond, value)


def _integral(
    start: Tensor | float, stop: Tensor, mu: Tensor, sigma: Tensor, sign: float
) -> Tensor:
    """Return ∫ Φ(sign·w)² σ exp(μ + σw) dw for each row."""
    return _scaled_integral(start, stop, mu, sigma, sign)[0]


def _scaled_integral(
    start: Tensor | float, stop: Tensor, mu: Tensor, sigma: Tensor, sign: float
) -> tuple[Tensor, Tensor]:
    """Return the integral as a factor and the logarithm of another, mostly 0."""
    nodes, weights = (
        torch.as_tensor(a, dtype=stop.dtype, device=stop.device) for a in _rule()
    )
    length = (stop - start)[:, None]
    w = stop[:, None] - length * nodes
    # One exponential: each factor alone may leave the range of floats.
    log_values = 2 * torch.special.log_ndtr(sign * w) + mu[:, None] + sigma[:, None] * w
    scale = (log_values.detach().amax(dim=1) - _LARGEST_EXPONENT).clamp_min(0.0)
    values = (log_values - scale[:, None]).exp()
    integral: Tensor = sigma * length[:, 0] * (values @ weights)
    return integral, scale


@lru_cache(maxsize=1)
def _rule() -> tuple[np.ndarray, np.ndarray]:
    """Return nodes and weights of the quadrature on (0, 1)."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return (nodes + 1) / 2, weights / 2
