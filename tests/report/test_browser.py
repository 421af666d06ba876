"""The report in a real browser."""

import numpy as np
import pytest

from consurv import ConformalSurvival
from consurv.errors import CalibrationWarning
from consurv.report import write_report
from tests.browser import Page, start_browser

pytestmark = pytest.mark.browser

PHONE, DESKTOP = 390, 1280


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = start_browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def report(predicted, stretched_model, tmp_path_factory):
    """A report with a long name, wide numbers and many warnings."""
    X, y = predicted.X, predicted.y
    model = ConformalSurvival(stretched_model, adjustment="time")
    with pytest.warns(CalibrationWarning, match="too few for the levels"):
        model.conformalize(X[:15], y[:15])
    path = tmp_path_factory.mktemp("report") / "report.html"
    title = "A_model_with_a_name_that_no_line_of_a_phone_can_hold_" * 2
    return write_report(model, X[15:], y[15:], path, title=title, n_bootstrap=20)


@pytest.fixture(scope="module", params=[PHONE, DESKTOP])
def page(request, browser, report):
    return Page(browser, report.as_uri(), request.param)


@pytest.fixture(scope="module")
def phone(browser, report):
    return Page(browser, report.as_uri(), PHONE)


class TestReport:
    def test_shows_all_figures(self, page):
        assert page.count("figure") == 7
        sizes = page.run("[...document.images].map(i => [i.naturalWidth, i.width])")
        assert len(sizes) == 7
        assert np.min(sizes) > 200

    def test_shows_all_tables(self, page):
        assert page.count("table") == 3
        assert page.count("table caption") == 3
        # Seven metrics; five groups of risk at four times.
        assert page.count("table.stack tbody tr") == 7 + 5 * 4
        assert page.run("document.querySelector('table.stack').offsetHeight") > 100

    def test_leaves_the_console_clean(self, page):
        assert page.complaints() == []

    def test_fetches_nothing(self, page):
        urls = [m["request"]["url"] for m in page.said("Network.requestWillBeSent")]
        assert [url[:60] for url in urls if not url.startswith("data:")] == [
            page.run("location.href")[:60]
        ]

    def test_does_not_scroll_sideways(self, page):
        width = page.run("window.innerWidth")
        assert width in (PHONE, DESKTOP)
        assert page.run("document.documentElement.scrollWidth") <= width
        assert (
            page.run(
                "[...document.querySelectorAll('body *')]"
                ".filter(e => e.getBoundingClientRect().right > innerWidth + 1)"
                ".map(e => e.tagName)"
            )
            == []
        )


class TestPhone:
    def test_has_one_column(self, phone):
        lefts = "[...document.querySelectorAll('figure')].map(f => f.offsetLeft)"
        assert len(set(phone.run(lefts))) == 1

    def test_keeps_text_readable(self, phone):
        assert (
            phone.run(
                "Math.min(...[...document.querySelectorAll('main *')]"
                ".map(e => parseFloat(getComputedStyle(e).fontSize)))"
            )
            >= 12
        )
