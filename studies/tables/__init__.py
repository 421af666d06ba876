"""Tables of the experiments, as CSV for machines and Markdown for readers."""

from studies.tables.table import PValue, Table

__all__ = ["PValue", "Table"]
