"""Settings that hold for all tests."""

from __future__ import annotations

from hypothesis import settings

# The same examples on every run, and no stopwatch: a busy machine is not a failure.
settings.register_profile("consurv", derandomize=True, deadline=None)
settings.load_profile("consurv")
