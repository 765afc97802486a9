"""Scripted responses, and a transport that does not wait between attempts."""

import io
import json
from http.server import BaseHTTPRequestHandler

import pyarrow as pa
from conftest import Answer, Script

from twmd.transport import Transport

KEY = "sk_live_a_key_that_no_text_may_hold"


def says(status: int, body: bytes, *, whole: bool = True, **headers: str) -> Answer:
    """Returns a function that sends a response.

    An incomplete response states a larger length, and then the connection is closed.
    """

    def answer(to: BaseHTTPRequestHandler) -> None:
        to.send_response(status)
        for name, value in headers.items():
            to.send_header(name.replace("_", "-"), value)
        to.send_header("content-length", str(len(body) + (0 if whole else 1_000)))
        to.end_headers()
        to.wfile.write(body)
        to.close_connection = not whole

    return answer


def refuses(status: int, code: str, **headers: str) -> Answer:
    error = {"error_code": code, "error_message": f"Because of {code}.", "request_id": "req_1", "docs_url": f"/docs#error-{code}"}
    return says(status, json.dumps({"detail": "…", "error": error}).encode(), **headers)


def hangs_up(to: BaseHTTPRequestHandler) -> None:
    """Closes the connection without a response."""
    to.close_connection = True
    to.connection.close()


def arrow(rows: int, **headers: str) -> Answer:
    sink = io.BytesIO()
    table = pa.table({"n": list(range(rows))})
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return says(200, sink.getvalue(), content_type="application/vnd.apache.arrow.stream", x_credits_charged="2", **headers)


CATALOG = says(200, json.dumps({"data": [{"slug": "d", "links": {"read": "/d"}}]}).encode())
GATEWAY = b"<html>Bad gateway</html>"


class Waits:
    """Records waits instead of sleeping."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float, /) -> None:
        self.seconds.append(seconds)


def transport(server: Script, *, retries: int = 2, max_wait: float = 60.0) -> tuple[Transport, Waits]:
    waits = Waits()
    return Transport(server.url, KEY, timeout=30.0, retries=retries, max_wait=max_wait, sleep=waits), waits
