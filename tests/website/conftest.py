"""The site, built once and served on loopback."""

import fcntl
import functools
import http.server
import subprocess
import sys
import threading

import pytest

from tests.browser import start_browser
from website.__main__ import BUILT, SITE
from website.inputs import digest
from website.scripts import ROOT


@pytest.fixture(scope="session")
def site():
    """The folder of the built pages; built anew if a file of theirs has changed."""
    pytest.importorskip("zensical")
    BUILT.parent.mkdir(exist_ok=True)
    with (BUILT.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests may run in several processes
        if not BUILT.exists() or BUILT.read_text() != digest():
            command = [sys.executable, "-m", "website", "--reuse"]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
            assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return SITE


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="session")
def address(site):
    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    browser = start_browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()
