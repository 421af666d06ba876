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


def wait_for(page, expression, seconds=20):
    end = time.monotonic() + seconds
    while not (found := page.run(expression)):
        assert time.monotonic() < end, expression
        time.sleep(0.1)
    return found


def test_the_search_finds_d_calibration(start):
    assert start.complaints() == []
    print(
        start.run("document.querySelector('[class*=search]')?.outerHTML.slice(0, 800)")
    )
    raise AssertionError
