"""A file appears whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from consurv._files import whole_file, write_atomically


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
