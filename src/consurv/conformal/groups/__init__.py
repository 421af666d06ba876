"""Adjustments by group: own ones, drawn to the pooled one as far as data ask for it."""
