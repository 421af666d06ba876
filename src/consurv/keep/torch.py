"""Modules of torch: their layers by name, their weights by safetensors."""

from __future__ import annotations

from typing import Any

from consurv.errors import MissingDependency
from consurv.keep.classes import class_path, find_class
from consurv.keep.plain import NotPlain

try:
    from safetensors import torch as safetensors
except ImportError as error:
    raise MissingDependency("safetensors", "keep") from error
from torch import nn

__all__ = ["restore", "store"]

_HOMES = (
    "torch.nn.modules",
    "torchtuples.practical",
    "pycox.models.cox_time",
    "consurv",
)
_COMMON = frozenset(vars(nn.Module())) - {"training"}
_HOOKS = [name for name in _COMMON if name.endswith("_hooks")]


def store(value: Any) -> Any:
    """Return layers and weights, the latter from wherever they are."""
    if not isinstance(value, nn.Module):
        raise NotPlain(f"a {type(value).__name__}")
    weights = {
        name: tensor.detach().cpu().contiguous().clone()
        for name, tensor in value.state_dict(keep_vars=True).items()
    }
    return {"layers": _layers(value), "weights": safetensors.save(weights)}


def restore(state: Any) -> Any:
    """Return the module on the CPU."""
    return _build(state["layers"], safetensors.load(state["weights"]), "")


def _layers(module: Any) -> dict[str, Any]:
    kind = type(module)
    try:
        find_class(class_path(kind), _HOMES, nn.Module)
    except ValueError as error:
        raise NotPlain(
            f"the code of the module {kind.__name__} is not part of a file; keep it "
            "beside, and use layers of torch.nn alone to do without"
        ) from error
    # A hook is code, and a buffer that is not in the state would be lost.
    own = vars(module)
    if any(own[name] for name in _HOOKS) or own["_non_persistent_buffers_set"]:
        raise NotPlain(f"the module {kind.__name__} has hooks or hidden buffers")
    return {
        "class": class_path(kind),
        "attributes": {k: v for k, v in own.items() if k not in _COMMON},
        "parameters": {k: p is not None for k, p in module._parameters.items()},
        "buffers": {k: b is not None for k, b in module._buffers.items()},
        "modules": {k: m and _layers(m) for k, m in module._modules.items()},
    }


def _build(layers: Any, weights: dict[str, Any], prefix: str) -> Any:
    kind = find_class(layers["class"], _HOMES, nn.Module)
    module: Any = object.__new__(kind)
    nn.Module.__init__(module)
    if set(layers["attributes"]) & _COMMON:
        raise ValueError("it sets what no module sets")
    vars(module).update(layers["attributes"])
    for name, there in layers["parameters"].items():
        found = nn.Parameter(weights[prefix + name]) if there else None
        module.register_parameter(name, found)
    for name, there in layers["buffers"].items():
        module.register_buffer(name, weights[prefix + name] if there else None)
    for name, inner in layers["modules"].items():
        part = inner and _build(inner, weights, f"{prefix}{name}.")
        module.add_module(name, part)
    return module
