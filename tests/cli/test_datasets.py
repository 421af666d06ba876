import hashlib
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from typer.testing import CliRunner

from consurv.cli.app import app
from consurv.datasets import dataset_names, load_dataset
from consurv.datasets.fetch import UPSTREAM, Upstream

ROWS = b"time,delta,age\n3,1,60\n5,0,70\n9,1,50\n"


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Print nothing."""


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Serve a small METABRIC on this machine, and start from an empty cache."""
    file = tmp_path / "web" / "owner" / "name" / "c0ffee" / "rows.csv"
    file.parent.mkdir(parents=True)
    file.write_bytes(ROWS)
    sha256 = hashlib.sha256(ROWS).hexdigest()
    upstream = Upstream("owner/name", "c0ffee", "rows.csv", len(ROWS), sha256)
    monkeypatch.setitem(UPSTREAM, "METABRIC", upstream)
    monkeypatch.setenv("CONSURV_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CONSURV_DATA", raising=False)
    handler = partial(QuietHandler, directory=tmp_path / "web")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()
        thread.join()


def listed(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The rows of the list by the name of the dataset."""
    monkeypatch.setenv("COLUMNS", "400")
    result = CliRunner().invoke(app, ["datasets"])
    assert result.exit_code == 0
    lines = [line.strip("│ ") for line in result.stdout.splitlines() if "│" in line]
    return {line.split()[0]: line for line in lines}


class TestTheList:
    def test_has_every_dataset(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert list(listed(monkeypatch)) == dataset_names()

    def test_tells_size_source_and_licence(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        row = listed(monkeypatch)["GBSG"]
        for text in ("2,232", "43.23%", "rotterdam", "LGPL-2", "here"):
            assert text in row

    def test_tells_how_to_get_what_is_not_here(
        self, mirror: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rows = listed(monkeypatch)
        assert "consurv datasets fetch METABRIC" in rows["METABRIC"]
        assert "seer.cancer.gov" in rows["SEER-liver"]

    def test_tells_the_extra_of_a_library(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("consurv.datasets.places.find_spec", lambda name: None)
        assert "pip install 'consurv[datasets]'" in listed(monkeypatch)["VALCT"]

    def test_knows_what_was_fetched(
        self, mirror: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run("fetch", "METABRIC", "--base-url", mirror)
        assert listed(monkeypatch)["METABRIC"].endswith("here")

    def test_fits_a_narrow_terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("COLUMNS", "80")
        out = CliRunner().invoke(app, ["datasets"]).stdout
        assert max(map(len, out.splitlines())) <= 80
        assert "SEER-stomach" in out


def run(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["datasets", *words])
    return result.exit_code, result.stdout, result.stderr


class TestFetch:
    def test_puts_the_file_where_the_loader_looks(
        self, mirror: str, tmp_path: Path
    ) -> None:
        code, out, _ = run("fetch", "metabric", "--base-url", mirror)
        assert code == 0
        assert out.strip().endswith(str(tmp_path / "cache" / "METABRIC.csv"))
        assert len(load_dataset("METABRIC", check=False)) == 3

    def test_keeps_it_in_another_folder_if_asked(
        self, mirror: str, tmp_path: Path
    ) -> None:
        folder = tmp_path / "mine"
        options = ("--base-url", mirror, "--cache", str(folder), "--quiet")
        assert run("fetch", "METABRIC", *options) == (0, "", "")
        assert (folder / "METABRIC.csv").read_bytes() == ROWS

    def test_says_in_a_line_why_it_failed(self, mirror: str) -> None:
        code, _, err = run("fetch", "NACD", "--base-url", mirror)
        assert code == 2
        assert err.startswith("error: ")
        assert "does not exist (status 404)" in err
        assert err.count("\n") == 1

    def test_refuses_what_cannot_be_fetched(self) -> None:
        code, _, err = run("fetch", "SEER-brain")
        assert code == 2
        assert "Choose one of: GBM, METABRIC, NACD, SUPPORT" in err
