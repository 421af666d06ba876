import builtins
import subprocess
import sys

import numpy as np
import pytest

from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput, MissingDependency
from consurv.report.style import axes_or_new, finish, named_curves, styles_for


class TestStyles:
    def test_raw_and_calibrated_always_look_the_same(self):
        pair = styles_for(["raw", "calibrated"])
        other = styles_for(["calibrated", "boosting", "raw"])
        assert other["raw"] == pair["raw"]
        assert other["calibrated"] == pair["calibrated"]
        assert other["boosting"] not in pair.values()

    def test_six_models_differ_in_every_way(self):
        styles = styles_for("abcdef").values()
        for part in ("colour", "line", "marker", "hatch"):
            assert len({str(getattr(style, part)) for style in styles}) == 6

    def test_more_models_than_styles_repeat(self):
        styles = styles_for("abcdefgh")
        assert styles["a"] == styles["g"]
        assert len(styles) == 8

    def test_a_colour_can_be_chosen(self):
        styles = styles_for(["raw", "other"], {"raw": "red"})
        assert styles["raw"].colour == "red"
        assert styles["raw"].marker == styles_for(["raw"])["raw"].marker

    def test_refuses_colours_of_what_is_not_drawn(self):
        with pytest.raises(InvalidInput, match="colours names 'rw', which is not"):
            styles_for(["raw"], {"rw": "red"})


class TestNamedCurves:
    def test_one_alone_is_called_model(self, predicted):
        assert list(named_curves(predicted.good, 200)) == ["model"]

    def test_keeps_the_order_of_names(self, predicted):
        models = {"z": predicted.good, "a": predicted.good}
        assert list(named_curves(models, 200)) == ["z", "a"]

    @pytest.mark.parametrize(
        ("curves", "message"),
        [
            ({}, "curves is empty; give SurvivalCurves or"),
            (np.ones((2, 3)), "curves must be SurvivalCurves, got ndarray"),
            ({"raw": None}, r"curves\['raw'\] must be SurvivalCurves, got NoneType"),
            (
                {"raw": SurvivalCurves([1], [[0.5]])},
                r"lengths differ: y has 2, curves\['raw'\] has 1",
            ),
        ],
    )
    def test_refuses_what_are_no_curves_of_the_subjects(self, curves, message):
        with pytest.raises(InvalidInput, match=message):
            named_curves(curves, 2)


class TestAxes:
    def test_given_axes_come_back(self, ax):
        assert axes_or_new(ax) is ax

    def test_without_axes_a_figure_is_made(self):
        from matplotlib import pyplot as plt

        assert axes_or_new(None).figure is plt.gcf()

    def test_refuses_several_axes(self):
        from matplotlib.figure import Figure

        axes = Figure().subplots(1, 2)
        with pytest.raises(InvalidInput, match="one matplotlib Axes, got ndarray"):
            axes_or_new(axes)

    def test_says_what_to_install(self, monkeypatch):
        real = builtins.__import__

        def without_matplotlib(name, *rest, **options):
            if name.startswith("matplotlib"):
                raise ImportError(name)
            return real(name, *rest, **options)

        monkeypatch.setattr(builtins, "__import__", without_matplotlib)
        with pytest.raises(MissingDependency, match=r"consurv\[report\]"):
            axes_or_new(None)

    def test_importing_the_plots_does_not_import_matplotlib(self):
        code = "import sys, consurv.report; print('matplotlib' in sys.modules)"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == "False"


class TestFinish:
    def test_entries_that_repeat_are_shown_once(self, ax):
        for _ in range(2):
            ax.plot([0, 1], label="ideal")
        finish(ax, "x", "y")
        assert [text.get_text() for text in ax.get_legend().get_texts()] == ["ideal"]

    def test_the_legend_begins_with_the_models(self, ax):
        for name in ("ideal", "raw", "calibrated"):
            ax.plot([0, 1], label=name)
        finish(ax, "x", "y", ["raw", "calibrated"])
        shown = [text.get_text() for text in ax.get_legend().get_texts()]
        assert shown == ["raw", "calibrated", "ideal"]

    def test_a_lone_unnamed_model_needs_no_legend(self, ax):
        ax.plot([0, 1], label="model")
        assert finish(ax, "x", "y").get_legend() is None

    def test_the_legend_lies_outside_the_data(self, ax):
        ax.plot([0, 1], label="raw")
        finish(ax, "x", "y")
        ax.figure.canvas.draw()
        legend = ax.get_legend().get_window_extent()
        assert legend.y0 >= ax.get_window_extent().y1

    @pytest.mark.parametrize(("width", "columns"), [(6, 4), (3.5, 2)])
    def test_a_narrow_figure_has_fewer_columns(self, width, columns):
        from matplotlib.figure import Figure

        ax = Figure(figsize=(width, 3), layout="constrained").subplots()
        for name in "abcd":
            ax.plot([0, 1], label=name)
        assert finish(ax, "x", "y").get_legend()._ncols == columns
