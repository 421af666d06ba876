import warnings

import pytest
import typer
from typer.testing import CliRunner

from consurv.cli.console import Steps, guarded, notes, show_tracebacks
from consurv.errors import CalibrationWarning, InvalidInput


def fails_with(error: BaseException) -> typer.Typer:
    def verb() -> None:
        raise error

    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(guarded(verb))
    return app


class TestErrors:
    @pytest.mark.parametrize(
        ("error", "code", "line"),
        [
            (InvalidInput("time is\n  late"), 2, "error: time is late\n"),
            (OSError(13, "Permission denied", "a.csv"), 2, "Permission denied: a.csv"),
            (OSError("odd"), 2, "error: odd\n"),
            (KeyboardInterrupt(), 130, "error: interrupted\n"),
            (RuntimeError("[bold]x[/]"), 1, "RuntimeError: [bold]x[/]; --traceback"),
        ],
    )
    def test_become_one_line_and_an_exit_code(
        self, error: BaseException, code: int, line: str
    ) -> None:
        result = CliRunner().invoke(fails_with(error))
        assert result.exit_code == code
        assert line in result.stderr
        assert result.stderr.count("\n") == 1

    def test_show_where_they_came_from_if_asked(self) -> None:
        show_tracebacks(True)
        try:
            result = CliRunner().invoke(fails_with(RuntimeError("odd")))
        finally:
            show_tracebacks(False)
        assert "Traceback" in result.stderr
        assert result.stderr.endswith("error: RuntimeError: odd\n")

    def test_of_a_reader_that_has_gone_pass(self) -> None:
        result = CliRunner().invoke(fails_with(BrokenPipeError(32, "Broken pipe")))
        assert result.exit_code == 1
        assert "error" not in result.stderr


class TestNotes:
    def test_are_printed_once_each_without_those_for_programmers(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with notes():
            for _ in range(2):
                warnings.warn("few\n subjects", CalibrationWarning, stacklevel=1)
            warnings.warn("soon gone", DeprecationWarning, stacklevel=1)
        assert capsys.readouterr().err == "note: few subjects\n"


class TestSteps:
    def test_show_nothing_where_nobody_watches(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with Steps() as steps, steps.step("Reading", total=3) as advance:
            advance(2)
        assert capsys.readouterr().err == ""

    def test_show_how_far_they_are_on_a_terminal(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("FORCE_COLOR", "1")
        with Steps() as steps, steps.step("Reading", total=3) as advance:
            advance(2)
        shown = capsys.readouterr().err
        assert "Reading" in shown
        assert "3/3" in shown
        with Steps(quiet=True) as steps, steps.step("Reading"):
            pass
        assert capsys.readouterr().err == ""
