"""Trained models in files that are data: what is kept, and in which form."""

from consurv.keep.archive import (
    check_libraries,
    read_archive,
    read_manifest,
    write_archive,
)
from consurv.keep.plain import NotPlain, dump_plain, load_plain

__all__ = [
    "NotPlain",
    "check_libraries",
    "dump_plain",
    "load_plain",
    "read_archive",
    "read_manifest",
    "write_archive",
]
