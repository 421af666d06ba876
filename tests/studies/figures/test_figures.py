"""The figures are drawn, show what they should and stay small."""

import numpy as np
import pytest

from studies.figures import ablation, calibration, cost, main, objective
from studies.figures.look import marks_for, new_figure
from studies.figures.marks import draw_dummy, draw_means
from studies.figures.roots import root_scale, root_ticks
from studies.measures import MEASURES
from studies.results import Results
from studies.statistics import Interval
from tests.studies.made_up import failed_record, make_records

DATASETS = ["DLBCL", "METABRIC"]


@pytest.fixture(scope="module")
def results():
    models = ["km", "weibull-aft", "deephit"]
    return Results(make_records(DATASETS, models, 2))


def size_of(path):
    """Return width and height of a PNG from its header."""
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return int.from_bytes(head[16:20]), int.from_bytes(head[20:24])


@pytest.mark.parametrize(
    ("draw", "names"),
    [
        (main.main_figures, ["full_results", "short_results"]),
        (
            ablation.ablation_figures,
            [
                "ablation_censoring",
                "ablation_censoring_rules",
                "ablation_conformal_set",
                "ablation_percentiles",
            ],
        ),
        (
            objective.objective_figures,
            [
                "objective_c_index",
                "objective_d_calibration",
                "objective_km_calibration",
            ],
        ),
        (calibration.calibration_figures, ["pp", "mean_curves"]),
        (cost.cost_figures, ["extra_time", "relative_time"]),
    ],
)
def test_are_written(results, tmp_path, draw, names):
    pictures = draw(results, tmp_path)
    assert [p.path.stem for p in pictures] == names
    for picture in pictures:
        width, height = size_of(picture.path)
        assert 300 < width < 2200
        assert 200 < height < 2500
        assert 5_000 < picture.path.stat().st_size < 600_000
        assert picture.title
        assert picture.caption
        assert picture.alt


@pytest.mark.parametrize(
    "draw",
    [
        main.main_figures,
        ablation.ablation_figures,
        objective.objective_figures,
        calibration.calibration_figures,
        cost.cost_figures,
    ],
)
def test_without_records_nothing_is_drawn(tmp_path, draw):
    assert draw(Results([]), tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_a_study_that_failed_altogether_is_drawn_as_daggers(tmp_path):
    results = Results([failed_record("main", "DLBCL", "weibull-aft", 0)])
    (picture,) = main.main_figures(results, tmp_path)
    assert picture.path.is_file()


class TestMarks:
    def test_raw_is_blue_and_csd_orange(self):
        marks = marks_for(["raw", "csd", "auto"])
        assert marks["raw"].colour == "#0072B2"
        assert marks["csd"].colour == "#E69F00"

    @pytest.mark.parametrize(
        "variants",
        [
            ("raw", "csd", "auto", "cipot"),
            ("uncensored", "margin", "pseudo-observation", "kaplan-meier"),
            ("kaplan-meier", "self-consistent", "local", "auto", "cipot"),
            ("9", "19", "39", "49", "99"),
        ],
    )
    def test_variants_of_a_figure_differ_by_colour_and_marker(self, variants):
        marks = marks_for(variants).values()
        assert len({mark.colour for mark in marks}) == len(variants)
        assert len({mark.marker for mark in marks}) == len(variants)

    def test_means_have_their_intervals(self):
        with new_figure(3, 3) as figure:
            ax = figure.subplots()
            mark = marks_for(["raw"])["raw"]
            draw_means(ax, {0: Interval(1.0, 0.5, 3), 1: Interval(2.0, None, 1)}, mark)
            bars = ax.containers[0].lines[2][0].get_segments()
            np.testing.assert_allclose(bars[0][:, 1], [0.5, 1.5])
            np.testing.assert_allclose(bars[1][:, 1], [2.0, 2.0])

    def test_the_dummys_line_is_its_mean(self, results):
        with new_figure(3, 3) as figure:
            ax = figure.subplots()
            draw_dummy(ax, results, "DLBCL", MEASURES["d_calibration"])
            place = "main", "DLBCL", "km", "raw", "d_calibration"
            assert ax.lines[0].get_ydata()[0] == results.interval(*place).mean
            draw_dummy(ax, results, "DLBCL", MEASURES["mae_po"])
            assert len(ax.lines) == 1


class TestRoots:
    @pytest.mark.parametrize("top", [3e-5, 0.0007, 0.02, 0.9])
    def test_ticks_are_few_and_apart(self, top):
        ticks = root_ticks(top)
        assert ticks[0] == 0
        assert 3 <= len(ticks) <= 6
        assert ticks[-1] <= top
        assert np.diff(np.sqrt(ticks)).min() >= 0.16 * np.sqrt(top)

    def test_the_axis_begins_at_0_and_shows_the_top(self):
        with new_figure(3, 3) as figure:
            ax = figure.subplots()
            ax.errorbar([0, 1], [0.01, 0.04], yerr=[0.02, 0.01])
            root_scale(ax)
            assert ax.get_ylim()[0] == 0
            assert ax.get_ylim()[1] >= 0.05
            half = ax.transData.transform([(0, 0.0), (0, 0.01), (0, 0.04)])[:, 1]
            assert half[1] - half[0] == pytest.approx(half[2] - half[1])


class TestCalibration:
    def test_lines_are_means_over_seeds(self):
        mean, half = calibration.mean_over_seeds(np.array([[0.0, 0.4], [0.2, 0.4]]))
        np.testing.assert_allclose(mean, [0.1, 0.4])
        assert half[0] > half[1] == 0
        assert calibration.mean_over_seeds(np.array([[0.3]]))[1] == 0

    def test_curves_are_brought_to_common_times(self):
        parts = [
            {"times": [1.0, 2.0], "survival": [0.5, 0.0]},
            {"times": [0.0, 4.0], "survival": [1.0, 0.0]},
        ]
        found = calibration._resampled(parts, "survival", np.array([0.0, 0.5, 2.0]))
        np.testing.assert_allclose(found, [[1, 0.75, 0], [1, 0.875, 0.5]])

    def test_another_model_stands_in_for_deephit(self, tmp_path):
        results = Results(make_records(["PBC"], ["cqrnn"], 2, studies=["main"]))
        pictures = calibration.calibration_figures(results, tmp_path)
        assert pictures[0].title == "P–P plots of CQRNN"

    def test_records_without_curves_are_passed_over(self, tmp_path):
        made = make_records(["PBC"], ["deephit"], 2, studies=["main"])
        for record in made:
            for variant in record["variants"]:
                del variant["details"]
        assert calibration.calibration_figures(Results(made), tmp_path) == []


@pytest.mark.parametrize(
    ("module", "draw", "name"),
    [
        (main, main.main_figures, "full_results"),
        (ablation, ablation.ablation_figures, "ablation_censoring_rules"),
    ],
)
def test_cipot_stands_beside_the_rules(
    results, tmp_path, monkeypatch, module, draw, name
):
    drawn = {}
    monkeypatch.setattr(
        module, "draw_grid", lambda grid, path: drawn.setdefault(path.stem, grid)
    )
    draw(results, tmp_path)
    assert [mark.label for mark in drawn[name].marks.values()][-2:] == ["auto", "CiPOT"]


def test_two_fits_of_a_model_stand_together():
    models, aliases = ablation._merged(["weibull-aft", "weibull-aft@held-out", "km"])
    assert models == ["weibull-aft"]
    assert aliases["weibull-aft"] == ["weibull-aft@held-out"]
