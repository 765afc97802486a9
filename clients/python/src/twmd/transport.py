"""Requests and their repetition. What is repeated, and when, is decided here and nowhere else."""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol
from urllib.parse import urlsplit

import httpx

from .errors import TwmdError, UnauthorizedError, UnavailableError, refusal

_LOCAL = "http://127.0.0.1:8080"
#: Nothing was sent when these happen, so nothing can have been charged.
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
#: Statuses of what stands in front of a service and does not reach it.
_GATEWAY = (502, 503, 504)
#: The first wait where the service names none, in seconds; it doubles each time.
_FIRST_WAIT = 0.5


class _Signed(httpx.URL):
    """An address that itself admits. httpx logs addresses, so that this one shows itself without its signature."""

    def __str__(self) -> str:
        return str(self.copy_with(query=None))

    __repr__ = __str__


class _Key(httpx.Auth):
    """A key that is in no repr. httpx hides the header it goes into where it prints headers."""

    def __init__(self, key: str) -> None:
        self._key = key

    def auth_flow(self, request: httpx.Request) -> Iterator[httpx.Request]:  # type: ignore[override]
        request.headers["Authorization"] = f"Bearer {self._key}"
        yield request

    def reveal(self) -> str:
        return self._key


def _key_of(text: str) -> _Key | None:
    """A key without what was pasted around it; None for nothing.

    :raises UnauthorizedError: for what cannot stand in a header, without repeating it
    """
    key = text.strip()
    if not re.fullmatch(r"[!-~]*", key):
        raise UnauthorizedError("The API key holds characters that no key has.", code="invalid_api_key", status=401)
    return _Key(key) if key else None


def _checked(address: str) -> str:
    """An address without the slash at its end; a path belongs to it, where a proxy has the service below one.

    :raises ValueError: for one that is not of the web, or that holds credentials or parameters, without repeating it
    """
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc or "@" in parts.netloc or "?" in address or "#" in address:
        raise ValueError("base_url is http:// or https://, a host and maybe a path; the key belongs into api_key.")
    return address.rstrip("/")


class Sleep(Protocol):
    """Waits so many seconds."""

    def __call__(self, seconds: float, /) -> None:
        """Returns once they are over."""


