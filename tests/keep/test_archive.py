"""Files of kept models: damaged, foreign and hostile ones are refused in one line."""

import io
import json
import pickle
import zipfile

import numpy as np
import pytest

from consurv import ConformalSurvival, InvalidInput, MissingDependency, load
from consurv.keep import (
    check_libraries,
    read_archive,
    read_manifest,
    write_archive,
)
from consurv.keep.archive import _checksum
from consurv.keep.plain import dump_plain
from consurv.models import CoxPH


@pytest.fixture
def saved(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = (np.ones(80), rng.exponential(np.exp(X[:, 0])))
    model = ConformalSurvival(CoxPH(), adjustment="time", time_unit="days").fit(X, y)
    model.save(tmp_path / "m.consurv")
    return tmp_path / "m.consurv"


def parts(path):
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("manifest.json")), archive.read("values")


def rewrite(path, manifest, body, *, sealed=True, how=zipfile.ZIP_STORED):
    """Write what somebody may have changed, with a checksum that is right."""
    manifest = {k: v for k, v in manifest.items() if k != "checksum"}
    manifest["checksum"] = _checksum(manifest, body) if sealed else "0"
    with zipfile.ZipFile(path, "w", how) as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
        archive.writestr("values", body)


def refused(path, match, **options):
    with pytest.raises(InvalidInput, match=match) as caught:
        load(path, **options)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


