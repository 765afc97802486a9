"""Sends requests and repeats them."""

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
#: Errors that occur before anything is sent, so nothing was charged.
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
#: Status codes of a proxy that cannot reach the service.
_GATEWAY = (502, 503, 504)
#: Seconds of the first wait. Each further wait is twice as long.
_FIRST_WAIT = 0.5


class _Signed(httpx.URL):
    """A signed address. The text has no signature, because httpx logs addresses."""

    def __str__(self) -> str:
        return str(self.copy_with(query=None))

    __repr__ = __str__


class _Key(httpx.Auth):
    """Adds the key as a header.

    The repr of this object does not contain the key. httpx hides the header when it prints headers.
    """

    def __init__(self, key: str) -> None:
        self._key = key

    def auth_flow(self, request: httpx.Request) -> Iterator[httpx.Request]:  # type: ignore[override]
        request.headers["Authorization"] = f"Bearer {self._key}"
        yield request

    def reveal(self) -> str:
        return self._key


def _key_of(text: str) -> _Key | None:
    """Removes blanks around a key. Returns None if the key is empty.

    :raises UnauthorizedError: for characters that a header cannot contain. The message does not
    contain the key
    """
    key = text.strip()
    if not re.fullmatch(r"[!-~]*", key):
        raise UnauthorizedError("The API key contains invalid characters.", code="invalid_api_key", status=401)
    return _Key(key) if key else None


def _checked(address: str) -> str:
    """Checks an address and removes the trailing slash. Addresses behind a proxy may have a path.

    :raises ValueError: for another scheme, credentials or parameters. The message does not contain
    the address
    """
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc or "@" in parts.netloc or "?" in address or "#" in address:
        raise ValueError("base_url must be an http:// or https:// address with an optional path. Set the key in api_key.")
    return address.rstrip("/")


class Sleep(Protocol):
    """Type of the function that waits. Tests replace this function."""

    def __call__(self, seconds: float, /) -> None:
        """Returns after this number of seconds."""


class Transport:
    """Sends requests to one service, with one connection pool."""

    def __init__(
        self, base_url: str | None, api_key: str | None, *, timeout: float, retries: int, max_wait: float, sleep: Sleep = time.sleep
    ) -> None:
        """Creates the transport. Missing arguments are read from TWMD_URL and TWMD_API_KEY."""
        self.base_url = _checked(base_url or os.environ.get("TWMD_URL") or _LOCAL)
        self._key = _key_of(api_key or os.environ.get("TWMD_API_KEY") or "")
        self._retries, self._max_wait, self._sleep = retries, max_wait, sleep
        self._http = httpx.Client(timeout=httpx.Timeout(timeout, connect=min(timeout, 10.0)), headers={"User-Agent": "twmd-python"})

    def key(self) -> str:
        """Returns the key, for files that must contain the key.

        :raises UnauthorizedError: if there is no key
        """
        if self._key is None:
            raise UnauthorizedError("There is no API key.", code="missing_api_key", status=401)
        return self._key.reveal()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def get(self, path: str, params: Mapping[str, str] | None = None, *, free: bool = False) -> httpx.Response:
        """Requests a complete response.

        A `free` request is repeated after any temporary failure.
        """
        with self.stream(path, params, free=free) as response:
            try:
                response.read()
            except httpx.HTTPError as failure:
                raise self._broken(failure, path, free) from None
            return response

    def json(self, path: str, params: Mapping[str, str] | None = None, *, free: bool = False) -> Any:
        """Requests a JSON response."""
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
        """Requests a response whose body the caller reads.

        A request that may have been charged is never repeated. `free` requests are repeated after
        any temporary failure. All others are repeated only if they were never sent, or if the
        service refused them and stated a time to retry. With `signed`, the address authorizes the
        request, so the key is not sent.

        :raises TwmdError: for a refusal, or after the last attempt
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
        """Returns the address of a path.

        Rejects other hosts, because they must not receive the key.
        """
        if path.startswith(f"{self.base_url}/"):
            return path
        if not path.startswith("/") or path.startswith("//"):
            raise UnavailableError("The service links to another address. Nothing was sent there.", code="redirected")
        return f"{self.base_url}{path}"

    def _refused(self, response: httpx.Response, free: bool) -> TwmdError:
        body: Any
        if response.is_redirect:
            raise UnavailableError(
                f"{self.base_url} redirects to another address. Pass that address to Client if it is yours.",
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
        """Returns true if another attempt may succeed without a second charge."""
        if error.retry_after is not None and error.retry_after > self._max_wait:
            return False
        if error.code == "unexpected_answer":
            return free and (error.status == 429 or error.status in _GATEWAY)
        return error.status in (429, 503) and error.retry_after is not None

    def _broken(self, failure: httpx.HTTPError, path: str, free: bool) -> UnavailableError:
        """Returns an error that names the path and the kind of failure.

        The errors of httpx are not shown, because these errors contain parameters.
        """
        sent = not isinstance(failure, _NOT_SENT)
        what = "No response from" if sent else "No connection to"
        address = (path if path.startswith("http") else f"{self.base_url}{path}").split("?")[0]
        paid = " It may have been charged." if sent and not free else ""
        advice = "" if sent else " Check that the service runs there, or set TWMD_URL or base_url of Client."
        return UnavailableError(f"{what} {address}: {type(failure).__name__}.{advice}{paid}", code="no_answer")

    def _wait(self, attempt: int, retry_after: float | None) -> None:
        """Waits, and adds a random time of up to half of the wait.

        The random time spreads the retries of several clients.
        """
        seconds = min(_FIRST_WAIT * 2**attempt, self._max_wait) if retry_after is None else max(retry_after, 0.05)
        self._sleep(seconds * random.uniform(1.0, 1.5))  # noqa: S311


def foreign(response: httpx.Response) -> UnavailableError:
    """Returns the error for a response that is not from a twmd service."""
    kind = response.headers.get("content-type", "nothing")
    return UnavailableError(f"{response.url.host} sent {kind}, which is not from a twmd service. Check base_url.", code="unexpected_answer")


def _seconds(header: str | None) -> float | None:
    return float(header) if header and header.isdecimal() else None
