"""Survival models that are neural networks; they need torch."""

from consurv.errors import MissingDependency

# Every file of this folder builds on torch, so its absence is told once, here.
try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise MissingDependency("torch", "deep") from error
