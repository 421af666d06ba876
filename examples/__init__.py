"""Worked examples, which the tests run."""
