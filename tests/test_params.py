"""Declared rules for parameters."""

from __future__ import annotations

import numpy as np
import pytest

from consurv._params import AtLeast, Between, InstanceOf, OneOf, check_params
from consurv.errors import InvalidInput


def accepted(rule, values):
    return [value for value in values if rule.accepts(value)]


class TestOneOf:
    def test_takes_its_choices_and_nothing_else(self):
        rule = OneOf("time", "level", None)
        assert accepted(rule, ["time", "level", None, "Time", 0, False, ["time"]]) == [
            "time",
            "level",
            None,
        ]

    def test_true_is_not_one(self):
        assert not OneOf(True).accepts(1)
        assert not OneOf(1).accepts("1")

    def test_an_array_is_no_choice(self):
        assert not OneOf("a", None).accepts(np.array(["a", "b"]))

    def test_lists_the_choices(self):
        assert OneOf("a", None).describe() == "one of 'a', None"


class TestAtLeast:
    def test_whole_numbers(self):
        values = [0, 1, 2, np.int32(5), 1.0, 2.5, True, np.True_, "3", None, np.nan]
        assert accepted(AtLeast(1), values) == [1, 2, 5]

    def test_real_numbers(self):
        rule = AtLeast(0.5, real=True)
        values = [0.4, 0.5, 1, np.float32(2), np.nan, True, "1"]
        assert accepted(rule, values) == [0.5, 1, 2]

    def test_describes_the_range(self):
        assert AtLeast(1).describe() == "a whole number >= 1"
        assert AtLeast(0.5, real=True).describe() == "a number >= 0.5"


class TestBetween:
    def test_excludes_its_bounds(self):
        values = [0, 0.1, np.float64(0.5), 1, 1.0, np.nan, True, "0.5"]
        assert accepted(Between(0, 1), values) == [0.1, 0.5]

    def test_describes_the_range(self):
        assert Between(0, 1).describe() == "a number strictly between 0 and 1"


class TestInstanceOf:
    def test_takes_instances(self):
        assert accepted(InstanceOf(dict, list), [{}, [], (), None]) == [{}, []]

    def test_names_the_types(self):
        assert InstanceOf(dict, list).describe() == "an instance of dict or list"


RULES = {"size": (OneOf(None), AtLeast(2)), "kind": OneOf("a", "b")}


class TestCheckParams:
    @pytest.mark.parametrize("size", [None, 2, 7])
    def test_any_rule_of_several_will_do(self, size):
        check_params({"size": size, "kind": "a"}, RULES)

    def test_the_message_has_name_value_and_choices(self):
        with pytest.raises(
            InvalidInput,
            match="size=1 is not valid; it must be one of None or a whole number >= 2",
        ):
            check_params({"size": 1, "kind": "a"}, RULES)
        with pytest.raises(InvalidInput, match=r"kind='c' is not valid.*'a', 'b'$"):
            check_params({"size": 2, "kind": "c"}, RULES)

    def test_values_without_a_rule_are_free(self):
        check_params({"size": 2, "kind": "b", "other": object()}, RULES)
