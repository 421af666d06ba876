"""Load a calibrated model that was saved."""

from __future__ import annotations

import os

from consurv.conformal.estimator import ConformalSurvival
from consurv.errors import InvalidInput
from consurv.keep import read_archive

__all__ = ["load"]


def load(path: str | os.PathLike[str], *, trust: bool = False) -> ConformalSurvival:
    """Return the calibrated model that ``ConformalSurvival.save`` wrote.

    Its predictions are those of the model that was saved, bit for bit, with the same
    libraries on the same kind of machine. Nothing in the file is run, unless it holds
    a pickle and you say that you trust it.

    Parameters
    ----------
    path : path-like
    trust : bool, default=False
        Read pickles, too: they can run any code of who made the file.

    Returns
    -------
    ConformalSurvival

    Raises
    ------
    InvalidInput
        If the file is damaged, is something else, comes from a later version or holds
        a pickle that is not trusted.
    MissingDependency
        If a library that the model needs is not installed.

    Warns
    -----
    UserWarning
        If a library has another version than when the model was saved.

    Examples
    --------
    >>> import tempfile, os
    >>> import numpy as np
    >>> from consurv.models import CoxPH
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 1))
    >>> y = (np.ones(200), rng.exponential(np.exp(X[:, 0])))
    >>> model = ConformalSurvival(CoxPH(), random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "m.consurv")
    ...     model.save(path)
    ...     again = load(path)
    >>> bool((again.predict(X) == model.predict(X)).all())
    True
    """
    _, model = read_archive(path, trust=trust)
    if not isinstance(model, ConformalSurvival):
        raise InvalidInput(
            f"{path} holds a {type(model).__name__}, not a ConformalSurvival; it has "
            f"{type(model).__name__}.load of its own"
            if hasattr(model, "load")
            else f"{path} holds a {type(model).__name__}, not a ConformalSurvival"
        )
    return model
