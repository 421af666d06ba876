import os
from pathlib import Path

import pytest

from studies.files import remove_leftovers, write_atomically


class TestWriteAtomically:
    def test_makes_folders_and_leaves_one_file(self, tmp_path: Path) -> None:
        write_atomically(tmp_path / "a" / "b.txt", b"text")
        assert (tmp_path / "a" / "b.txt").read_bytes() == b"text"
        assert [path.name for path in (tmp_path / "a").iterdir()] == ["b.txt"]

    def test_keeps_the_old_file_if_writing_fails(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "b.txt"
        write_atomically(path, b"old")

        def full(descriptor: int) -> None:
            raise OSError("no space left")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="no space"):
            write_atomically(path, b"new")
        assert path.read_bytes() == b"old"
        assert [p.name for p in tmp_path.iterdir()] == ["b.txt"]


class TestRemoveLeftovers:
    def test_removes_what_a_dead_writer_left(self, tmp_path: Path) -> None:
        dead = 2**22 + 1  # above the largest process number
        (tmp_path / "deep").mkdir()
        left = tmp_path / "deep" / f".0.json.{dead}-1.part"
        left.write_text("half")
        assert remove_leftovers(tmp_path) == 1
        assert not left.exists()

    def test_leaves_the_files_of_a_living_writer_and_of_others(
        self, tmp_path: Path
    ) -> None:
        own = tmp_path / f".0.json.{os.getpid()}-1.part"
        other = tmp_path / ".something.part"
        for path in (own, other):
            path.write_text("")
        assert remove_leftovers(tmp_path) == 0
        assert own.exists()
        assert other.exists()

    def test_takes_a_process_of_somebody_else_for_living(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def forbidden(pid: int, signal: int) -> None:
            raise PermissionError

        monkeypatch.setattr(os, "kill", forbidden)
        (tmp_path / ".0.json.1-1.part").write_text("")
        assert remove_leftovers(tmp_path) == 0
