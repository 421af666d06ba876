import io
import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator

from consurv import (
    CalibrationWarning,
    ConformalSurvival,
    InvalidInput,
    load_adjustment,
    save_adjustment,
)
from consurv.errors import NotConformalizedError
from consurv.models import CoxPH
from tests.golden import make as golden


@pytest.fixture
def post(simulate, true_model):
    return ConformalSurvival(true_model, rearrange="ceil").conformalize(
        *simulate(120, 0)
    )


@pytest.fixture(params=["adjustment.json", "adjustment.npz"])
def path(request, tmp_path):
    return tmp_path / request.param


class TestRoundTrip:
    def test_everything_comes_back_bit_for_bit(self, post, path):
        save_adjustment(post.adjustment_, path)
        loaded, saved = load_adjustment(path), post.adjustment_
        np.testing.assert_array_equal(loaded.shifts, saved.shifts)
        np.testing.assert_array_equal(loaded.levels, saved.levels)
        np.testing.assert_array_equal(loaded.n_subjects, saved.n_subjects)
        np.testing.assert_array_equal(loaded.beyond, saved.beyond)
        assert loaded.kaplan_meier == saved.kaplan_meier
        for name in ("conformal_set", "censoring", "n_samples", "rearrange"):
            assert getattr(loaded, name) == getattr(saved, name)
        assert loaded.n_conformal == 120

    def test_what_weights_come_to_is_kept(self, path, simulate, true_model):
        X, y = simulate(120, 0)
        weight = np.tile([1.0, 3.0], 60)
        model = ConformalSurvival(true_model).conformalize(X, y, sample_weight=weight)
        save_adjustment(model.adjustment_, path)
        kept = load_adjustment(path).weighing
        assert (kept.total, kept.n_effective) == (240.0, 240.0**2 / 600)

    def test_without_weights_a_file_does_not_speak_of_them(self, post, tmp_path):
        save_adjustment(post.adjustment_, tmp_path / "a.json")
        assert "weight" not in (tmp_path / "a.json").read_text()
        assert load_adjustment(tmp_path / "a.json").weighing is None

    def test_a_restored_model_predicts_the_same(self, post, path, simulate, true_model):
        X, _ = simulate(20, 1)
        save_adjustment(post.adjustment_, path)
        restored = ConformalSurvival(true_model).restore(load_adjustment(path))
        np.testing.assert_array_equal(restored.predict(X), post.predict(X))
        assert restored.conformal_set_ == "restored"
        assert restored.n_conformal_ == 120

    def test_it_applies_to_percentile_times_without_a_model(
        self, post, path, simulate, true_model
    ):
        from consurv import SurvivalCurves

        X, _ = simulate(20, 1)
        save_adjustment(post.adjustment_, path)
        raw = SurvivalCurves(*true_model(X)).percentile_times(post.levels_)
        curves = load_adjustment(path).apply(raw)
        np.testing.assert_array_equal(-curves.median(), post.predict(X))

    def test_an_old_file_is_replaced_whole(self, post, path):
        path.write_bytes(b"old")
        save_adjustment(post.adjustment_, path)
        load_adjustment(path)
        assert os.listdir(path.parent) == [path.name]

    def test_restoring_needs_a_fitted_model(self, post):
        from lifelines import WeibullAFTFitter

        with pytest.raises(NotConformalizedError, match="is not fitted"):
            ConformalSurvival(WeibullAFTFitter()).restore(post.adjustment_)

    def test_nothing_to_save_before_conformalizing(self, true_model):
        with pytest.raises(NotConformalizedError, match="no adjustment yet"):
            _ = ConformalSurvival(true_model).adjustment_


class TestLevels:
    @pytest.fixture
    def post(self, simulate, true_model):
        model = ConformalSurvival(true_model, adjustment="level")
        return model.conformalize(*simulate(120, 0))

    def test_adjusted_levels_come_back_bit_for_bit(self, post, path):
        save_adjustment(post.adjustment_, path)
        loaded, saved = load_adjustment(path), post.adjustment_
        assert loaded.kind == "level"
        for name in ("levels", "adjusted_levels", "beyond"):
            np.testing.assert_array_equal(getattr(loaded, name), getattr(saved, name))
        assert loaded.n_conformal == 120
        assert loaded.censoring == "self-consistent"

    def test_a_restored_model_predicts_the_same(self, post, path, simulate, true_model):
        X, _ = simulate(20, 1)
        save_adjustment(post.adjustment_, path)
        # It was made for shifts; the file says that levels move.
        restored = ConformalSurvival(true_model).restore(load_adjustment(path))
        np.testing.assert_array_equal(restored.predict(X), post.predict(X))
        assert restored.adjustment == "level"
        assert not hasattr(restored, "shifts_")

    def test_it_applies_to_curves_without_a_model(
        self, post, path, simulate, true_model
    ):
        from consurv import SurvivalCurves

        X, _ = simulate(20, 1)
        save_adjustment(post.adjustment_, path)
        curves = load_adjustment(path).apply_to(SurvivalCurves(*true_model(X)))
        np.testing.assert_array_equal(-curves.median(), post.predict(X))

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"adjusted_levels": [1.5] * 19}, r"leave \[0, 1\]"),
            ({"adjusted_levels": [0.5]}, "lengths differ"),
            ({"adjustment": "time"}, "lacks n_subjects, n_infinite, shifts"),
        ],
    )
    def test_wrong_content_is_named(self, post, tmp_path, change, said):
        path = tmp_path / "a.json"
        save_adjustment(post.adjustment_, path)
        forge(path, change)
        with pytest.raises(InvalidInput, match=said):
            load_adjustment(path)


