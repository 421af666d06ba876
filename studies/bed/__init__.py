"""A test bed of laws, censorings and raw models whose truth is known."""
