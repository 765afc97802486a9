"""Repetition of requests, and secrecy of the key."""

import logging
import socket
import traceback

import pytest
from conftest import Answer, Script
from scripted import CATALOG, GATEWAY, KEY, arrow, hangs_up, refuses, says, transport

import twmd


@pytest.mark.parametrize("status, code", [(429, "rate_limited"), (503, "overloaded")])
def test_waits_the_seconds_of_the_refusal_and_a_little_longer(server: Script, status: int, code: str) -> None:
    server.answers = [refuses(status, code, retry_after="7"), says(200, b"{}")]
    one, waits = transport(server)
    assert one.get("/x").json() == {}
    assert len(waits.seconds) == 1 and 7.0 <= waits.seconds[0] <= 10.5


def test_fails_after_its_retries_with_retry_after(server: Script) -> None:
    server.answers = [refuses(429, "rate_limited", retry_after="7")]
    one, waits = transport(server, retries=3)
    with pytest.raises(twmd.RateLimitedError) as failure:
        one.get("/x")
    assert [failure.value.retry_after, failure.value.request_id, len(server.asked), len(waits.seconds)] == [7.0, "req_1", 4, 3]


def test_does_not_wait_longer_than_max_wait(server: Script) -> None:
    server.answers = [refuses(429, "rate_limited", retry_after="61")]
    one, waits = transport(server)
    with pytest.raises(twmd.RateLimitedError):
        one.get("/x")
    assert [len(server.asked), waits.seconds] == [1, []]


@pytest.mark.parametrize(
    "status, code, kind",
    [
        (400, "malformed_request", twmd.InvalidRequestError),
        (401, "revoked_api_key", twmd.UnauthorizedError),
        (402, "credits_exhausted", twmd.OutOfCreditsError),
        (403, "account_closed", twmd.UnauthorizedError),
        (403, "plan_required", twmd.PlanTooLowError),
        (404, "unknown_dataset", twmd.NotFoundError),
        (410, "release_retired", twmd.NotFoundError),
        (422, "invalid_parameter", twmd.InvalidRequestError),
        (500, "internal", twmd.UnavailableError),
        (504, "query_timeout", twmd.UnavailableError),
    ],
)
def test_a_permanent_refusal_is_raised_immediately(server: Script, status: int, code: str, kind: type[twmd.TwmdError]) -> None:
    server.answers = [refuses(status, code)]
    one, _ = transport(server)
    with pytest.raises(twmd.TwmdError) as failure:
        one.get("/x")
    assert type(failure.value) is kind
    assert [failure.value.code, failure.value.status, failure.value.message, len(server.asked)] == [code, status, f"Because of {code}.", 1]
    assert failure.value.next_step.endswith(f"{server.url}/docs#error-{code} explains {code}.")


def test_a_request_that_may_have_been_charged_is_not_repeated(server: Script) -> None:
    server.answers = [CATALOG, hangs_up]
    with twmd.Client(server.url, KEY) as client, pytest.raises(twmd.UnavailableError, match="It may have been charged"):
        client.read("d")
    assert [path.split("?")[0] for path, _ in server.asked] == ["/v2/datasets", "/d"]


def test_an_incomplete_response_is_an_error(server: Script) -> None:
    server.answers = [CATALOG, says(200, b"half of it", whole=False)]
    with twmd.Client(server.url, KEY) as client, pytest.raises(twmd.UnavailableError, match="It may have been charged"):
        client.read("d")
    assert len(server.asked) == 2


def test_a_failed_connection_names_the_address(server: Script) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}/data"
    with twmd.Client(url, KEY, retries=0) as client, pytest.raises(twmd.UnavailableError) as failure:
        client.read("d", symbol="2330")
    assert f"No connection to {url}/v2/datasets: ConnectError. Check that the service runs there, or set TWMD_URL" in str(failure.value)
    server.answers = [hangs_up]
    with pytest.raises(twmd.UnavailableError, match=f"No response from {server.url}/x: "):
        transport(server)[0].get("/x", {"symbol": "2330"})


def test_a_free_request_is_repeated(server: Script) -> None:
    server.answers = [hangs_up, says(200, b"{}")]
    one, _ = transport(server)
    assert one.get("/x", free=True).json() == {}


IN_FRONT = [says(502, GATEWAY), says(503, GATEWAY, retry_after="0"), says(503, b'{"error": 5}'), says(504, GATEWAY)]


@pytest.mark.parametrize("answer", IN_FRONT)
def test_after_a_proxy_error_only_a_free_request_is_repeated(server: Script, answer: Answer) -> None:
    server.answers = [answer, says(200, b"{}")]
    one, _ = transport(server)
    with pytest.raises(twmd.UnavailableError, match="It may have been charged, so it was not repeated"):
        one.get("/x")
    assert len(server.asked) == 1
    server.asked.clear()
    assert one.get("/x", free=True).json() == {}
    assert len(server.asked) == 2


