"""What training has left in a model, as plain values, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from consurv.curves.breslow import Baseline
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.keep import NotPlain
from consurv.models.model import SurvivalModel

__all__ = ["put_state", "state_of"]

_NETWORK = "network_"
_N_FEATURES = "n_features_in_"


def state_of(model: Any) -> dict[str, Any]:
    """Return what training has set, for `consurv.keep.dump_plain`.

    Raises
    ------
    NotPlain
        If the model is none of ours, or holds the object of a foreign library, as
        ``XGBSurvivalAFT`` does that of XGBoost.

    Examples
    --------
    >>> from consurv.models import make_model
    >>> model = make_model("km").fit([[0], [0]], ([True, False], [1.0, 2.0]))
    >>> sorted(state_of(model))
    ['kaplan_meier_', 'n_features_in_']
    """
    if not isinstance(model, SurvivalModel):
        raise NotPlain(type(model).__qualname__)
    given = model.get_params(deep=False)
    return {
        name: _plain(name, value)
        for name, value in vars(model).items()
        if name not in given
    }


def put_state(model: Any, state: Any, n_features: int) -> Any:
    """Give an untrained model what `state_of` returned of one with the same settings.

    Parameters
    ----------
    model : SurvivalModel
    state : dict
        May come from anywhere: it is data, and only sets what training sets.
    n_features : int
        Columns of the tables that the model is for.

    Raises
    ------
    ValueError
        If the state is not one of such a model.
    """
    if not isinstance(model, SurvivalModel) or not isinstance(state, dict):
        raise ValueError("it is not the state of a model")
    if state.get(_N_FEATURES) != n_features:
        raise ValueError("it is a model for other tables")
    given = model.get_params(deep=False)
    for name, value in state.items():
        if name in given or hasattr(type(model), name) or name.startswith("__"):
            raise ValueError(f"it sets {name!r}, which training does not")
        if name != _NETWORK:
            setattr(model, name, _made(name, value))
    if _NETWORK in state:  # after the bins, which say how many outputs it has
        model.network_ = _network(model, state[_NETWORK], n_features)
    return model


def _plain(name: str, value: Any) -> Any:
    if name == _NETWORK:
        return {key: t.numpy() for key, t in value.state_dict().items()}
    for kind, parts, _ in _kinds():
        if type(value) is kind:
            return {part: getattr(value, part) for part in parts}
    return value


def _made(name: str, value: Any) -> Any:
    """Return the object that an attribute of that name is."""
    if not isinstance(value, dict):
        return value
    for _, parts, make in _kinds():
        if set(value) == set(parts):
            return make(**value)
    raise ValueError(f"{name!r} is nothing that training sets")


def _kinds() -> list[tuple[type[Any], tuple[str, ...], Callable[..., Any]]]:
    """Return the objects that models hold: their parts and what makes them anew."""
    kinds: list[tuple[type[Any], tuple[str, ...], Callable[..., Any]]] = [
        (KaplanMeier, ("times", "at_risk", "events"), KaplanMeier.from_arrays),
        (Baseline, ("times", "log_hazard"), Baseline),
    ]
    try:
        from consurv.models.deep.training import History
    except ImportError:  # without torch there are no deep models
        return kinds
    parts = ("training_loss", "validation_loss", "best_epoch")
    return [*kinds, (History, parts, History)]


def _network(model: Any, weights: Any, n_features: int) -> Any:
    import torch

    from consurv.models.deep.training import seeded

    with seeded(0):  # it draws weights, which are replaced
        network = model._network(n_features)
    own = network.state_dict()
    if not isinstance(weights, dict) or set(weights) != set(own):
        raise ValueError("it has the weights of another network")
    for name, tensor in own.items():
        found = weights[name]
        if not isinstance(found, np.ndarray | np.generic) or (
            torch.from_numpy(np.asarray(found)).dtype,
            found.shape,
        ) != (tensor.dtype, tuple(tensor.shape)):
            raise ValueError(f"the weights {name!r} do not fit its network")
        own[name] = torch.from_numpy(np.array(found))
    network.load_state_dict(own)
    return network.eval()
