"""A file appears whole or not at all."""

import os
import stat
import threading
from pathlib import Path

import pytest

from consurv._files import whole_file, whole_files, write_atomically

DEAD = 2**22 + 1  # above the largest process number


class TestWholeFile:
    def test_appears_at_the_end(self, tmp_path: Path) -> None:
        target = tmp_path / "t.txt"
        with whole_file(target) as part:
            part.write_text("whole")
            assert not target.exists()
            assert part.parent == tmp_path  # a move within a file system is atomic
        assert target.read_text() == "whole"
        assert list(tmp_path.iterdir()) == [target]

    @pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
    def test_leaves_what_was_there_on_any_error(
        self, tmp_path: Path, error: type[BaseException]
    ) -> None:
        target = tmp_path / "t.txt"
        target.write_text("before")
        with pytest.raises(error), whole_file(target) as part:  # noqa: PT012
            part.write_text("half")
            raise error
        assert target.read_text() == "before"
        assert list(tmp_path.iterdir()) == [target]

    def test_says_so_where_nothing_was_written(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError), whole_file(tmp_path / "t.txt"):
            pass


class TestWholeFiles:
    @pytest.fixture
    def both(self, tmp_path: Path) -> tuple[Path, Path]:
        for name in ("a.txt", "b.txt"):
            (tmp_path / name).write_text(f"before {name}")
        return tmp_path / "a.txt", tmp_path / "b.txt"

    def check(self, *paths: Path) -> None:
        assert [p.read_text() for p in paths] == [f"before {p.name}" for p in paths]
        assert sorted(paths[0].parent.iterdir()) == sorted(paths)

    def write(self, *paths: Path) -> None:
        with whole_files(*paths) as parts:
            for part in parts:
                part.write_text("after")

    def test_appear_together(self, both: tuple[Path, Path], tmp_path: Path) -> None:
        self.write(*both, tmp_path / "c.txt")
        there = sorted(tmp_path.iterdir())
        assert [path.read_text() for path in there] == ["after"] * 3

    def test_stay_where_the_disk_is_full_for_one(
        self, both: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        calls: list[int] = []

        def full(descriptor: int) -> None:
            calls.append(descriptor)
            if len(calls) == 2:
                raise OSError("no space left")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="no space"):
            self.write(*both)
        self.check(*both)

    @pytest.mark.parametrize("links", [True, False])
    def test_are_put_back_where_one_cannot_get_its_name(
        self, both: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, links: bool
    ) -> None:
        replace = Path.replace

        def refuse(self: Path, target: Path) -> Path:
            if target.name == "b.txt":
                raise PermissionError("in use")
            return replace(self, target)

        def no_link(*args: object) -> None:
            raise OSError("no links here")

        if not links:
            monkeypatch.setattr(os, "link", no_link)
        monkeypatch.setattr(Path, "replace", refuse)
        with pytest.raises(PermissionError):
            self.write(*both)
        self.check(*both)
        both[0].unlink()
        with pytest.raises(PermissionError):
            self.write(*both)
        assert list(both[0].parent.iterdir()) == [both[1]]


class TestLeftovers:
    def test_of_killed_writers_are_removed_by_the_next_one(
        self, tmp_path: Path
    ) -> None:
        for name in (f".t.txt.{DEAD}-1.part", f".t.txt.{DEAD}-1-{'0' * 8}-ab.part"):
            (tmp_path / name).write_text("half")
        mine = [
            f".t.txt.{os.getpid()}-1.part",  # somebody writes
            f".u.txt.{DEAD}-1.part",  # of another file
            f".t.txt.{DEAD}-1-{'0' * 8}-{'a' * 8}.part",  # of another machine
            ".t.txt.part",
        ]
        for name in mine:
            (tmp_path / name).write_text("half")
        write_atomically(tmp_path / "t.txt", b"whole")
        kept = {path.name for path in tmp_path.iterdir()}
        assert kept == {"t.txt", *mine, f".t.txt.{DEAD}-1-{'0' * 8}-ab.part"}

    def test_of_a_day_ago_are_removed_wherever_they_come_from(
        self, tmp_path: Path
    ) -> None:
        left = tmp_path / f".t.txt.{os.getpid()}-1-{'0' * 8}-{'a' * 8}.part"
        left.write_text("half")
        os.utime(left, (0, 0))
        write_atomically(tmp_path / "t.txt", b"whole")
        assert [path.name for path in tmp_path.iterdir()] == ["t.txt"]

    def test_links_at_names_of_parts_are_not_followed(self, tmp_path: Path) -> None:
        """The name could be foreseen: a link there was written through."""
        victim = tmp_path / "victim"
        victim.write_text("precious")
        writer = f"{os.getpid()}-{threading.get_ident()}"
        (tmp_path / f".t.txt.{writer}.part").symlink_to(victim)
        write_atomically(tmp_path / "t.txt", b"whole")
        assert victim.read_text() == "precious"


class TestWriteAtomically:
    @pytest.mark.parametrize("content", ["θ\r\nρ", "θ\r\nρ".encode()])
    def test_writes_text_as_it_is(self, tmp_path: Path, content: str | bytes) -> None:
        write_atomically(tmp_path / "t.txt", content)
        assert (tmp_path / "t.txt").read_bytes() == "θ\r\nρ".encode()

    def test_replaces_what_was_there(self, tmp_path: Path) -> None:
        for content in ("first", "second"):
            write_atomically(tmp_path / "t.txt", content)
        assert (tmp_path / "t.txt").read_text() == "second"

    @pytest.mark.skipif(os.name == "nt", reason="Windows has no umask")
    @pytest.mark.parametrize("umask", [0o022, 0o027, 0o077])
    def test_permissions_are_those_of_any_new_file(
        self, tmp_path: Path, umask: int
    ) -> None:
        before = os.umask(umask)
        try:
            write_atomically(tmp_path / "t.txt", b"")
        finally:
            os.umask(before)
        mode = stat.S_IMODE((tmp_path / "t.txt").stat().st_mode)
        assert mode == 0o666 & ~umask

    def test_does_not_make_folders(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            write_atomically(tmp_path / "missing" / "t.txt", b"")
