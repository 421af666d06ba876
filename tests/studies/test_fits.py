import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from consurv.models import model_names
from consurv.models.registry import BOOSTERS
from studies import StudyConfig, fits, run
from studies.fits import (
    Fit,
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


DEEP_MODELS = ("deepsurv", "n-mtlr", "deephit", "coxtime", "cqrnn", "lognormal")
FOREIGN = ("random-forest", *BOOSTERS)


class _Command:
    """What runs a command when it is unpickled."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> Any:
        return os.system, (self.command,)


def unpacked(content: bytes | None, mark: str = "mark") -> Fit | None:
    """What bytes of a Kaplan-Meier fit of VALCT become."""
    assert content is not None
    n_features = split_rows("VALCT", 0, False).train[0].shape[1]
    return unpack(content, mark, NamedFit("km", "km").make(0), n_features)


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
        for name in model_names():
            short = {"max_epochs": 2} if name in DEEP_MODELS else {}
            named = NamedFit(name, name, short)
            split = split_rows("VALCT", 0, named.holds_out)
            fit = train(named, split, 0)
            content = pack(fit, "mark")
            if name in FOREIGN:
                assert content is None
                continue
            assert content is not None, name
            n_features = split.train[0].shape[1]
            again = unpack(content, "mark", named.make(0), n_features)
            assert again is not None
            X = split.test[0]
            curves = [f.model.predict_survival_function(X) for f in (again, fit)]
            np.testing.assert_array_equal(curves[0].times, curves[1].times)
            np.testing.assert_array_equal(curves[0].survival, curves[1].survival)
            for part in ("seconds", "n_epochs", "peak_memory"):
                assert getattr(again, part) == getattr(fit, part)
            assert vars(again.model).keys() == vars(fit.model).keys()

    def test_another_fingerprint_is_no_fit(self) -> None:
        fit = train(NamedFit("km", "km"), split_rows("VALCT", 0, False), 0)
        assert unpacked(pack(fit, "mark"), "other") is None

    def test_a_fit_of_another_version_is_no_fit(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fit = train(NamedFit("km", "km"), split_rows("VALCT", 0, False), 0)
        with monkeypatch.context() as former:
            former.setattr("studies.fits._FORMAT", "consurv-fit-1")
            content = pack(fit, "mark")
        assert unpacked(content, "mark") is None

    def test_notices_any_damage(self) -> None:
        fit = train(NamedFit("km", "km"), split_rows("VALCT", 0, False), 0)
        content = pack(fit, "mark")
        for broken in (b"", b"text", content[: len(content) // 2]):
            with pytest.raises(ValueError, match=r"checksum|cannot be read"):
                unpacked(broken)
        middle = len(content) // 2
        flipped = bytes([content[middle] ^ 1])
        changed = content[:middle] + flipped + content[middle + 1 :]
        with pytest.raises(ValueError, match=r"checksum|cannot be read"):
            unpacked(changed)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"predict": 1}, "sets 'predict'"),
            ({"__class__": 1}, "sets '__class__'"),
            ({"n_features_in_": 10**9}, "other tables"),
            ({"kaplan_meier_": {"times": 1}}, "nothing that training sets"),
            ({"kaplan_meier_": {"times": 1, "at_risk": 2, "events": []}}, "read"),
        ],
    )
    def test_sets_only_what_training_sets(
        self, change: dict[str, Any], message: str
    ) -> None:
        fit = train(NamedFit("km", "km"), split_rows("VALCT", 0, False), 0)
        vars(fit.model).update(change)
        with pytest.raises(ValueError, match=message):
            unpacked(pack(fit, "mark"))

    def test_weights_of_another_network_are_refused(self) -> None:
        split = split_rows("VALCT", 0, True)
        content = pack(train(DEEP, split, 0), "mark")
        wider = NamedFit("deephit", "deephit", {"hidden": (8,)})
        assert content is not None
        with pytest.raises(ValueError, match="another network"):
            unpack(content, "mark", wider.make(0), split.train[0].shape[1])


class TestAFolderOfSomebodyElse:
    def test_runs_no_code(self, tmp_path: Path) -> None:
        """A pickle in place of a fit ran its command."""
        config = StudyConfig("main", datasets=["VALCT"], models=["km"], seeds=1)
        run(config, tmp_path)
        (fit,) = (tmp_path / "fits").rglob("0.*")
        ran = tmp_path / "ran"
        planted = pickle.dumps(_Command(f"touch {ran}"))
        for path in (fit, fit.with_suffix(".joblib"), fit.with_suffix(".npz")):
            path.write_bytes(planted)
        result = run(config, tmp_path, again=True)
        assert not ran.exists()
        assert result.n_done == 1
        assert "is corrupt: it cannot be read" in result.notes[0]

    def test_is_read_without_pickle(self) -> None:
        root = Path(fits.__file__).parent
        readers = ("pickle", "joblib.load", "torch.load", "allow_pickle=True")
        found = [
            (path.name, word)
            for path in root.rglob("*.py")
            for word in readers
            if word in path.read_text(encoding="utf-8")
        ]
        assert found == []


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
    assert (tmp_path / "fits" / "PBC" / "km" / "1.fit").read_bytes() == b"two"
