"""Follows publications despite failures."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from conftest import Answer, Script
from scripted import GATEWAY, refuses, says, transport

import twmd
from twmd.follow import follow


def test_follow_yields_each_publication_once_despite_failures(server: Script) -> None:
    def feed(*names: str) -> Answer:
        data = [{"update_id": name, "slug": "d", "published_at": f"2026-07-0{name[-1]}T20:00:00.000+08:00"} for name in names]
        return says(200, json.dumps({"data": data, "has_more": False, "next_cursor": None}).encode())

    # The second publication of the last response is new, but has an earlier time than a known
    # publication.
    server.answers = [feed("d1"), feed("d3", "d1"), refuses(500, "internal"), feed("d3", "d2")]
    one, waits = transport(server)
    since = twmd.questions.moment_of("2026-07-01")
    followed = follow(one, since, dataset=None, wait=True, every=9.0, sleep=waits)
    assert [next(followed)["update_id"] for _ in range(3)] == ["d1", "d3", "d2"]
    assert waits.seconds == [9.0, 9.0, 9.0]
    begun = [parse_qs(urlsplit(path).query)["published_since"][0] for path, _ in server.asked]
    assert [at[:16] for at in begun] == ["2026-07-01T00:00", "2026-07-01T00:00", "2026-07-02T20:00", "2026-07-02T20:00"]


#: A response that ends `follow`.
LAST = refuses(422, "invalid_parameter")


def test_follow_waits_for_a_service_behind_a_proxy(server: Script) -> None:
    nothing = says(200, b'{"data": [], "has_more": false}')
    server.answers = [says(502, GATEWAY), says(429, GATEWAY), nothing, says(302, b"", location="http://elsewhere.example/"), LAST]
    one, waits = transport(server, retries=0)
    with pytest.raises(twmd.UnavailableError, match="redirects to another address"):
        next(follow(one, twmd.questions.moment_of("2026-07-01"), dataset=None, wait=True, every=9.0, sleep=waits))
    assert waits.seconds == [9.0, 9.0, 9.0]


@pytest.mark.parametrize("answer", [says(302, b"", location="http://elsewhere.example/"), says(200, b"<html>", content_type="text/html")])
def test_follow_ends_at_an_address_without_a_service(server: Script, answer: Answer) -> None:
    server.answers = [answer, LAST]
    one, waits = transport(server)
    with pytest.raises(twmd.UnavailableError):
        next(follow(one, twmd.questions.moment_of("2026-07-01"), dataset=None, wait=True, every=9.0, sleep=waits))
    assert waits.seconds == []