def forge(path, change):
    """Change values behind the back of the checksum, which 0.1.0 did not have."""
    values = json.loads(path.read_text()) | {"version": 2} | change
    kept = {k: v for k, v in values.items() if v is not None or k == "n_samples"}
    path.write_text(json.dumps(kept))


GOLDEN = Path(__file__).parents[2] / "golden" / "adjustments"


class TestFilesOfEarlierVersions:
    @pytest.mark.parametrize("kind", ["time", "level"])
    @pytest.mark.parametrize("form", ["json", "npz"])
    def test_0_1_0_is_read_with_a_note_and_predicts_the_same(self, kind, form):
        with pytest.warns(CalibrationWarning, match=r"saved by consurv 0\.1\.0"):
            old = load_adjustment(GOLDEN / f"{kind}-0.1.0.{form}")
        X, y = golden.data(300, 1)
        cox = CoxPH().fit(X, y)
        restored = ConformalSurvival(FrozenEstimator(cox)).restore(old)
        medians = restored.predict_survival_function(golden.data(25, 2)[0]).median()
        expected = np.load(GOLDEN / f"{kind}-0.1.0-medians.npy")
        np.testing.assert_allclose(medians, expected, rtol=1e-9)


class TestVersion1:
    def test_a_file_of_the_first_version_still_loads(self, tmp_path):
        # As it was written then.
        path = tmp_path / "old.json"
        path.write_text(
            """{"format": "consurv-adjustment", "version": 1,
            "levels": [0.25, 0.5, 0.75], "shifts": [-0.75, 0.0, 0.5],
            "n_subjects": [4, 4, 4], "beyond": [false, false, false],
            "times": [1.0, 2.0, 3.0, 4.0], "at_risk": [4, 3, 2, 1],
            "events": [1, 1, 0, 1], "n_infinite": 0, "n_conformal": 4,
            "conformal_set": "given", "censoring": "kaplan-meier",
            "n_samples": null, "rearrange": "exact"}"""
        )
        with pytest.warns(CalibrationWarning, match="has no checksum; save it again"):
            old = load_adjustment(path)
        assert old.kind == "time"
        curves = old.apply([[6.0, 4.0, 2.0]])
        np.testing.assert_allclose(
            curves.percentile_times([0.75, 0.5, 0.25]), [[1.5, 4, 6.75]]
        )
        save_adjustment(old, path)
        assert json.loads(path.read_text())["version"] == 3


class TestChecksum:
    def test_no_changed_byte_changes_a_number(self, post, path):
        save_adjustment(post.adjustment_, path)
        whole, saved = path.read_bytes(), post.adjustment_
        rng = np.random.default_rng(0)
        for place in rng.integers(0, len(whole), 150):
            content = bytearray(whole)
            content[place] ^= int(rng.integers(1, 256))
            path.write_bytes(content)
            try:
                loaded = load_adjustment(path)
            except InvalidInput:
                continue
            # White space, or bytes of the archive that nobody reads.
            np.testing.assert_array_equal(loaded.shifts, saved.shifts)
            np.testing.assert_array_equal(loaded.levels, saved.levels)
            assert loaded.rearrange == saved.rearrange

    def test_a_changed_value_is_found(self, post, tmp_path):
        path = tmp_path / "a.json"
        save_adjustment(post.adjustment_, path)
        forge(path, {"version": 3, "n_conformal": 121})
        with pytest.raises(InvalidInput, match="its checksum is wrong"):
            load_adjustment(path)

    @pytest.mark.parametrize(
        "text",
        ["[]", "[" * 100_000, '{"format": 1' + "0" * 400 + "}", "null", "", "\ufeff"],
        ids=["list", "deep", "huge", "null", "empty", "bom"],
    )
    def test_hostile_text_is_refused(self, tmp_path, text):
        path = tmp_path / "a.json"
        path.write_text(text)
        with pytest.raises(InvalidInput, match=r"a\.json"):
            load_adjustment(path)

    def test_numbers_without_end_are_refused(self, post, tmp_path):
        path = tmp_path / "a.json"
        save_adjustment(post.adjustment_, path)
        forge(path, {"shifts": [10**400] * 19})
        with pytest.raises(InvalidInput, match=r"a\.json"):
            load_adjustment(path)

    def test_an_archive_that_unpacks_to_more_than_is_sensible(self, tmp_path):
        path = tmp_path / "a.npz"
        np.savez_compressed(path, head=np.zeros(1 << 24))
        with pytest.raises(InvalidInput, match="more than 64 MiB"):
            load_adjustment(path)

    def test_a_header_that_speaks_of_terabytes(self, tmp_path):
        path = tmp_path / "a.npz"
        header = {"descr": "<f8", "fortran_order": False, "shape": (1 << 40,)}
        stream = io.BytesIO()
        np.lib.format.write_array_header_1_0(stream, header)
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("head.npy", stream.getvalue())
        with pytest.raises(InvalidInput, match="speaks of more than there is"):
            load_adjustment(path)

    def test_a_folder_is_refused(self, tmp_path):
        (tmp_path / "a.json").mkdir()
        with pytest.raises(InvalidInput, match="cannot be read"):
            load_adjustment(tmp_path / "a.json")


