"""Choices by name."""

from __future__ import annotations

import pytest

from consurv._registry import resolve
from consurv.errors import InvalidInput

RULES = {"margin": 1, "Uncensored": 2}


class TestResolve:
    @pytest.mark.parametrize("name", ["margin", "Margin", "MARGIN"])
    def test_in_any_case(self, name):
        assert resolve(RULES, name, "rule") == 1
        assert resolve(RULES, "uncensored", "rule") == 2

    def test_an_unknown_name_lists_the_known(self):
        with pytest.raises(
            InvalidInput, match=r"^unknown rule 'xyz'\. Choose one of: margin, Uncen"
        ):
            resolve(RULES, "xyz", "rule")

    def test_a_slip_gets_a_suggestion(self):
        with pytest.raises(InvalidInput, match=r"'margn', did you mean 'margin'\?"):
            resolve(RULES, "margn", "rule")

    @pytest.mark.parametrize("name", [None, 1, ["margin"]])
    def test_what_is_no_name(self, name):
        with pytest.raises(InvalidInput, match="unknown rule"):
            resolve(RULES, name, "rule")
