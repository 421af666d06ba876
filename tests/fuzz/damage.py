"""Bytes of a file, damaged as disks, editors and strangers damage them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

__all__ = ["damaged"]


@st.composite
def damaged(draw: Any, whole: bytes) -> tuple[str, bytes]:
    """Draw damage and return it in words, with what is left of the file."""
    kind = draw(st.sampled_from(["byte", "cut", "hole", "twice", "splice", "none"]))
    at = draw(st.integers(0, max(len(whole) - 1, 0)))
    length = draw(st.integers(1, 64))
    if kind == "byte":
        value = draw(st.integers(0, 255))
        return f"byte {at} as {value}", whole[:at] + bytes([value]) + whole[at + 1 :]
    if kind == "cut":
        return f"cut at {at}", whole[:at]
    if kind == "hole":
        return f"a hole of {length} at {at}", whole[:at] + whole[at + length :]
    if kind == "twice":
        part = whole[at : at + length]
        return f"{length} bytes twice at {at}", whole[:at] + part + whole[at:]
    if kind == "splice":
        odd = draw(st.sampled_from(SPLICES))
        return f"{odd[:20]!r} at {at}", whole[:at] + odd + whole[at:]
    return "no damage", whole


SPLICES = [
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b",", b'"', b"NaN", b"Infinity",
    b"1e999", b"-0", b"null", b"[" * 3000, b"{}", b"9" * 400, b"\xc3", b"=1+1", b"'",
    "\u2028".encode(), b"PK\x05\x06" + b"\x00" * 18,
]  # fmt: skip
