import sys

import pytest

from consurv.datasets.packaged import packaged_table, survset_table
from consurv.errors import MissingDependency


class TestTablesOfTheInstalledPackage:
    def test_come_as_frames(self) -> None:
        assert packaged_table("gbsg").shape == (686, 11)

    def test_need_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "survival", None)
        with pytest.raises(
            MissingDependency, match=r"survival is not installed.*consurv\[datasets\]"
        ):
            packaged_table("gbsg")

    def test_of_survset_need_that(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "SurvSet.data", None)
        with pytest.raises(
            MissingDependency, match=r"SurvSet is not installed.*consurv\[datasets\]"
        ):
            survset_table("DLBCL")
