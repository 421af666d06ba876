"""The pages in a real browser, without a network beyond loopback."""

import json

import pytest

from tests.browser import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WIDTHS = (390, 1400)
PAGES = (
    "index.html",
    "models.html",
    "choose.html",
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
# Contrast of text with what lies behind it, by the formula of WCAG 2; colours that are
# not opaque are mixed with those below.
CONTRASTS = """(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = colour => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255];
  };
  const over = (top, below) => top.slice(0, 3).map((v, i) => v * top[3] + below[i] * (1 - top[3]));
  const behind = e => {
    const layers = [];
    for (; e; e = e.parentElement) {
      const colour = rgba(getComputedStyle(e).backgroundColor);
      layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const light = c => {
    const [r, g, b] = c.map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  const walk = document.createTreeWalker(document.querySelector('article'), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !e.checkVisibility({opacityProperty: true})) continue;
    if (e.closest('.headerlink, .md-clipboard, nav, [aria-hidden=true]')) continue;
    const ground = behind(e), ink = over(rgba(getComputedStyle(e).color), ground);
    const [high, low] = [light(ink), light(ground)].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < LIMIT) found.push([walk.currentNode.data.trim().slice(0, 30), e.className, ratio.toFixed(2)]);
  }
  return found.slice(0, 10);
})()"""


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
    # 4.5 is asked of text by WCAG AA; colours of code are the theme's, 3 is asked.
    assert page.run(CONTRASTS.replace("LIMIT", "3")) == []
    page.close()
