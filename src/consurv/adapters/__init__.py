"""Adapters: how the survival models of other libraries are trained and give curves."""

from consurv.adapters.adapter import Adapter
from consurv.adapters.lookup import adapter_for, register_adapter, risk_adapter_for

__all__ = ["Adapter", "adapter_for", "register_adapter", "risk_adapter_for"]
