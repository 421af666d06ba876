"""Adjustments and calibrated models as files."""
