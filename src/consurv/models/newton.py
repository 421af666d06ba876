"""Newton's method with steps that never lead upwards."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh

from consurv._checks import Float
from consurv.errors import ConsurvError

__all__ = ["minimise"]

Value = Callable[[Float], tuple[float, Float]]

# The gain is that of the loss per subject. A step is halved so often at most.
_MAX_STEPS, _CLOSE, _CONVERGED, _HALVINGS = 100, 1e-8, 1e-12, 60
# The least curvature that a direction is taken to have, where parameters have 1.
_FLAT = 1e-8


def minimise(
    value: Value, hessian: Callable[[Float], Float], start: Float, what: str
) -> Float:
    """Return where a smooth function has its minimum.

    Parameters
    ----------
    value : function
        Of an array, gives the value, +inf or NaN where there is none, and the gradient.
    hessian : function
        Gives the matrix of second derivatives.
    start : array of shape (m,)
        The value there is finite.
    what : str
        What is looked for, for the message.

    Raises
    ------
    ConsurvError
        If there is no minimum, or none is found.

    Examples
    --------
    >>> def value(x):
    ...     return float(np.sum(np.cosh(x - 1))), np.sinh(x - 1)
    >>> minimise(value, lambda x: np.diag(np.cosh(x - 1)), np.zeros(2), "it")
    array([1., 1.])
    """
    here, (loss, gradient), count = start, value(start), 0
    while count < _MAX_STEPS:
        count += 1
        curvature = hessian(here)
        if not np.isfinite(curvature).all():
            break
        step = _downhill(curvature, gradient)
        gain = float(gradient @ step)  # twice what a full step is expected to win
        if gain < _CONVERGED:
            return here - step
        for size in 0.5 ** np.arange(_HALVINGS):
            there = here - size * step
            new_loss, new_gradient = value(there)
            # Close to the minimum rounding hides the win, and full steps are safe.
            if gain <= _CLOSE or new_loss <= loss - size * gain / 4:
                break
        else:
            break
        here, loss, gradient = there, new_loss, new_gradient
    raise ConsurvError(
        f"{what} did not converge in {count} steps; standardise the features, drop "
        "some or raise penalty"
    )


def _downhill(hessian: Float, gradient: Float) -> Float:
    """Return what to subtract; where the function is not convex, a way down still."""
    # In units in which all parameters have curvature 1; a parameter without stays.
    unit = np.sqrt(np.abs(np.diag(hessian)))
    unit[unit == 0] = 1.0
    hessian, gradient = hessian / np.outer(unit, unit), gradient / unit
    step: Float
    try:
        step = cho_solve(cho_factor(hessian, check_finite=False), gradient)
    except LinAlgError:
        curvature, axes = eigh(hessian)
        step = axes @ ((axes.T @ gradient) / np.maximum(np.abs(curvature), _FLAT))
    return step / unit
