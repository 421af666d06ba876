"""Conformal subjects in parts, wherever these lie, and what a part can be asked."""
