"""Who trains the model, and who sets the adjustment."""
