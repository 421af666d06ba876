import base64
import sys
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from consurv import ConformalSurvival, MissingDependency, Outcome
from consurv.report.bootstrap import compare
from consurv.report.figures import _middle, draw_figures


@pytest.fixture(scope="module")
def scene(simulate, predicted, right_model):
    model = ConformalSurvival(right_model).conformalize(*simulate(200))
    y, raw, after = predicted.y, predicted.optimistic, predicted.good
    return y, raw, after, compare(y, raw, after, n_bootstrap=20), model.adjustment_


@pytest.fixture(scope="module")
def figures(scene):
    return draw_figures(*scene)


class TestFigures:
    def test_are_seven_images_inside_the_page(self, figures):
        assert len(figures) == 7
        for figure in figures:
            kind, _, content = figure.source.partition(",")
            assert kind == "data:image/svg+xml;base64"
            root = ET.fromstring(base64.b64decode(content))
            assert root.tag == "{http://www.w3.org/2000/svg}svg"

    def test_need_no_font(self, figures):
        for figure in figures:
            content = base64.b64decode(figure.source.partition(",")[2])
            assert b"<text" not in content

    def test_describe_what_is_to_be_seen(self, figures, scene):
        gap = np.abs(
            scene[3].raw.d_calibration.cumulative - scene[3].raw.d_calibration.levels
        ).max()
        assert f"Raw curves leave the diagonal by up to {gap:.3f}" in figures[0].alt
        assert all(f.alt and f.title and f.caption for f in figures)

    def test_are_the_same_every_time(self, figures, scene):
        assert draw_figures(*scene) == figures

    def test_leave_no_figure_open(self, figures):
        from matplotlib import pyplot as plt

        assert plt.get_fignums() == []

    def test_say_what_to_install(self, scene, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(MissingDependency, match=r"consurv\[report\]"):
            draw_figures(*scene)


class TestMiddle:
    def test_is_the_kaplan_meier_median(self):
        assert _middle(Outcome(time=[1, 2, 3, 4], event=[1, 1, 1, 1])) == 2

    def test_is_that_of_the_events_where_survival_stays_high(self):
        assert _middle(Outcome(time=[1, 2, 3, 4, 5], event=[1, 0, 1, 0, 0])) == 2
