"""The paper's figures, drawn from records."""

from studies.figures.look import Picture

__all__ = ["Picture"]
