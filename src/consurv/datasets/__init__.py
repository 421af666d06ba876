"""Survival data: the paper's datasets, the user's own tables, and their encoding."""

from consurv.datasets.base import Dataset
from consurv.datasets.encode import TableEncoder
from consurv.datasets.registry import dataset_names, load_dataset
from consurv.datasets.table import load_table, read_table, split_outcome

__all__ = [
    "Dataset",
    "TableEncoder",
    "dataset_names",
    "load_dataset",
    "load_table",
    "read_table",
    "split_outcome",
]
