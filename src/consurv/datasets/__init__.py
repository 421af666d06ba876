"""Survival data: the paper's datasets, the user's own tables, and their encoding."""

from consurv.datasets.curve_files import CurveFile, read_curves
from consurv.datasets.dataset import Dataset
from consurv.datasets.encode import TableEncoder
from consurv.datasets.fetch import fetch as fetch_dataset
from consurv.datasets.places import MissingData
from consurv.datasets.registry import dataset_names, describe_datasets, load_dataset
from consurv.datasets.seer import load_seer
from consurv.datasets.simulate import make_seer_like, make_weibull
from consurv.datasets.simulated import SimulatedDataset
from consurv.datasets.table import load_table, read_table, split_outcome

__all__ = [
    "CurveFile",
    "Dataset",
    "MissingData",
    "SimulatedDataset",
    "TableEncoder",
    "dataset_names",
    "describe_datasets",
    "fetch_dataset",
    "load_dataset",
    "load_seer",
    "load_table",
    "make_seer_like",
    "make_weibull",
    "read_curves",
    "read_table",
    "split_outcome",
]
