import pickle
from pathlib import Path

import pytest

from consurv.datasets.places import (
    EitherPlace,
    FetchedFile,
    MissingData,
    OwnFile,
    PackagePlace,
    cache_folder,
)


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The user's folder of data and the cache, both empty."""
    data, cache = tmp_path / "data", tmp_path / "cache"
    for name, folder in {"CONSURV_DATA": data, "CONSURV_CACHE": cache}.items():
        folder.mkdir()
        monkeypatch.setenv(name, str(folder))
    return data, cache


class TestTheCacheFolder:
    def test_is_the_one_that_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CONSURV_CACHE", "~/kept")
        assert cache_folder() == Path.home() / "kept"

    @pytest.mark.parametrize(
        ("platform", "folder"),
        [
            ("linux", ".cache/consurv"),
            ("darwin", "Library/Caches/consurv"),
            ("win32", "AppData/Local/consurv"),
        ],
    )
    def test_is_the_users_own_else(
        self, monkeypatch: pytest.MonkeyPatch, platform: str, folder: str
    ) -> None:
        for name in ("CONSURV_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr("sys.platform", platform)
        assert cache_folder() == Path.home() / folder

    def test_follows_the_desktop_standard(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("CONSURV_CACHE", raising=False)
        monkeypatch.setattr("sys.platform", "linux")
        monkeypatch.setenv("XDG_CACHE_HOME", "/scratch")
        assert cache_folder() == Path("/scratch/consurv")


class TestFetchedFile:
    def test_is_looked_for_in_the_users_folder_first(
        self, folders: tuple[Path, Path]
    ) -> None:
        place = FetchedFile("NACD")
        assert not place.is_here()
        for folder in reversed(folders):  # the cache, then the user's own
            (folder / "NACD.csv").touch()
            assert place.require() == folder / "NACD.csv"
        assert place.is_here()

    def test_is_not_taken_while_it_is_half_written(
        self, folders: tuple[Path, Path]
    ) -> None:
        (folders[1] / "NACD.csv.part").touch()
        assert not FetchedFile("NACD").is_here()

    def test_that_is_missing_is_an_error_with_the_way_out(
        self, folders: tuple[Path, Path]
    ) -> None:
        with pytest.raises(
            MissingData, match=r"cache\); consurv datasets fetch NACD, or.*CONSURV_DATA"
        ):
            FetchedFile("NACD").require()


class TestOwnFile:
    def test_is_not_looked_for_in_the_cache(self, folders: tuple[Path, Path]) -> None:
        (folders[1] / "SEER-brain.csv").touch()
        assert not OwnFile("SEER-brain", "ask").is_here()

    def test_says_that_no_folder_is_named(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("CONSURV_DATA", raising=False)
        with pytest.raises(MissingData, match=r"looked in: nowhere\); ask, as S\.csv"):
            OwnFile("S", "ask").require()


class TestPackagePlace:
    def test_knows_what_is_installed(self) -> None:
        assert PackagePlace("numpy").is_here()
        assert not PackagePlace("no_such_library").is_here()


class TestEitherPlace:
    @pytest.mark.parametrize(
        ("libraries", "here"),
        [
            (("numpy", "no_1"), True),
            (("no_1", "numpy"), True),
            (("no_1", "no_2"), False),
        ],
    )
    def test_needs_one_of_two(self, libraries: tuple[str, str], here: bool) -> None:
        assert EitherPlace(*map(PackagePlace, libraries)).is_here() is here

    def test_tells_both_ways(self) -> None:
        place = EitherPlace(FetchedFile("SUPPORT"), PackagePlace("SurvSet"))
        assert "fetch SUPPORT" in place.how_to_get()
        assert "pip install" in place.how_to_get()


class TestMissingData:
    def test_survives_pickling(self) -> None:
        error = pickle.loads(pickle.dumps(MissingData("no rows")))
        assert isinstance(error, FileNotFoundError)
        assert str(error) == "no rows"
