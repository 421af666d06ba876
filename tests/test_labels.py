"""Labels of groups are read once, in any form, or refused with the way out."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from consurv import InvalidInput
from consurv._labels import as_labels, codes_of, known_labels, listed_labels


@pytest.mark.parametrize(
    "groups",
    [
        ["b", "a"],
        np.array(["b", "a"]),
        np.array([["b"], ["a"]]),
        pd.Series(["b", "a"], index=[5, 9]),
        pd.Series(["b", "a"], dtype="category"),
        pl.Series(["b", "a"]),
    ],
    ids=["list", "array", "column", "pandas", "category", "polars"],
)
def test_text_in_any_form_is_plain_text(groups):
    labels = as_labels(groups, n=2)
    assert labels.tolist() == ["b", "a"]
    assert {type(label) for label in labels} == {str}


def test_numbers_are_plain_numbers_whatever_their_type():
    for groups in (
        np.array([2, 1]),
        [np.int32(2), 1],
        pd.Series([2, 1], dtype="Int64"),
    ):
        assert [type(label) for label in as_labels(groups)] == [int, int]
    assert known_labels(as_labels([True, False])) == (False, True)


def test_numbers_come_before_text_and_unknown_labels_have_no_place():
    labels = as_labels(["b", 10, 9, "a", 10])
    assert known_labels(labels) == (9, 10, "a", "b")
    assert codes_of(labels, (9, "b")).tolist() == [1, -1, 0, -1, -1]


def test_many_labels_are_not_all_listed():
    assert listed_labels(range(14)).endswith("11 and 2 more")


@pytest.mark.parametrize(
    ("groups", "match"),
    [
        (["a", None, np.nan], "groups has 2 missing labels, the first at row 1; drop"),
        (pd.Series([1, None], dtype="Int64"), "1 missing labels, the first at row 1"),
        ([["a", "b"]], r"groups must be 1-dimensional, got shape \(1, 2\)"),
        ("site", "groups is 'site'; give one label for each subject, or the name"),
        (3, "groups is 3; give one label"),
        ([("a", 1), ("b", 2)], r"must be 1-dimensional|labels are text or numbers"),
        ([pd.Timestamp("2020")], "holds a Timestamp, .*; labels are text or numbers"),
        (np.ma.array([1, 2], mask=[0, 1]), "groups is a masked array"),
    ],
)
def test_what_is_no_label_is_refused(groups, match):
    with pytest.raises(InvalidInput, match=match):
        as_labels(groups)


def test_another_number_of_labels_is_refused():
    with pytest.raises(InvalidInput, match="lengths differ: X has 3, groups has 2"):
        as_labels(["a", "b"], n=3)