class TestBadFiles:
    def test_no_such_file(self, path):
        with pytest.raises(InvalidInput, match="there is no such file"):
            load_adjustment(path)

    @pytest.mark.parametrize("share", [0, 0.3, 0.7, 0.99])
    def test_a_damaged_file(self, post, path, share):
        save_adjustment(post.adjustment_, path)
        content = path.read_bytes()
        path.write_bytes(content[: int(share * len(content))])
        with pytest.raises(InvalidInput, match="damaged"):
            load_adjustment(path)

    def test_a_flipped_byte_in_an_archive(self, post, tmp_path):
        path = tmp_path / "a.npz"
        save_adjustment(post.adjustment_, path)
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 0xFF
        path.write_bytes(content)
        with pytest.raises(InvalidInput, match="damaged"):
            load_adjustment(path)

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"version": 4}, "its version is 4, this consurv reads 1 to 3"),
            ({"adjustment": "risk"}, "it adjusts 'risk'"),
            ({"format": "other"}, "its format is 'other'"),
            ({"shifts": None}, "lacks shifts"),
            ({"shifts": [1.0]}, "lengths differ"),
            ({"shifts": ["a"] * 19}, "holds text"),
            ({"levels": [2.0] * 19}, "strictly between 0 and 1"),
            ({"rearrange": "magic"}, "rearrange='magic'"),
            ({"n_conformal": -1}, "n_conformal=-1"),
            ({"events": [0]}, "cannot be used"),
        ],
    )
    def test_wrong_content_is_named(self, post, tmp_path, change, said):
        path = tmp_path / "a.json"
        save_adjustment(post.adjustment_, path)
        forge(path, change)
        with pytest.raises(InvalidInput, match=said):
            load_adjustment(path)

    def test_a_list_is_not_an_adjustment(self, tmp_path):
        path = tmp_path / "a.json"
        path.write_text("[1, 2]")
        with pytest.raises(InvalidInput, match="holds a list"):
            load_adjustment(path)

    def test_a_pickle_inside_an_archive_is_not_opened(self, tmp_path):
        path = tmp_path / "a.npz"
        np.savez(path, head=np.array({"format": "x"}, dtype=object))
        with pytest.raises(InvalidInput, match="damaged or not an adjustment"):
            load_adjustment(path)

    def test_objects_are_not_pickled_into_one(self, post, tmp_path):
        kind = type(post.adjustment_)
        path = tmp_path / "a.npz"
        with pytest.MonkeyPatch.context() as patch:
            odd = {**post.adjustment_.to_stored(), "odd": np.array([1.0, None])}
            patch.setattr(kind, "to_stored", lambda self: odd)
            patch.setattr(
                "consurv.conformal.keeping.store._checksum", lambda *parts: ""
            )
            with pytest.raises(InvalidInput, match="which would be pickled"):
                save_adjustment(post.adjustment_, path)
        assert not path.exists()

    @pytest.mark.parametrize("name", ["a.pkl", "a"])
    def test_other_endings_are_refused(self, post, tmp_path, name):
        with pytest.raises(InvalidInput, match=r"must end in .json or .npz"):
            save_adjustment(post.adjustment_, tmp_path / name)
        with pytest.raises(InvalidInput, match=r"must end in .json or .npz"):
            load_adjustment(tmp_path / name)

    def test_a_failed_write_leaves_nothing_behind(self, post, tmp_path, monkeypatch):
        def fail(*args):
            raise OSError("disk full")

        monkeypatch.setattr(Path, "replace", fail)
        with pytest.raises(OSError, match="disk full"):
            save_adjustment(post.adjustment_, tmp_path / "a.json")
        assert os.listdir(tmp_path) == []
