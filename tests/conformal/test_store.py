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
            ({"version": 2}, "its version is 2, this consurv reads 1"),
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
