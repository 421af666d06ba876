"""Curves of a model of R, calibrated from files."""
