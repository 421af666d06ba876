"""Laws of T given T > c: how censored subjects spread their mass. One a file."""