class Transport:
    """One connection pool to one service."""

    def __init__(
        self, base_url: str | None, api_key: str | None, *, timeout: float, retries: int, max_wait: float, sleep: Sleep = time.sleep
    ) -> None:
        """Reads TWMD_URL and TWMD_API_KEY where nothing is handed over."""
        self.base_url = _checked(base_url or os.environ.get("TWMD_URL") or _LOCAL)
        self._key = _key_of(api_key or os.environ.get("TWMD_API_KEY") or "")
        self._retries, self._max_wait, self._sleep = retries, max_wait, sleep
        self._http = httpx.Client(timeout=httpx.Timeout(timeout, connect=min(timeout, 10.0)), headers={"User-Agent": "twmd-python"})

    def key(self) -> str:
        """The key itself, for files that must hold it.

        :raises UnauthorizedError: where there is none
        """
        if self._key is None:
            raise UnauthorizedError("There is no API key.", code="missing_api_key", status=401)
        return self._key.reveal()

    def close(self) -> None:
        """Ends its connections."""
        self._http.close()

    def get(self, path: str, params: Mapping[str, str] | None = None, *, free: bool = False) -> httpx.Response:
        """A whole answer. `free` says that the request costs nothing, so that it may be repeated whatever happened to it."""
        with self.stream(path, params, free=free) as response:
            try:
                response.read()
            except httpx.HTTPError as failure:
                raise self._broken(failure, path, free) from None
            return response

    def json(self, path: str, params: Mapping[str, str] | None = None, *, free: bool = False) -> Any:
        """An answer that is JSON."""
        response = self.get(path, params, free=free)
        try:
            return response.json()
        except ValueError:
            raise foreign(response) from None

    @contextmanager
    def stream(
        self,
        path: str,
        params: Mapping[str, str] | None = None,
        *,
        free: bool = False,
        headers: Mapping[str, str] | None = None,
        signed: bool = False,
    ) -> Iterator[httpx.Response]:
        """An answer whose body is read by the caller.

        A refusal in which the service says when to come back is waited for and repeated, as is a request that never left: neither
        was charged. What was sent and got no answer of the service may have been charged, and is repeated only where it is `free`.
        `signed`: the address itself admits, so the key stays here.

        :raises TwmdError: for a refusal, or where the repetitions are used up
        """
        url = path if signed else self._address(path)
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            try:
                request = self._http.build_request("GET", url, params=params, headers=headers)
                if signed:
                    request.url = _Signed(url)
                response = self._http.send(request, stream=True, auth=None if signed else self._key)
            except httpx.HTTPError as failure:
                if last or not (free or isinstance(failure, _NOT_SENT)):
                    raise self._broken(failure, path, free) from None
                self._wait(attempt, None)
                continue
            try:
                if response.is_success:
                    yield response
                    return
                error = self._refused(response, free)
            finally:
                response.close()
            if last or not self._comes_back(error, free):
                raise error
            self._wait(attempt, error.retry_after)

    def _address(self, path: str) -> str:
        """Where a path of the service is. A link to another place is not followed, for the key would go along."""
        if path.startswith(f"{self.base_url}/"):
            return path
        if not path.startswith("/") or path.startswith("//"):
            raise UnavailableError("The service leads to another address than its own; nothing was sent there.", code="redirected")
        return f"{self.base_url}{path}"

    def _refused(self, response: httpx.Response, free: bool) -> TwmdError:
        body: Any
        if response.is_redirect:
            raise UnavailableError(
                f"{self.base_url} leads to another address: give Client the one it answers at.",
                code="redirected",
                status=response.status_code,
            )
        try:
            response.read()
            body = response.json()
        except (ValueError, httpx.HTTPError):
            body = None
        return refusal(response.status_code, body, _seconds(response.headers.get("retry-after")), self.base_url, free)

    def _comes_back(self, error: TwmdError, free: bool) -> bool:
        """Whether waiting helps and charges nothing twice: the service says when, or what is free failed in front of it."""
        if error.retry_after is not None and error.retry_after > self._max_wait:
            return False
        if error.code == "unexpected_answer":
            return free and (error.status == 429 or error.status in _GATEWAY)
        return error.status in (429, 503) and error.retry_after is not None

    def _broken(self, failure: httpx.HTTPError, path: str, free: bool) -> UnavailableError:
        """Names what was asked, without its parameters, and what happened by its kind: the texts and objects of httpx hold more."""
        sent = not isinstance(failure, _NOT_SENT)
        what = "No answer came from" if sent else "No connection could be made to"
        address = (path if path.startswith("http") else f"{self.base_url}{path}").split("?")[0]
        paid = " It may have been charged." if sent and not free else ""
        advice = "" if sent else " Does the service listen there? TWMD_URL, or base_url of Client, names another address."
        return UnavailableError(f"{what} {address}: {type(failure).__name__}.{advice}{paid}", code="no_answer")

    def _wait(self, attempt: int, retry_after: float | None) -> None:
        """Waits as long as was said, and up to half as long again, so that many clients do not come back at once."""
        seconds = min(_FIRST_WAIT * 2**attempt, self._max_wait) if retry_after is None else max(retry_after, 0.05)
        self._sleep(seconds * random.uniform(1.0, 1.5))  # noqa: S311


def foreign(response: httpx.Response) -> UnavailableError:
    """An answer that no twmd service gives."""
    kind = response.headers.get("content-type", "nothing")
    return UnavailableError(f"{response.url.host} answers with {kind}: is it a twmd service?", code="unexpected_answer")


def _seconds(header: str | None) -> float | None:
    return float(header) if header and header.isdecimal() else None
