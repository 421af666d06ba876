"""With CONSURV_NO_SKIPS=1, as CI sets it, a test that is skipped is a failure.

Unless nothing that could be installed would let it run.
"""

from __future__ import annotations

import os
import re

import pytest

_MAY_SKIP = re.compile(
    r"SEER-\w+ is not here"  # needs an agreement that each user signs
    r"|SCIPY_ARRAY_API is not set"  # scikit-learn's own check of what we do not claim
    # Golden numbers of another processor.
    r"|torch computes with .* here|this machine has .*: training rounds otherwise"
    r"|needs a GPU"
    r"|all tests skipped by \+SKIP option"  # an example that is shown, not run
    r"|pandas 3"
    r"|Rscript or its package"  # another language, an oracle where it is installed
)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Turn a skip into a failure where CI asks for it."""
    report = yield
    if os.environ.get("CONSURV_NO_SKIPS") == "1" and _is_avoidable(report):
        report.outcome = "failed"
        report.longrepr = f"skipped, though it could run: {report.longrepr[2]}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Do the same for whole files."""
    report = yield
    if os.environ.get("CONSURV_NO_SKIPS") == "1" and _is_avoidable(report):
        report.outcome = "failed"
        report.longrepr = f"skipped, though it could run: {report.longrepr[2]}"
    return report


def _is_avoidable(report) -> bool:
    if not report.skipped or hasattr(report, "wasxfail"):
        return False
    return not _MAY_SKIP.search(str(report.longrepr[2]))
