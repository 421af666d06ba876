"""The entry points that are fuzzed, a file for each kind."""

from tests.fuzz.targets import estimator, stored, tables, values

__all__ = ["estimator", "stored", "tables", "values"]
