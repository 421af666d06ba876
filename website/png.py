"""The words that a picture carries: its alt text, as the script wrote it."""

from __future__ import annotations

import struct
from pathlib import Path

__all__ = ["described"]


def described(path: Path) -> str:
    """Return the description in a PNG file.

    Raises
    ------
    ValueError
        If there is none: a picture without words is no use to those who cannot see it.
    """
    data, at = path.read_bytes(), 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        if kind == b"iTXt" and body.startswith(b"Description\0"):
            return body.split(b"\0", 5)[5].decode("utf-8")
        if kind == b"tEXt" and body.startswith(b"Description\0"):
            return body.split(b"\0", 1)[1].decode("latin-1")
        at += length + 12
    raise ValueError(f"{path.name} has no alt text; give save() one")
