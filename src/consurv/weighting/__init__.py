"""Weights for who is not censored, and what they tell of coverage."""
