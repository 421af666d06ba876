"""Where CI asks for it, a skip that could be avoided fails."""

import pytest

pytest_plugins = ["pytester"]

FILE = """
import pytest
def test_a(): pytest.skip("no Chromium on this machine")
def test_b(): pytest.skip("SEER-brain is not here: sign the agreement")
"""


@pytest.mark.parametrize(("asked", "failed"), [("1", 1), ("0", 0)])
def test_only_what_cannot_run_may_be_skipped(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, asked: str, failed: int
) -> None:
    from pathlib import Path

    pytester.makeconftest(Path(__file__).with_name("conftest.py").read_text())
    pytester.makepyfile(FILE)
    monkeypatch.setenv("CONSURV_NO_SKIPS", asked)
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(failed=failed, skipped=2 - failed)


def test_whole_files_count_too(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pathlib import Path

    pytester.makeconftest(Path(__file__).with_name("conftest.py").read_text())
    pytester.makepyfile('import pytest\npytest.importorskip("no_such_library")\n')
    monkeypatch.setenv("CONSURV_NO_SKIPS", "1")
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(errors=1)
