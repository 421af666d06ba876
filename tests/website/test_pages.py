"""The pages in a real browser, without a network beyond loopback.

Every page of the menu is seen twice: as on a phone, light, and as on a desk, dark.
"""

import json
from pathlib import Path

import pytest

from tests.browser import Page
from tests.website.menu import MENU

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PHONE, DESK = 390, 1400
HERE = Path(__file__).parent
CONTRASTS = (HERE / "contrast.js").read_text(encoding="utf-8")
BROKEN = (HERE / "broken.js").read_text(encoding="utf-8")
# The other way round: a page of each sort.
SORTS = (
    "index.html",
    "choose.html",
    "calibrators.html",
    "gallery/index.html",
    "gallery/before_after.html",
    "api/metrics.html",
)
SEEN = [
    *((path, PHONE, False) for path in MENU),
    *((path, DESK, True) for path in MENU),
    *((path, PHONE, True) for path in SORTS),
    *((path, DESK, False) for path in SORTS),
]


def name(seen):
    path, width, dark = seen
    return f"{path}-{width}-{'dark' if dark else 'light'}"


def test_the_menu_is_read():
    assert {"index.html", "results/paper.html", "api/consurv.html", *SORTS} <= set(MENU)
    assert len(MENU) > 60


def test_every_page_of_the_menu_is_there_under_its_name(site):
    """Beside each page stand the names of its neighbours, the page's own too."""
    for path, title in MENU.items():
        text = (site / path).read_text(encoding="utf-8")
        assert title.replace("'", "&#39;") in text.replace("'", "&#39;"), path


def test_the_results_are_in_the_menu_of_the_evidence(site):
    text = (site / "calibrators.html").read_text(encoding="utf-8")
    assert 'href="./results/paper.html" class="md-nav__link"' in text


@pytest.mark.parametrize("seen", SEEN, ids=name)
def test_a_page_is_in_order(seen, browser, address):
    """Quiet console, nothing from elsewhere, no way to scroll sideways, readable."""
    path, width, dark = seen
    page = Page(browser, f"{address}/{path}", width, dark=dark)
    assert page.complaints() == []
    urls = [m["request"]["url"] for m in page.said("Network.requestWillBeSent")]
    assert [u for u in urls if not u.startswith((address, "data:"))] == []
    assert page.run("document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.run("[...document.images].filter(i => !i.alt.trim()).length") == 0
    assert page.run("document.querySelectorAll('h1').length") == 1
    assert page.run("document.documentElement.lang") == "en"
    # A picture can be seen in full size.
    assert page.run("document.querySelectorAll('article img:not(a img)').length") == 0
    assert page.run(BROKEN) == []
    ground = page.run("getComputedStyle(document.body).backgroundColor")
    luminous = sum(json.loads(f"[{ground[ground.index('(') + 1 : -1]}]")[:3]) > 380
    assert luminous is not dark
    # What WCAG AA asks of text.
    assert page.run(CONTRASTS.replace("LIMIT", "4.5")) == []
    page.close()
