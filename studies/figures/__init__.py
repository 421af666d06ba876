"""The paper's figures, drawn from records."""

from consurv.experiments.figures.look import Picture

__all__ = ["Picture"]
