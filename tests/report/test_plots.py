from functools import partial

import matplotlib as mpl
import numpy as np
import pytest
from numpy.testing import assert_allclose

from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import InvalidInput
from consurv.metrics import d_calibration
from consurv.report import (
    plot_calibration_curve,
    plot_d_calibration,
    plot_mean_curve,
    plot_one_calibration,
    plot_pp,
)
from consurv.report.bands import binomial_band, greenwood_band

PLOTS = [
    plot_pp,
    plot_d_calibration,
    plot_mean_curve,
    partial(plot_one_calibration, time=5.0),
    partial(plot_calibration_curve, time=5.0),
]


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def line(ax, label):
    (found,) = [part for part in ax.get_lines() if part.get_label() == label]
    return found


def corners(ax, label="95 % band"):
    """Return the vertices of the band in the axes."""
    (band,) = [part for part in ax.collections if part.get_label() == label]
    return band.get_paths()[0].vertices


@pytest.fixture
def both(predicted):
    return {"raw": predicted.optimistic, "calibrated": predicted.good}


@pytest.mark.parametrize("plot", PLOTS)
class TestEveryPlot:
    def test_draws_into_the_axes_given_and_returns_them(self, plot, predicted, ax):
        assert plot(predicted.y, predicted.good, ax=ax) is ax
        assert plot(predicted.y, predicted.good, ax=ax) is ax

    def test_makes_a_figure_where_none_is_given(self, plot, predicted):
        from matplotlib import pyplot as plt

        ax = plot(predicted.y, predicted.good)
        assert ax.figure is plt.figure(plt.get_fignums()[0])
        assert len(plt.get_fignums()) == 1

    def test_names_all_models_first(self, plot, predicted, both, ax):
        models = both | {"third": predicted.good}
        assert labels(plot(predicted.y, models, ax=ax))[:3] == list(models)

    def test_draws_the_same_picture_twice(self, plot, predicted, both):
        from matplotlib.figure import Figure

        pictures = []
        for _ in range(2):
            figure = Figure(figsize=(3.5, 2.8), layout="constrained")
            plot(predicted.y, both, ax=figure.subplots())
            canvas = mpl.backends.backend_agg.FigureCanvasAgg(figure)
            canvas.draw()
            pictures.append(np.asarray(canvas.buffer_rgba()).copy())
        assert np.array_equal(*pictures)

    def test_leaves_global_settings_alone(self, plot, predicted, ax):
        before = dict(mpl.rcParams)
        plot(predicted.y, predicted.good, ax=ax)
        assert dict(mpl.rcParams) == before

    def test_takes_a_colour_by_name(self, plot, predicted, both, ax):
        plot(predicted.y, both, colours={"raw": "#123456"}, ax=ax)
        handle = ax.get_legend().legend_handles[0]
        colour = getattr(handle, "get_facecolor", None) or handle.get_color
        assert mpl.colors.to_hex(colour()) == "#123456"

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"coverage": 95}, "coverage=95 is not valid"),
            ({"colours": {"rew": "red"}}, "colours names 'rew', which is not drawn"),
        ],
    )
    def test_a_bad_option_leaves_no_figure_open(
        self, plot, predicted, options, message
    ):
        from matplotlib import pyplot as plt

        with pytest.raises(InvalidInput, match=message):
            plot(predicted.y, predicted.good, **options)
        assert plt.get_fignums() == []

    def test_refuses_fewer_curves_than_subjects(self, plot, predicted):
        with pytest.raises(InvalidInput, match=r"y has 200, curves\['model'\] has 5"):
            plot(predicted.y, predicted.good[:5])

    def test_refuses_outcomes_without_an_event(self, plot, predicted):
        y = (np.zeros(200, dtype=bool), predicted.y.time)
        with pytest.raises(InvalidInput, match="no event"):
            plot(y, predicted.good)


class TestPPPlot:
    def test_shows_the_cumulative_shares_of_d_calibration(self, predicted, both, ax):
        plot_pp(predicted.y, both, n_levels=19, ax=ax)
        for name, curves in both.items():
            result = d_calibration(predicted.y, curves, n_bins=20)
            assert_allclose(line(ax, name).get_xdata(), np.arange(1, 20) / 20)
            assert_allclose(line(ax, name).get_ydata(), result.cumulative)

    def test_an_optimistic_model_lies_below_the_diagonal(self, predicted, both, ax):
        plot_pp(predicted.y, both, ax=ax)
        x, y = line(ax, "raw").get_data()
        assert (y[9:90] < x[9:90]).all()

    def test_the_band_is_binomial_around_the_diagonal(self, predicted, ax):
        plot_pp(predicted.y, predicted.good, n_levels=4, coverage=0.9, ax=ax)
        band = corners(ax, "90 % by chance")
        lower, upper = binomial_band(200, [0.2, 0.4, 0.6, 0.8], 0.9)
        for i, level in enumerate([0.2, 0.4, 0.6, 0.8]):
            at_level = band[np.isclose(band[:, 0], level), 1]
            assert_allclose([at_level.min(), at_level.max()], [lower[i], upper[i]])

    def test_refuses_no_levels(self, predicted):
        with pytest.raises(InvalidInput, match="n_levels=0 is not valid"):
            plot_pp(predicted.y, predicted.good, n_levels=0)