class TestFiles:
    def test_are_the_same_bytes_for_the_same_model(self, saved, tmp_path):
        first = saved.read_bytes()
        load(saved).save(tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == first

    def test_keep_the_unit_of_time(self, saved):
        assert load(saved).time_unit == "days"
        assert parts(saved)[0]["time_unit"] == "days"

    def test_that_are_not_there(self, tmp_path):
        refused(tmp_path / "no", "there is no such file")
        refused(tmp_path, "cannot be read: Is a directory")

    def test_that_are_something_else(self, tmp_path):
        path = tmp_path / "m"
        path.write_text("hello")
        refused(path, "not a model that consurv has saved")
        np.savez(tmp_path / "a.npz", a=1)
        refused(tmp_path / "a.npz", "a zip file, but not a model of consurv")
        path.write_bytes(b"PK")
        refused(path, "damaged or not a model")

    def test_cut_anywhere(self, saved):
        whole = saved.read_bytes()
        for n in range(0, len(whole), 97):
            saved.write_bytes(whole[:n])
            with pytest.raises(InvalidInput):
                load(saved)

    def test_changed_anywhere(self, saved):
        whole = saved.read_bytes()
        model = load(saved)
        for at in range(0, len(whole), 131):
            saved.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
            try:  # a date in the zip's own headers means nothing
                found = load(saved)
            except InvalidInput:
                continue
            assert (found.predict([[0.5, 1]]) == model.predict([[0.5, 1]])).all()

    def test_with_a_wrong_checksum(self, saved):
        rewrite(saved, *parts(saved), sealed=False)
        refused(saved, "its checksum is wrong: it was changed or damaged")

    def test_of_a_later_version(self, saved):
        manifest, body = parts(saved)
        rewrite(saved, manifest | {"version": 2}, body)
        refused(saved, "its version is 2, this consurv .* reads 1; update consurv")

    def test_of_another_format(self, saved):
        manifest, body = parts(saved)
        rewrite(saved, manifest | {"format": "x"}, body)
        refused(saved, "its format is 'x', not 'consurv-model'")

    def test_that_are_packed(self, saved):
        rewrite(saved, *parts(saved), how=zipfile.ZIP_DEFLATED)
        refused(saved, r"manifest.json in it is packed")

    def test_in_a_folder_that_is_not_there(self, saved, tmp_path):
        with pytest.raises(InvalidInput, match="cannot be written: No such file"):
            load(saved).save(tmp_path / "no" / "m.consurv")


class TestLibraries:
    def test_of_another_version_are_said(self, saved):
        manifest, body = parts(saved)
        rewrite(saved, manifest | {"libraries": {"numpy": "0.1.0"}}, body)
        with pytest.warns(UserWarning, match=r"saved with numpy 0.1.0 \(here .*save"):
            load(saved)

    def test_of_another_version_explain_a_failure(self, saved):
        manifest, body = parts(saved)
        rewrite(saved, manifest | {"libraries": {"numpy": "0.1.0"}}, body[:-1])
        with pytest.warns(UserWarning, match="saved with"):
            refused(saved, "cut short; it was saved with numpy 0.1.0")

    def test_that_lack_are_named(self, saved):
        manifest, body = parts(saved)
        rewrite(saved, manifest | {"libraries": {"no-such": "1.2"}}, body)
        refused(saved, "needs no-such 1.2, which is not installed")


class Hostile:
    ran = False

    def __reduce__(self):
        return setattr, (Hostile, "ran", True)


def sealed(path, value):
    """Write a file whose values are these nodes and whose checksum is right."""
    write_archive(path, None, {})
    manifest, _ = parts(path)
    rewrite(path, manifest, value)


class TestHostileFiles:
    @pytest.fixture(autouse=True)
    def _clean(self):
        Hostile.ran = False
        yield
        assert not Hostile.ran

    def forged(self, word, state):
        """The bytes of an object that somebody made up."""
        return dump_plain(object(), lambda value: [(word, state)])

    def test_a_pickle_that_the_manifest_hides(self, tmp_path):
        sealed(tmp_path / "m", self.forged("pickle", pickle.dumps(Hostile())))
        refused(tmp_path / "m", "it holds a pickle")

    @pytest.mark.parametrize(
        "name", ["os.system", "builtins.eval", "subprocess.Popen", "consurv.load", "x"]
    )
    @pytest.mark.parametrize("word", ["consurv", "lifelines", "lightgbm", "skpro"])
    def test_a_name_of_something_else(self, word, name, tmp_path):
        pytest.importorskip({"consurv": "numpy"}.get(word, word))
        state = {"class": name, "state": {}}
        sealed(tmp_path / "m", self.forged(word, state))
        refused(tmp_path / "m", "which is no class for a model")

    def test_a_class_of_ours_that_is_not_kept(self, tmp_path):
        state = {"class": "consurv._weights.Weighing", "state": {}}
        sealed(tmp_path / "m", self.forged("consurv", state))
        refused(tmp_path / "m", "which cannot be kept")

    def test_an_attribute_of_a_class(self, tmp_path):
        state = {"settings": {}, "state": {"fit": 1}}
        path = "consurv.models.cox.CoxPH"
        sealed(tmp_path / "m", self.forged("consurv", {"class": path, "state": state}))
        refused(tmp_path / "m", "it sets 'fit', which training does not")

    def test_a_foreign_class_in_skops(self, tmp_path):
        io_of_skops = pytest.importorskip("skops.io")
        sealed(tmp_path / "m", self.forged("sklearn", io_of_skops.dumps(Hostile)))
        refused(tmp_path / "m", "which is no class for a model")

    def test_an_unknown_word(self, tmp_path):
        sealed(tmp_path / "m", self.forged("magic", 1))
        refused(tmp_path / "m", "it has an object 'magic', which this consurv knows")

    def test_a_value_that_is_no_model(self, tmp_path):
        write_archive(tmp_path / "m", [1, "a"], {})
        assert read_archive(tmp_path / "m")[1] == [1, "a"]
        refused(tmp_path / "m", "holds a list, not a ConformalSurvival")


def test_the_manifest_can_be_read_alone(saved):
    manifest = read_manifest(saved)
    assert manifest["model"] == "CoxPH"
    assert manifest["adjustment"] == "time"
    assert manifest["n_conformal"] == 80
    assert manifest["n_features"] == 2
    assert manifest["features"] is None


def test_a_zip_of_two_manifests_is_refused(saved):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in ("manifest.json", "values", "more"):
            archive.writestr(name, b"{}")
    saved.write_bytes(content.getvalue())
    refused(saved, "not a model of consurv")


def test_a_library_that_lacks_is_said_before_work_begins(monkeypatch):
    monkeypatch.setattr("consurv.keep.archive.version_of", lambda name: None)
    with pytest.raises(MissingDependency, match=r"skops is not installed.*\[keep\]"):
        check_libraries()
