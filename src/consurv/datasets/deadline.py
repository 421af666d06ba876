"""A web address that is opened and read within a given time, however it drips."""

from __future__ import annotations

import http.client
import socket
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

__all__ = ["TooLate", "open_within"]


class TooLate(OSError):  # noqa: N818  (reads as a sentence)
    """The time is over, though bytes may still arrive."""


class _Connections:
    """The connections that were opened, to be cut off when the time is over."""

    def __init__(self) -> None:
        self._open: list[http.client.HTTPConnection] = []
        self._sockets: list[socket.socket] = []
        self.cut_off = False

    def add(self, connection: http.client.HTTPConnection) -> None:
        self._open.append(connection)

    def keep_sockets(self) -> None:
        """Remember sockets, which a connection lets go of once it has answered."""
        self._sockets += [c.sock for c in self._open if c.sock is not None]

    def cut(self) -> None:
        """End whatever waits for bytes, in a header or in the body."""
        self.cut_off = True
        self.keep_sockets()
        for one in self._sockets:
            with suppress(OSError):  # it has ended by itself
                one.shutdown(socket.SHUT_RDWR)


def _handlers(connections: _Connections) -> list[urllib.request.BaseHandler]:
    class Plain(http.client.HTTPConnection):
        def connect(self) -> None:
            connections.add(self)
            super().connect()
            connections.keep_sockets()

    class Secure(http.client.HTTPSConnection):
        def connect(self) -> None:
            connections.add(self)
            super().connect()
            connections.keep_sockets()

    class PlainHandler(urllib.request.HTTPHandler):
        def http_open(self, req: urllib.request.Request) -> Any:
            return self.do_open(Plain, req)

    class SecureHandler(urllib.request.HTTPSHandler):
        def https_open(self, req: urllib.request.Request) -> Any:
            return self.do_open(Secure, req)

    return [PlainHandler(), SecureHandler()]


@contextmanager
def open_within(
    request: urllib.request.Request, timeout: float, deadline: float
) -> Iterator[Any]:
    """Open a web address; the block has *deadline* seconds from now.

    Parameters
    ----------
    request : Request
    timeout : float
        Seconds without a byte after which to give up.
    deadline : float
        Seconds after which the connection is cut off.

    Yields
    ------
    HTTPResponse

    Raises
    ------
    TooLate
        If the time is over, whatever the cut ended in.
    """
    connections = _Connections()
    watch = threading.Timer(deadline, connections.cut)
    watch.daemon = True
    watch.start()
    try:
        opener = urllib.request.build_opener(*_handlers(connections))
        with opener.open(request, timeout=timeout) as response:
            yield response
    except Exception as error:
        if connections.cut_off:
            raise TooLate(f"more than {deadline:g} s") from error
        raise
    finally:
        watch.cancel()
    if connections.cut_off:  # a body that was cut off may look as if it ended
        raise TooLate(f"more than {deadline:g} s")
