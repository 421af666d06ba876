"""The entry points that are fuzzed, a file for each kind."""

from tests.fuzz.targets import command, estimator, stored, tables, values

__all__ = ["command", "estimator", "stored", "tables", "values"]