def test_a_redirected_page_is_a_twmd_error(server: Script) -> None:
    one, _ = transport(server)
    server.answers = [says(302, b"", location="http://elsewhere.example/")]
    with pytest.raises(twmd.UnavailableError, match="redirects to another address"):
        one.get("/x")


@pytest.mark.parametrize("elsewhere", ["http://elsewhere.example/d", "//elsewhere.example/d", "https:elsewhere"])
def test_a_link_to_another_host_is_not_followed(server: Script, elsewhere: str) -> None:
    server.answers = [CATALOG, arrow(3, link=f'<{elsewhere}>; rel="next"')]
    with twmd.Client(server.url, KEY) as client, pytest.raises(twmd.UnavailableError, match="Nothing was sent there"):
        client.read_all("d")
    server.answers = [CATALOG, arrow(3, link=f'<{server.url}/d?page=2>; rel="next"'), arrow(1)]
    server.asked.clear()
    assert twmd.Client(server.url, KEY).read_all("d").num_rows == 4


def test_a_response_of_another_server_is_named_as_such(server: Script) -> None:
    for answers in ([says(200, b"<html>", content_type="text/html")], [CATALOG, says(200, b"<html>", content_type="text/html")]):
        server.asked.clear()
        server.answers = answers
        with twmd.Client(server.url, KEY) as client, pytest.raises(twmd.UnavailableError, match="text/html, which is not from a twmd service"):
            client.read("d")


def test_no_text_contains_the_key(server: Script, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server.answers = [CATALOG, arrow(1), refuses(422, "invalid_parameter"), hangs_up]
    client = twmd.Client(server.url, KEY)
    texts = [repr(client), str(client), repr(vars(client)), repr(vars(client._transport))]
    client.read("d")
    for _ in range(2):
        with pytest.raises(twmd.TwmdError) as failure:
            client.read("d")
        trace = traceback.TracebackException.from_exception(failure.value, capture_locals=True)
        texts += [str(failure.value), repr(failure.value), repr(vars(failure.value)), "".join(trace.format())]
    texts += [record.getMessage() for record in caplog.records]
    assert [headers.get("authorization") for _, headers in server.asked] == [f"Bearer {KEY}"] * 4
    assert len(texts) > 12
    assert [text for text in texts if KEY in text] == []
    assert [path for path, _ in server.asked if KEY in path] == []


def test_a_service_under_a_proxy_path_is_requested_there(server: Script) -> None:
    server.answers = [CATALOG, arrow(3, link='</d?page=2>; rel="next"'), arrow(1)]
    with twmd.Client(f"{server.url}/data/", KEY) as client:
        assert client.read_all("d").num_rows == 4
    assert [path.split("?")[0] for path, _ in server.asked] == ["/data/v2/datasets", "/data/d", "/data/d"]


@pytest.mark.parametrize("key", ["sk_live_a\nb", "sk_live_ａ", "sk live"])
def test_an_invalid_key_is_refused_without_repeating_it(key: str) -> None:
    with pytest.raises(twmd.UnauthorizedError) as failure:
        twmd.Client("http://127.0.0.1:9", key)
    assert key not in "".join(traceback.TracebackException.from_exception(failure.value).format())


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1:8080",
        "ftp://127.0.0.1",
        "http://",
        "https://user:secret@data.example",
        "https://x.example?a=secret",
        "https://x.example#secret",
    ],
)
def test_an_invalid_address_is_refused_without_repeating_it(address: str) -> None:
    with pytest.raises(ValueError, match="base_url must be an http") as failure:
        twmd.Client(address)
    assert "secret" not in str(failure.value)


def test_blanks_around_a_key_are_removed(server: Script) -> None:
    server.answers = [says(200, b'{"data": []}')]
    with twmd.Client(server.url, f" {KEY}\n") as client:
        assert client.datasets() == []
    assert server.asked[0][1]["authorization"] == f"Bearer {KEY}"


def test_pages_are_read_up_to_the_limit(server: Script) -> None:
    server.answers = [CATALOG, arrow(3, link='</d?page=2>; rel="next"'), arrow(3, link='</d?page=3>; rel="next"'), arrow(1)]
    with twmd.Client(server.url, KEY) as client:
        table = client.read_all("d")
        assert [table.num_rows, twmd.about(table).credits_charged, twmd.about(table).more] == [7, 6, False]
        assert [path for path, _ in server.asked][2:] == ["/d?page=2", "/d?page=3"]
        server.asked.clear()
        server.answers = [arrow(3, link='</d?page=2>; rel="next"'), arrow(3, link='</d?page=3>; rel="next"')]
        table = client.read_all("d", limit=4)
    assert [table.num_rows, twmd.about(table).more, len(server.asked)] == [4, True, 2]
