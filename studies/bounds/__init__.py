"""The published tables for lower bounds under censoring, as studies."""
