"""From rows to curves as users go, ``fit(X, y)``, where the truth is known."""
