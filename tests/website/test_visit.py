"""What a visitor does: search, go by keyboard, switch to dark."""

import time

import pytest

from tests.browser import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def start(browser, address):
    page = Page(browser, f"{address}/index.html", 1400)
    yield page
    page.close()


def wait_for(question, seconds=20):
    """Ask until the answer is yes, or something, and return it."""
    end = time.monotonic() + seconds
    while not (found := question()):
        assert time.monotonic() < end
        time.sleep(0.2)
    return found


def search(page):
    def opened():
        if not page.named("combobox"):
            page.press("k", modifiers=2)
        return page.named("combobox")

    wait_for(opened)
    page.write("D-calibration")
    found = wait_for(lambda: page.named("option"))
    assert len(found) > 5
    assert any("d_calibration" in hit for hit in found)
    assert any("Distribution calibration" in hit for hit in found)


def test_the_search_finds_d_calibration(start):
    search(start)
    assert start.complaints() == []


def test_the_search_works_without_a_server(site, browser):
    page = Page(browser, (site / "index.html").as_uri(), 1400)
    search(page)
    assert page.complaints() == []
    page.close()


@pytest.mark.parametrize("path", ["index", "choose", "calibrators"])
def test_a_keyboard_reaches_everything(path, browser, address):
    """Every link and button of the page that is shown gets the focus."""
    page = Page(browser, f"{address}/{path}.html", 1400)
    wanted = (
        "[...document.querySelectorAll('a[href], button, summary, input')]"
        ".filter(e => e.checkVisibility({visibilityProperty: true}) && !e.hidden "
        "&& e.tabIndex >= 0 && e.type !== 'radio')"  # arrows move between radios
    )
    total = page.run(f"(window.todo = new Set({wanted})).size")
    assert total > 20
    for _ in range(3 * total):
        page.press("Tab")
        left = page.run("todo.delete(document.activeElement), todo.size")
        if left == 0:
            break
    assert page.run("[...todo].map(e => e.outerHTML.slice(0, 120))") == []
    page.close()


def test_a_keyboard_opens_a_picture_in_full_size(browser, address):
    page = Page(browser, f"{address}/calibrators.html", 390)
    page.run("document.querySelector('a.picture').focus()")
    shown = page.run("document.querySelector('a.picture img').naturalWidth")
    page.press("Enter")
    wait_for(lambda: page.run("location.href").endswith(".png"))
    wait_for(lambda: page.run("document.images[0]?.naturalWidth") == shown)
    page.close()


def test_the_switch_makes_it_dark_and_stays(start, browser, address):
    body = "getComputedStyle(document.body).getPropertyValue('--md-default-bg-color')"
    light = start.run(body)
    start.run("document.querySelector('label[title=\"Dark mode\"]').click()")
    wait_for(lambda: start.run(body) != light)
    again = Page(browser, f"{address}/method.html", 1400, forget=False)
    assert again.run(body) != light
    again.close()
