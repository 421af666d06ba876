"""Survival models by name."""

from consurv.models.registry import make_model, model_name, model_names

__all__ = ["make_model", "model_name", "model_names"]
