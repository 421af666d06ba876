"""Losses of the deep models: pure functions of network outputs and outcomes."""
