import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from consurv import __version__
from consurv.cli import main
from consurv.cli.app import app


class TestTheCommand:
    def test_lists_its_verbs(self) -> None:
        out = CliRunner().invoke(app, ["--help"]).stdout
        assert all(verb in out for verb in ("demo", "calibrate", "version"))

    def test_shows_help_without_a_verb(self) -> None:
        assert "Usage" in CliRunner().invoke(app, []).output

    def test_shows_tracebacks_if_asked(self) -> None:
        result = CliRunner().invoke(app, ["--traceback", "demo", "--dataset", "no"])
        assert result.exit_code == 2
        assert "Traceback" in result.stderr
        again = CliRunner().invoke(app, ["demo", "--dataset", "no"])
        assert again.stderr.startswith("error: unknown dataset 'no'")

    @pytest.mark.parametrize("library", ["typer", "rich"])
    def test_says_what_to_install(
        self,
        library: str,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        for name in [name for name in sys.modules if name.startswith("consurv.cli.")]:
            monkeypatch.delitem(sys.modules, name)
        for name in [n for n in sys.modules if n.partition(".")[0] == library]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(SystemExit) as exit_:
            main()
        assert exit_.value.code == 2
        assert capsys.readouterr().err == (
            f"error: {library} is not installed; install it with "
            "`pip install 'consurv[cli]'`\n"
        )

    def test_hides_no_error_of_its_own(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delitem(sys.modules, "consurv.cli.app")
        monkeypatch.setitem(sys.modules, "consurv.cli.demo", None)
        with pytest.raises(ModuleNotFoundError, match=r"consurv\.cli\.demo"):
            main()

    @pytest.mark.parametrize("library", ["numpy", "pandas", "sklearn", "typer"])
    @pytest.mark.parametrize("module", ["consurv", "studies"])
    def test_can_be_interrupted_while_libraries_are_imported(
        self, library: str, module: str, tmp_path: Path
    ) -> None:
        (tmp_path / f"{library}.py").write_text("raise KeyboardInterrupt")
        path = os.pathsep.join([str(tmp_path), *sys.path])
        done = subprocess.run(
            [sys.executable, "-m", module, "--help"],
            cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (130, "error: interrupted\n")

    def test_runs_with_the_arguments_of_the_process(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(sys, "argv", ["consurv", "version"])
        with pytest.raises(SystemExit) as exit_:
            main()
        assert exit_.value.code == 0
        assert __version__ in capsys.readouterr().out


class TestReproduce:
    @pytest.mark.parametrize(
        ("args", "shown"),
        [
            ([], "main --quick"),
            (["main", "--quick", "--out", "here"], "main --quick --out here"),
            (["report", "results"], "report results"),
            (["--help"], "--help"),
        ],
    )
    def test_says_where_it_went(self, args: list[str], shown: str) -> None:
        result = CliRunner().invoke(app, ["reproduce", *args])
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr == (
            "error: `consurv reproduce` is no longer part of the package; in a clone "
            f'of the repository run `make reproduce ARGS="{shown}"`\n'
        )

    def test_is_not_listed(self) -> None:
        assert "reproduce" not in CliRunner().invoke(app, ["--help"]).stdout


class TestVersion:
    def test_tells_versions(self) -> None:
        result = CliRunner().invoke(app, ["version"])
        assert result.exit_code == 0
        for name in ("consurv", __version__, "Python", "numpy", "scikit-survival"):
            assert name in result.stdout

    def test_tells_what_is_not_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        libraries = {"models": ("no-such-library",)}
        monkeypatch.setattr("consurv.cli.version._LIBRARIES", libraries)
        out = CliRunner().invoke(app, ["version"]).stdout
        assert "not installed: pip install 'consurv[models]'" in out


def _all_verbs() -> list[list[str]]:
    """Return the arguments of every verb and sub-verb, from the command itself."""
    found: list[list[str]] = [[]]
    queue: list[tuple[list[str], object]] = [([], get_command(app))]
    while queue:
        path, command = queue.pop()
        for name, inner in getattr(command, "commands", {}).items():
            found.append([*path, name])
            queue.append(([*path, name], inner))
    return found


class TestHelp:
    @pytest.mark.parametrize("verb", _all_verbs(), ids=" ".join)
    @pytest.mark.parametrize("columns", [80, 200])
    def test_fits_80_columns(
        self, verb: list[str], columns: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("TERMINAL_WIDTH", str(columns))
        result = CliRunner().invoke(app, [*verb, "--help"])
        if verb == ["reproduce"]:  # it has moved, and says where to
            return
        assert result.exit_code == 0, result.stderr
        assert "Usage" in result.stdout
        lines = result.stdout.splitlines()
        assert max(map(len, lines)) <= 80
        # Nothing is cut: a verb is told in one line of the list, options in full.
        cut = [line for line in lines if line.endswith(("...", "…"))]
        assert [line for line in cut if not line.endswith("[ARGS]...")] == []

    def test_is_looked_at_for_all_verbs(self) -> None:
        verbs = _all_verbs()
        assert ["calibrate"] in verbs
        assert ["datasets", "fetch"] in verbs
        assert len(verbs) >= 10
