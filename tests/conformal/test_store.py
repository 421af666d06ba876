import json
import os

import numpy as np
import pytest

from consurv import ConformalSurvival, InvalidInput, load_adjustment, save_adjustment
from consurv.errors import NotConformalizedError


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
        np.testing.assert_array_equal(loaded.result.shifts, saved.result.shifts)
        np.testing.assert_array_equal(loaded.result.levels, saved.result.levels)
        np.testing.assert_array_equal(loaded.result.n_subjects, saved.result.n_subjects)
        np.testing.assert_array_equal(loaded.result.beyond, saved.result.beyond)
        assert loaded.kaplan_meier == saved.kaplan_meier
        for name in ("conformal_set", "censoring", "n_samples", "rearrange"):
            assert getattr(loaded, name) == getattr(saved, name)
        assert loaded.result.n_conformal == 120

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
        with pytest.raises(NotConformalizedError, match="no shifts yet"):
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
            np.testing.assert_array_equal(
                getattr(loaded.result, name), getattr(saved.result, name)
            )
        assert loaded.result.n_conformal == 120
        assert loaded.censoring == "uniform"

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
            ({"adjustment": "time"}, "lacks shifts, n_subjects, n_infinite"),
        ],
    )
    def test_wrong_content_is_named(self, post, tmp_path, change, said):
        path = tmp_path / "a.json"
        save_adjustment(post.adjustment_, path)
        path.write_text(json.dumps(json.loads(path.read_text()) | change))
        with pytest.raises(InvalidInput, match=said):
            load_adjustment(path)


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
        old = load_adjustment(path)
        assert old.kind == "time"
        curves = old.apply([[6.0, 4.0, 2.0]])
        np.testing.assert_allclose(
            curves.percentile_times([0.75, 0.5, 0.25]), [[1.5, 4, 6.75]]
        )
        save_adjustment(old, path)
        assert json.loads(path.read_text())["version"] == 2


class TestBadFiles:
    def test_no_such_file(self, path):
        with pytest.raises(InvalidInput, match="there is no file"):
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
            ({"version": 3}, "its version is 3, this consurv reads 1 to 2"),
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
        values = json.loads(path.read_text()) | change
        path.write_text(
            json.dumps(
                {k: v for k, v in values.items() if v is not None or k == "n_samples"}
            )
        )
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

    @pytest.mark.parametrize("name", ["a.pkl", "a"])
    def test_other_endings_are_refused(self, post, tmp_path, name):
        with pytest.raises(InvalidInput, match=r"must end in .json or .npz"):
            save_adjustment(post.adjustment_, tmp_path / name)
        with pytest.raises(InvalidInput, match=r"must end in .json or .npz"):
            load_adjustment(tmp_path / name)

    def test_a_failed_write_leaves_nothing_behind(self, post, tmp_path, monkeypatch):
        def fail(*args):
            raise OSError("disk full")

        monkeypatch.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="disk full"):
            save_adjustment(post.adjustment_, tmp_path / "a.json")
        assert os.listdir(tmp_path) == []
