"""Errors and warnings."""

from __future__ import annotations

import pickle

import pytest
from sklearn.exceptions import NotFittedError

from consurv.errors import (
    CalibrationWarning,
    ConsurvError,
    InvalidInput,
    MissingDependency,
    NotConformalizedError,
)


class TestKinds:
    @pytest.mark.parametrize(
        ("kind", "builtin"),
        [
            (InvalidInput, ValueError),
            (NotConformalizedError, NotFittedError),
            (MissingDependency, ImportError),
        ],
    )
    def test_each_is_ours_and_what_python_users_expect(self, kind, builtin):
        assert issubclass(kind, ConsurvError)
        assert issubclass(kind, builtin)

    def test_a_calibration_warning_is_a_user_warning_and_no_error(self):
        assert issubclass(CalibrationWarning, UserWarning)
        assert not issubclass(CalibrationWarning, ConsurvError)


class TestMissingDependency:
    def test_names_the_library_and_the_extra(self):
        error = MissingDependency("lifelines", "models")
        assert str(error) == (
            "lifelines is not installed; install it with "
            "`pip install 'consurv[models]'`"
        )

    @pytest.mark.parametrize(
        "error",
        [
            MissingDependency("lifelines", "models"),
            InvalidInput("levels is empty"),
            NotConformalizedError("call fit"),
        ],
    )
    def test_survives_the_way_between_processes(self, error):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert str(again) == str(error)
