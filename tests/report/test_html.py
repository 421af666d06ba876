import re
import sys
import warnings

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor

from consurv import (
    CalibrationWarning,
    ConformalSurvival,
    InvalidInput,
    MissingDependency,
    NotConformalizedError,
    Outcome,
)
from consurv.adapters import adapter_for
from consurv.metrics import evaluate
from consurv.report import html, write_report


def verdict_of(text):
    return re.search(r'data-verdict="([^"]+)"', text)[1]


def values_in(text):
    """The exact numbers of the table: rows of (raw, calibrated, change)."""
    values = [
        float(v) for v in re.findall(r'<data class="value" value="([^"]+)"', text)
    ]
    return np.reshape(values[:18], (6, 3)), values[18:]


@pytest.fixture(scope="module")
def stretched(simulate, stretched_model):
    return ConformalSurvival(stretched_model, adjustment="time").conformalize(
        *simulate(600)
    )


@pytest.fixture(scope="module")
def report(stretched, simulate, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    X, y = simulate(400, 1)
    assert write_report(stretched, X, y, path, n_bootstrap=40) == path
    return path.read_text(encoding="utf-8")


def quick(model, X, y, folder, **options):
    path = write_report(model, X, y, folder / "r.html", n_bootstrap=20, **options)
    return path.read_text(encoding="utf-8")


class TestVerdict:
    def test_of_a_stretched_model_is_that_it_was_off_and_is_calibrated(
        self, simulate, stretched_model, tmp_path
    ):
        model = ConformalSurvival(stretched_model, adjustment="log-time")
        text = quick(model.conformalize(*simulate(600)), *simulate(400, 1), tmp_path)
        assert verdict_of(text) == "calibrated now"
        assert "The raw curves were off; they are calibrated now" in text
        assert "too optimistic, events come earlier than they say" in text

    def test_of_one_shift_where_a_factor_is_wanted_is_that_curves_are_off(self, report):
        assert verdict_of(report) == "improved"
        assert "calibrated ones too optimistic for some and too pessimistic" in report

    def test_of_a_right_model_is_that_it_was_calibrated(
        self, simulate, right_model, tmp_path
    ):
        model = ConformalSurvival(right_model).conformalize(*simulate(600))
        text = quick(model, *simulate(400, 1), tmp_path)
        assert verdict_of(text) == "calibrated already"

    def test_of_a_small_sample_is_that_nothing_can_be_told(
        self, stretched, simulate, tmp_path
    ):
        text = quick(stretched, *simulate(15, 1), tmp_path)
        assert verdict_of(text) == "too few"
        assert "Too few subjects to tell" in text
        assert "Few events" in text


class TestLevels:
    def test_a_model_with_moved_levels_has_a_report_too(
        self, simulate, stretched_model, tmp_path
    ):
        model = ConformalSurvival(stretched_model, adjustment="level")
        with pytest.warns(CalibrationWarning, match="16 subjects are too few"):
            model.conformalize(*simulate(16))
        text = quick(model, *simulate(300, 1), tmp_path)
        assert "levels moved to conformal quantiles" in text
        assert "The level at which the raw curves are read" in text
        assert "the largest probability is used there" in text


class TestNumbers:
    def test_are_those_of_evaluate(self, report, stretched, simulate):
        X, y = simulate(400, 1)
        curves = (
            adapter_for(stretched.estimator_).curves(stretched.estimator_, X),
            stretched.predict_survival_function(X),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the Brier score's end
            both = [
                evaluate(
                    y, c, y_train=stretched.kaplan_meier_, risk=-curves[0].median()
                )
                for c in curves
            ]
        raw, after = (np.array(list(r.as_dict().values())) for r in both)
        values, p_values = values_in(report)
        np.testing.assert_array_equal(values, np.stack([raw, after, after - raw]).T)
        assert p_values == [r.d_calibration.p_value for r in both]

    def test_use_training_outcomes_that_are_given(self, stretched, simulate, tmp_path):
        X, y = simulate(200, 1)
        _, y_train = simulate(900, 2)
        text = quick(stretched, X, y, tmp_path, y_train=y_train)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = evaluate(
                y, stretched.predict_survival_function(X), y_train=y_train
            )
        values, _ = values_in(text)
        assert values[4, 1] == float(expected.mae_po)
        assert "come from the given training outcomes" in text

    def test_bound_times_where_medians_are_infinite(self, simulate, tmp_path):
        def some_endless(X):
            return [30.0], np.where(X[:, :1] > 0.8, 1.0, 0.0)

        X, y = simulate(300)
        model = ConformalSurvival(some_endless, adjustment="time")
        with pytest.warns(UserWarning, match="infinite percentile times"):
            model.conformalize(X, y)
        text = quick(model, X, y, tmp_path)
        assert "never come down" in text
        assert np.isfinite(values_in(text)[0]).all()

    def test_say_whose_outcomes_they_lean_on(self, stretched, report):
        assert "come from the outcomes of the conformal set" in report
        stretched_fit = ConformalSurvival(DummyRegressor())
        stretched_fit.conformal_set_ = "train"
        assert html._whose(stretched_fit, None) == "the outcomes of the training set"

    def test_say_how_replicates_were_drawn(self, report):
        assert "40 replicates of 400 subjects" in report
        assert "Replicates hold fewer subjects" not in report


class TestContent:
    def test_has_sections_tables_and_figures(self, report):
        for heading in ("Before and after", "By risk", "What was done"):
            assert re.search(rf"<h2[^>]*>{heading}</h2>", report)
        assert report.count("<table") == report.count("<caption") == 3
        images = re.findall(r"<img [^>]+>", report)
        assert len(images) == 7
        assert all(re.search(r'alt="[^"]{40,}"', image) for image in images)

    def test_names_model_policy_levels_and_versions(self, report):
        for words in ("twice_too_long", "19, from 0.05 to 0.95"):
            assert words in report
        assert "<dt>Censoring rule</dt><dd>auto</dd>" in report
        assert f"<dt>numpy</dt><dd>{np.__version__}</dd>" in report

    def test_names_the_unit_of_time(self, report, stretched_model, simulate, tmp_path):
        model = ConformalSurvival(stretched_model, adjustment="time", time_unit="wk")
        text = quick(model.conformalize(*simulate(300)), *simulate(200, 1), tmp_path)
        assert ">Time (wk)</th>" in text
        assert "MAE-PO is in wk." in text
        assert re.search(r"1-calibration at [0-9.]+ wk", text)
        assert "the unit of time of the data" in report

    def test_shows_warnings(self, report):
        assert "Tail extrapolated for" in report

    def test_shows_what_metrics_warn_of_instead_of_warning(
        self, stretched, simulate, tmp_path
    ):
        X, y = simulate(100, 1)
        text = quick(stretched, X, y, tmp_path, y_train=y[y.time < 10])
        assert "From the metrics" in text
        assert "where the Brier score must end" in text

    def test_says_so_where_there_is_nothing_to_say(
        self, stretched, simulate, tmp_path, monkeypatch
    ):
        monkeypatch.setattr(html, "cautions", lambda *_: [])
        monkeypatch.setattr(html, "_from_metrics", lambda _: [])
        assert "Nothing stood out." in quick(stretched, *simulate(60, 1), tmp_path)


class TestFile:
    def test_needs_nothing_from_elsewhere(self, report):
        sources = re.findall(r'(?:src|href|srcset|action)\s*=\s*"([^"]*)"', report)
        assert sources
        assert all(source.startswith("data:") for source in sources)
        assert not re.search(r"@import|url\(|<script|<iframe", report)

    def test_is_small(self, report):
        assert len(report.encode()) < 600_000

    def test_is_the_same_every_time(self, stretched, simulate, tmp_path):
        X, y = simulate(100, 1)
        first, again, other = (
            quick(stretched, X, y, tmp_path, random_state=seed) for seed in (0, 0, 1)
        )
        assert first == again != other

    def test_replaces_an_older_one_and_leaves_nothing_else(
        self, stretched, simulate, tmp_path
    ):
        (tmp_path / "r.html").write_text("old")
        assert quick(stretched, *simulate(60, 1), tmp_path)[:3] != "old"
        assert [p.name for p in tmp_path.iterdir()] == ["r.html"]

    def test_stays_as_it_was_if_writing_fails(
        self, stretched, simulate, tmp_path, monkeypatch
    ):
        (tmp_path / "r.html").write_text("old")

        def fail(self, target):
            raise OSError("disk full")

        monkeypatch.setattr("pathlib.Path.replace", fail)
        with pytest.raises(OSError, match="disk full"):
            quick(stretched, *simulate(60, 1), tmp_path)
        assert (tmp_path / "r.html").read_text() == "old"
        assert [p.name for p in tmp_path.iterdir()] == ["r.html"]

    def test_escapes_names(self, simulate, tmp_path):
        def model(X):
            return [50.0], np.zeros((len(X), 1))

        model.__name__ = '<script>alert("x")</script>'
        fitted = ConformalSurvival(model).conformalize(*simulate(100))
        title = "<img src=x onerror=alert(1)>"
        text = quick(fitted, *simulate(60, 1), tmp_path, title=title)
        assert "<script" not in text
        assert "<img src=x" not in text
        assert "&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;" in text
        assert "&lt;img src=x onerror=alert(1)&gt;" in text


class TestRefuses:
    def test_folders_and_missing_folders_before_work_begins(self, tmp_path):
        with pytest.raises(InvalidInput, match="is a folder; give the name of a file"):
            write_report(None, None, None, tmp_path)
        with pytest.raises(InvalidInput, match="no does not exist; create it first"):
            write_report(None, None, None, tmp_path / "no" / "r.html")

    def test_models_without_shifts(self, simulate, stretched_model, tmp_path):
        X, y = simulate(20)
        with pytest.raises(NotConformalizedError):
            quick(ConformalSurvival(stretched_model), X, y, tmp_path)
        with pytest.raises(InvalidInput, match="must be a ConformalSurvival"):
            quick(stretched_model, X, y, tmp_path)

    def test_outcomes_without_an_event(self, stretched, simulate, tmp_path):
        X, y = simulate(20)
        y = Outcome(y.time, np.zeros(20))
        with pytest.raises(InvalidInput, match="no event"):
            quick(stretched, X, y, tmp_path)
        assert list(tmp_path.iterdir()) == []

    def test_to_work_without_jinja2(self, stretched, simulate, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "jinja2", None)
        with pytest.raises(MissingDependency, match=r"jinja2 .*consurv\[report\]"):
            quick(stretched, *simulate(20), tmp_path)


@pytest.mark.slow
def test_a_hundred_thousand_subjects_take_moments(stretched, simulate, tmp_path):
    X, y = simulate(100_000, 1)
    path = write_report(stretched, X, y, tmp_path / "r.html", n_bootstrap=40)
    assert path.stat().st_size < 1_000_000
    text = path.read_text(encoding="utf-8")
    assert "replicates of 2,000 subjects" in text
    assert "multiplied by √(2,000/100,000)" in text
    assert "Raw curves shortened" in text
