"""The pages in a real browser, without a network beyond loopback."""

import json
from pathlib import Path

import pytest

from tests.browser import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WIDTHS = (390, 1400)
PAGES = (
    "index.html",
    "models.html",
    "choose.html",
    "groups.html",
    "read.html",
    "keeping.html",
    "coming_from.html",
    "gallery/index.html",
    "gallery/shift_harms.html",
    "guarantees.html",
    "method.html",
    "recalibration.html",
    "censoring.html",
    "metrics.html",
    "truth.html",
    "bed.html",
    "benchmarks.html",
    "results/index.html",
    "api/consurv.html",
    "api/metrics.html",
    "architecture.html",
    "contributing.html",
    "changelog.html",
)
CONTRASTS = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")


@pytest.fixture(params=[(p, w) for p in PAGES for w in WIDTHS], ids=str)
def page(request, browser, address):
    path, width = request.param
    page = Page(browser, f"{address}/{path}", width)
    yield page
    page.close()


class TestEveryPage:
    def test_is_in_order(self, page, address):
        """No word on the console, nothing from elsewhere, no way to scroll sideways."""
        assert page.complaints() == []
        urls = [m["request"]["url"] for m in page.said("Network.requestWillBeSent")]
        assert [u for u in urls if not u.startswith((address, "data:"))] == []
        assert page.run("document.documentElement.scrollWidth - innerWidth") <= 0
        assert page.run("[...document.images].filter(i => !i.alt.trim()).length") == 0
        assert page.run("document.querySelectorAll('h1').length") == 1
        assert page.run("document.documentElement.lang") == "en"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_text_can_be_read(browser, address, path, dark):
    page = Page(browser, f"{address}/{path}", 1400, dark=dark)
    ground = page.run("getComputedStyle(document.body).backgroundColor")
    luminous = sum(json.loads(f"[{ground[ground.index('(') + 1 : -1]}]")[:3]) > 380
    assert luminous is not dark
    # What WCAG AA asks of text.
    assert page.run(CONTRASTS.replace("LIMIT", "4.5")) == []
    page.close()