class TestDCalibrationHistogram:
    def test_shows_the_shares_of_the_bins(self, predicted, both, ax):
        plot_d_calibration(predicted.y, both, ax=ax)
        for bars, curves in zip(ax.containers, both.values(), strict=True):
            result = d_calibration(predicted.y, curves)
            heights = [bar.get_height() for bar in bars]
            assert_allclose(heights, result.histogram / 200)

    def test_bars_of_models_stand_side_by_side_inside_their_bin(
        self, predicted, both, ax
    ):
        plot_d_calibration(predicted.y, both, n_bins=5, ax=ax)
        raw, calibrated = ([bar.get_x() for bar in bars] for bars in ax.containers)
        width = ax.containers[0][0].get_width()
        edges = np.arange(5) / 5
        assert (np.array(raw) > edges).all()
        assert (np.array(calibrated) >= np.array(raw) + width).all()
        assert (np.array(calibrated) + width < edges + 0.2).all()

    def test_shows_the_expected_share_and_its_band(self, predicted, ax):
        plot_d_calibration(predicted.y, predicted.good, n_bins=5, ax=ax)
        assert_allclose(line(ax, "ideal").get_ydata(), 0.2)
        (band,) = [p for p in ax.patches if p.get_label() == "95 % by chance"]
        lower, upper = binomial_band(200, [0.2], 0.95)
        low, high = band.get_y(), band.get_y() + band.get_height()
        assert_allclose([low, high], [lower[0], upper[0]])

    def test_models_differ_by_hatch_too(self, predicted, both, ax):
        plot_d_calibration(predicted.y, both, ax=ax)
        assert ax.containers[0][0].get_hatch() != ax.containers[1][0].get_hatch()

    def test_refuses_a_single_bin(self, predicted):
        with pytest.raises(InvalidInput, match="n_bins=1 is not valid"):
            plot_d_calibration(predicted.y, predicted.good, n_bins=1)


class TestMeanCurve:
    def test_shows_the_mean_of_the_curves(self, predicted, both, ax):
        plot_mean_curve(predicted.y, both, ax=ax)
        for name, curves in both.items():
            times, mean = line(ax, name).get_data()
            assert_allclose(mean, curves.survival_at(times).mean(axis=0), rtol=1e-10)

    def test_shows_kaplan_meier_with_its_band(self, predicted, ax):
        plot_mean_curve(predicted.y, predicted.good, ax=ax)
        km = KaplanMeier(predicted.y)
        steps = line(ax, "Kaplan–Meier")
        assert_allclose(steps.get_xdata(), np.append(0, km.times))
        assert_allclose(steps.get_ydata(), np.append(1, km.survival))
        lower, upper = greenwood_band(km)
        band = corners(ax)[:, 1]
        assert np.isin(lower[np.isfinite(lower)].round(12), band.round(12)).all()
        assert np.isin(upper[np.isfinite(upper)].round(12), band.round(12)).all()

    def test_a_large_sample_is_drawn_with_as_many_steps_as_can_be_seen(self, ax):
        rng = np.random.default_rng(2)
        y = (rng.random(5000) < 0.5, rng.exponential(size=5000))
        plot_mean_curve(y, SurvivalCurves([1.0], np.full((5000, 1), 0.4)), ax=ax)
        times, survival = line(ax, "Kaplan–Meier").get_data()
        assert 500 < len(times) <= 1001
        assert times[-1] == y[1].max()
        assert_allclose(survival[1:], KaplanMeier(y).survival_at(times[1:]))

    def test_ends_at_the_last_observed_time(self, predicted, ax):
        plot_mean_curve(predicted.y, predicted.good, ax=ax)
        assert line(ax, "model").get_xdata()[-1] == predicted.y.time.max()

    def test_a_curve_that_falls_to_zero_can_be_drawn(self, ax):
        curves = SurvivalCurves([4.0], [[0.0]] * 3)
        plot_mean_curve(([1, 1, 1], [1, 2, 3]), curves, ax=ax)
        ax.figure.canvas.draw()

    def test_names_the_unit_of_time(self, predicted, ax):
        plot_mean_curve(predicted.y, predicted.good, time_unit="months", ax=ax)
        assert ax.get_xlabel() == "Time (months)"
