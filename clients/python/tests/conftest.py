"""Fixtures: a client of the service at TWMD_URL, and a server with scripted responses."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import twmd

Answer = Callable[[BaseHTTPRequestHandler], None]


@pytest.fixture(scope="session")
def client() -> Iterator[twmd.Client]:
    with twmd.Client() as one:
        yield one


@dataclass
class Script:
    """Server that sends scripted responses in order, the last one repeatedly.

    It records the requests.
    """

    url: str = ""
    answers: list[Answer] = field(default_factory=list)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list, repr=False)


@pytest.fixture
def server() -> Iterator[Script]:
    script = Script()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:  # noqa: N802
            script.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            script.answers[min(len(script.asked), len(script.answers)) - 1](self)

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    script.url = f"http://127.0.0.1:{http.server_address[1]}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield script
    http.shutdown()
    thread.join()
    http.server_close()
