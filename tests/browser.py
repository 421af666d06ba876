"""A real browser, driven through Chromium's debugging pipe.

No driver, no client library and no port: Chromium reads commands from one inherited
file and answers on another.
"""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time

import pytest

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

    def __init__(self, browser, url, width, dark=False, forget=True):
        self._browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = browser.call(
            "Target.attachToTarget", targetId=target, flatten=True
        )["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")
        size = {"width": width, "height": 900, "deviceScaleFactor": 1}
        self._call("Emulation.setDeviceMetricsOverride", mobile=width < 600, **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])
        if forget and url.startswith("http"):
            origin = "/".join(url.split("/")[:3])
            kinds = {"origin": origin, "storageTypes": "local_storage"}
            self._call("Storage.clearDataForOrigin", **kinds)
        browser.events.clear()
        self._call("Page.navigate", url=url)
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

    def complaints(self):
        """Return what the console has had to say until now."""
        methods = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown")
        later = [m for m in self._browser.events if m not in self.events]
        self.events += [m for m in later if m.get("sessionId") == self._session]
        return self.said(*methods, "Log.entryAdded")

    def press(self, key, modifiers=0):
        """Press and release a key; 2 is Control."""
        number = {"Tab": 9, "Enter": 13}.get(key, ord(key[0].upper()))
        code = key if len(key) > 1 else f"Key{key.upper()}"
        for kind in ("keyDown", "keyUp"):
            self._call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=code,
                modifiers=modifiers,
                windowsVirtualKeyCode=number,
            )

    def write(self, text):
        """Type into what has the focus."""
        self._call("Input.insertText", text=text)

    def named(self, role):
        """Return the names of all that assistive technology is told to be a *role*."""
        nodes = self._call("Accessibility.getFullAXTree")["nodes"]
        found = [n for n in nodes if n.get("role", {}).get("value") == role]
        return [n.get("name", {}).get("value", "") for n in found]

    def picture(self):
        """Return what is to be seen as a PNG file."""
        found = self._call("Page.captureScreenshot", format="png")
        return base64.b64decode(found["data"])

    def close(self):
        self._call("Page.close")


def high_pipe():
    """Return a pipe whose numbers are out of the way of 3 and 4."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for end in ends]
    for end in ends:
        os.close(end)
    return moved


def start_browser(profile):
    """Return a browser, or skip the test where there is none."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"no Chromium on this machine (none of {', '.join(NAMES)})")
    return Browser(program, profile)
