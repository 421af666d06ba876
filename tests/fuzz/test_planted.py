"""Faults of every class, planted by taking a guard away: fuzzing must find each."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from consurv import _checks
from consurv.cli import outputs
from consurv.conformal.keeping import store
from consurv.conformal.reading import inputs
from consurv.datasets import table
from consurv.models import model
from tests.fuzz.run import try_target


def nothing(*args: Any, **kwargs: Any) -> None:
    """Let everything pass."""


def found(name: str, n_cases: int = 150) -> str:
    result = try_target(name, 0, n_cases)
    assert result is not None, f"{name} found nothing"
    return result.finding.fault


class TestDataLoss:
    def test_masks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(_checks, "check_plain", nothing)
        assert found("outcome-time") == "data loss"

    def test_repeated_names(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(table, "check_no_repeats", nothing)
        assert found("csv-table") == "data loss"

    def test_files_replaced(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(outputs, "check_writable", nothing)
        assert found("command", 40) == "data loss"


class TestSilentWrongNumbers:
    def test_a_checksum_that_nobody_reads(self, monkeypatch: Any) -> None:
        monkeypatch.setattr(store, "_check_sum", nothing)
        assert found("adjustment-file", 800) == "wrong number"

    def test_columns_by_position(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Names are thrown away, so that another order is another table."""

        def bare(X: Any) -> Any:
            return np.asarray(X, dtype=float)

        def in_any_order(self: Any, X: Any, **options: Any) -> Any:
            return bare(X)

        monkeypatch.setattr(model.SurvivalModel, "_check_rows", in_any_order)
        for module in ("conformal.predictions", "adapters.adapter"):
            monkeypatch.setattr(f"consurv.{module}.in_order", lambda X, names: X)
        for module in ("estimator", "predictions"):
            monkeypatch.setattr(f"consurv.conformal.{module}.validate_data", nothing)
        assert found("tables-by-name") in ("wrong number", "data loss")


class TestBareErrors:
    def test_of_json(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(store, "_BROKEN", (KeyboardInterrupt,))
        assert found("adjustment-file") == "bare error"

    def test_of_scikit_learn(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from contextlib import nullcontext

        monkeypatch.setattr(model, "clear_refusals", nullcontext)
        assert found("features") == "bare error"

    def test_of_records(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def parsed(path: Path) -> Any:
            return json.loads(path.read_bytes())

        monkeypatch.setattr("studies.records._parsed", parsed)
        assert found("record-file") == "bare error"


class TestOrdinaryInput:
    def test_arrow_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("consurv.outcome.from_arrow", lambda y: y)
        assert found("outcome-of") in ("ordinary input refused", "bare error")

    def test_lists_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from consurv.errors import InvalidInput

        def as_plain_array(values: Any, name: str) -> Any:
            raise InvalidInput(f"{name} is a list of {len(values)}; give an array")

        monkeypatch.setattr(inputs, "as_plain_array", as_plain_array)
        assert found("features") == "ordinary input refused"
