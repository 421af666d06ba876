"""The report in a real browser, driven through Chromium's debugging pipe.

No driver, no client library and no port: Chromium reads commands from one inherited
file and answers on another.
"""

import fcntl
import json
import os
import select
import shutil
import subprocess
import time

import numpy as np
import pytest

from consurv import ConformalSurvival
from consurv.errors import CalibrationWarning
from consurv.report import write_report

pytestmark = pytest.mark.browser

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)
PHONE, DESKTOP = 390, 1280


class Browser:
    """A headless Chromium of its own, with a fresh profile."""

    def __init__(self, program, profile):
        commands, self._out = high_pipe()
        self._in, answers = high_pipe()
        # Chromium wants the two files as numbers 3 and 4, which only a shell can give.
        script = f'exec "$@" 3<&{commands} 4>&{answers}'
        arguments = [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        self._process = subprocess.Popen(
            ["bash", "-c", script, "bash", *arguments],
            pass_fds=(commands, answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self._buffer, self._number, self.events = b"", 0, []

    def call(self, method, session=None, **params):
        """Send a command and return its answer; events on the way are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        answer = self._wait(lambda m: m.get("id") == self._number)
        assert "error" not in answer, answer
        return answer["result"]

    def wait_for(self, event):
        if not any(m.get("method") == event for m in self.events):
            self._wait(lambda m: m.get("method") == event)

    def _wait(self, wanted, seconds=60):
        end = time.monotonic() + seconds
        while True:
            message = self._read(end - time.monotonic())
            if "method" in message:
                self.events.append(message)
            if wanted(message):
                return message

    def _read(self, seconds):
        while b"\0" not in self._buffer:
            if not select.select([self._in], [], [], max(seconds, 0))[0]:
                raise TimeoutError("Chromium does not answer")
            part = os.read(self._in, 2**16)
            if not part:
                raise EOFError("Chromium has ended")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def close(self):
        self._process.terminate()
        self._process.wait(timeout=30)
        os.close(self._in)
        os.close(self._out)


class Page:
    """A page opened at some width, and what the browser had to say about it."""

    def __init__(self, browser, path, width):
        self._browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = browser.call(
            "Target.attachToTarget", targetId=target, flatten=True
        )["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")
        size = {"width": width, "height": 900, "deviceScaleFactor": 1}
        self._call("Emulation.setDeviceMetricsOverride", mobile=width < 600, **size)
        browser.events.clear()
        self._call("Page.navigate", url=path.as_uri())
        browser.wait_for("Page.loadEventFired")
        self.run("Promise.all([...document.images].map(image => image.decode()))")
        self.events = list(browser.events)

    def _call(self, method, **params):
        return self._browser.call(method, self._session, **params)

    def run(self, expression):
        """Return the value of a JavaScript expression on the page."""
        found = self._call(
            "Runtime.evaluate",
            expression=expression,
            awaitPromise=True,
            returnByValue=True,
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def count(self, selector):
        return self.run(f"document.querySelectorAll({json.dumps(selector)}).length")

    def said(self, *methods):
        return [m["params"] for m in self.events if m["method"] in methods]


def high_pipe():
    """Return a pipe whose numbers are out of the way of 3 and 4."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for end in ends]
    for end in ends:
        os.close(end)
    return moved


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"no Chromium on this machine (none of {', '.join(NAMES)})")
    browser = Browser(program, tmp_path_factory.mktemp("profile"))
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
    return Page(browser, report, request.param)


@pytest.fixture(scope="module")
def phone(browser, report):
    return Page(browser, report, PHONE)


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
        methods = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown")
        assert page.said(*methods, "Log.entryAdded") == []

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
