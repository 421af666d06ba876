"""Bytes that are data: the same back, and nothing else from anybody's."""

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consurv.keep import NotPlain, dump_plain, load_plain

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(VALUES)
def test_values_come_back(value: Any) -> None:
    assert repr(load_plain(dump_plain(value))) == repr(value)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)),
        np.array([], dtype=np.int64),
        np.zeros((0, 3)),
        np.array([np.nan, -0.0, np.inf, 5e-324]),
        np.array([True, False]),
        np.array(3.5),
        np.float32(0.1),
        np.int64(7),
    ],
)
def test_arrays_come_back_bit_for_bit(array: Any) -> None:
    # Two, so that the second is found where the first ends.
    for back in load_plain(dump_plain([array, array])):
        assert type(back) is type(array)
        assert (back.dtype, back.shape) == (array.dtype, array.shape)
        assert back.tobytes() == array.tobytes()
        assert back.flags.f_contiguous == array.flags.f_contiguous


def test_names_come_back() -> None:
    names = np.array(["a", "θ"], dtype=object)
    assert load_plain(dump_plain(names)).tolist() == ["a", "θ"]


@pytest.mark.parametrize(
    "value", [object(), {1: 2}, {1}, np.array([None]), np.array([["a"]]), 1j]
)
def test_other_things_are_no_plain_values(value: Any) -> None:
    with pytest.raises(NotPlain):
        dump_plain([value])


@given(st.binary(max_size=60))
def test_any_bytes_are_a_value_or_a_value_error(content: bytes) -> None:
    for planted in (content, len(content).to_bytes(8, "little") + content):
        with suppress(ValueError):
            load_plain(planted)


@pytest.mark.parametrize(
    "text",
    [
        '["array", ["<f8", [1000000000000], "C"]]',
        '["array", ["<f8", [0, 1000000000000], "C"]]',
        '["array", ["<f8", [-1], "C"]]',
        '["array", ["|O", [1], "C"]]',
        '["array", ["<f8", ["1"], "C"]]',
        '["scalar", [["<f8"], [], "C"]]',
        '["texts", [[]]]',
        '["list", 5]',
        '["dict", []]',
        '["object", {}]',
        "{}",
        "[]",
        "[" * 100_000,
        '["list", [' * 500 + "]]" * 500,
    ],
)
def test_crafted_values_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        load_plain(len(text).to_bytes(8, "little") + text.encode())
