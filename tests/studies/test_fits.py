from pathlib import Path

import numpy as np
import pytest

from studies import fits
from studies.fits import (
    FitFolder,
    fit_fingerprint,
    pack,
    train,
    unpack,
)
from studies.named import NamedFit
from studies.protocol import split_rows

AFT = NamedFit("weibull-aft", "weibull-aft")
DEEP = NamedFit("deephit", "deephit", {"max_epochs": 2})


class TestTrain:
    def test_a_deep_model_gets_the_validation_set(self) -> None:
        split = split_rows("VALCT", 0, True)
        fit = train(DEEP, split, 0)
        assert fit.n_epochs == 2
        assert fit.seconds > 0
        again = train(DEEP, split, 0)
        curves = [
            f.model.predict_survival_function(split.test[0]) for f in (fit, again)
        ]
        np.testing.assert_array_equal(curves[0].survival, curves[1].survival)

    def test_a_held_out_fit_sees_the_training_rows_alone(self) -> None:
        held_out = NamedFit("weibull-aft@held-out", "weibull-aft")
        split = split_rows("VALCT", 0, held_out.holds_out)
        assert split.validation is not None
        fit = train(held_out, split, 0)
        assert fit.n_epochs is None
        whole = train(AFT, split_rows("VALCT", 0, False), 0)
        predicted = [f.model.predict(split.test[0]) for f in (fit, whole)]
        assert not np.allclose(*predicted)

    def test_the_seed_matters(self) -> None:
        split = split_rows("VALCT", 0, True)
        first, second = (train(DEEP, split, seed) for seed in (0, 1))
        predicted = [f.model.predict(split.test[0]) for f in (first, second)]
        assert not np.allclose(*predicted)


class TestPacking:
    def test_gives_the_same_model_back(self) -> None:
        split = split_rows("VALCT", 0, False)
        fit = train(AFT, split, 0)
        again = unpack(pack(fit, "mark"), "mark")
        assert again is not None
        X = split.test[0]
        np.testing.assert_array_equal(again.model.predict(X), fit.model.predict(X))
        assert again.seconds == fit.seconds

    def test_another_fingerprint_is_no_fit(self) -> None:
        fit = train(NamedFit("km", "km"), split_rows("VALCT", 0, False), 0)
        assert unpack(pack(fit, "mark"), "other") is None

    def test_a_fit_of_another_version_is_no_fit(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fit = train(NamedFit("km", "km"), split_rows("VALCT", 0, False), 0)
        with monkeypatch.context() as former:
            former.setattr("studies.fits._FORMAT", "consurv-fit-1")
            content = pack(fit, "mark")
        assert unpack(content, "mark") is None

    def test_notices_any_damage(self) -> None:
        fit = train(NamedFit("km", "km"), split_rows("VALCT", 0, False), 0)
        content = pack(fit, "mark")
        for broken in (b"", b"text", content[: len(content) // 2]):
            with pytest.raises(ValueError, match="cannot be read"):
                unpack(broken, "mark")
        middle = len(content) // 2
        flipped = bytes([content[middle] ^ 1])
        changed = content[:middle] + flipped + content[middle + 1 :]
        with pytest.raises(ValueError, match=r"checksum|cannot be read"):
            unpack(changed, "mark")


class TestFingerprint:
    def test_changes_with_what_is_trained(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        marks = {
            fit_fingerprint(AFT, "VALCT", 0),
            fit_fingerprint(AFT, "VALCT", 1),
            fit_fingerprint(AFT, "PBC", 0),
            fit_fingerprint(DEEP, "VALCT", 0),
            fit_fingerprint(NamedFit("deephit", "deephit"), "VALCT", 0),
            fit_fingerprint(
                NamedFit("weibull-aft@held-out", "weibull-aft"), "VALCT", 0
            ),
        }
        assert len(marks) == 6
        monkeypatch.setattr(fits, "versions", lambda: {"numpy": "99"})
        assert fit_fingerprint(AFT, "VALCT", 0) not in marks


def test_the_folder_keeps_fits_apart(tmp_path: Path) -> None:
    folder = FitFolder(tmp_path)
    assert folder.load("PBC", "km", 0) is None
    folder.save("PBC", "km", 0, b"one")
    folder.save("PBC", "km", 1, b"two")
    assert folder.load("PBC", "km", 0) == b"one"
    assert (tmp_path / "fits" / "PBC" / "km" / "1.joblib").read_bytes() == b"two"
