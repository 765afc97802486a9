"""Errors of the client and of the service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class TwmdError(Exception):
    """A refusal of the service, or a missing response.

    `code` never changes for an error. `docs_url` is the page that explains the code. `message` is
    the message of the service, and `next_step` states what to do. `status` is the HTTP status, or
    0 if there was no response. `request_id` identifies the request for support, and `retry_after`
    is a number of seconds. Both may be None. `facts` has the other fields of the error.

    >>> import twmd
    >>> with twmd.Client() as client:
    ...     client.read("institutional-positioning", symbol="x")
    Traceback (most recent call last):
    twmd.errors.InvalidRequestError: symbol must look like 2330 (invalid_parameter, request req_...). Correct the request...
    """

    advice = "Look the code up."

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int = 0,
        request_id: str | None = None,
        retry_after: float | None = None,
        docs_url: str | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        """Creates an error. All classes have the same fields."""
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after
        self.docs_url = docs_url
        self.facts: Mapping[str, Any] = facts or {}

    @property
    def next_step(self) -> str:
        """Returns the next step, in one or two sentences."""
        meant = self.facts.get("did_you_mean")
        guess = f"Did you mean {meant}? " if meant else ""
        where = f" {self.docs_url} explains {self.code}." if self.docs_url else ""
        return f"{guess}{self.advice.format_map(_Facts(self.facts))}{where}"

    def __str__(self) -> str:
        """Returns the message, the code, the request id and the next step."""
        named = f"{self.code}, request {self.request_id}" if self.request_id else self.code
        return f"{self.message.rstrip('.')} ({named}). {self.next_step}"


class _Facts(dict[str, Any]):
    """Values of the placeholders in a sentence.

    A placeholder without a value is replaced by its name.
    """

    def __missing__(self, name: str) -> str:
        return name


class UnauthorizedError(TwmdError):
    """The key is missing, wrong, revoked or expired, or the account is closed."""

    advice = "Set TWMD_API_KEY, or pass api_key to Client."


class PlanTooLowError(TwmdError):
    """The dataset or field requires a higher plan."""

    advice = "It requires the plan {required_plan}; yours is {current_plan}."


class OutOfCreditsError(TwmdError):
    """The account has too few credits in this period. Nothing was charged."""

    advice = "Credits renew at {resets_at}. dry_run returns the cost of a read."


class RateLimitedError(TwmdError):
    """The client sent too many requests per minute or too many concurrent requests.

    The client's retries did not help.
    """

    advice = "Send fewer requests, or create Client with more retries."


class NotFoundError(TwmdError):
    """The dataset, release or path does not exist, or the release was deleted."""

    advice = "datasets() and releases() list the available ones."


class InvalidRequestError(TwmdError):
    """A parameter is missing, malformed or unknown. `facts["faults"]` lists all faults."""

    advice = "Correct the request; repeating it unchanged will fail again."


class UnavailableError(TwmdError):
    """The service is unavailable, or there was no response.

    The read may have been charged if the connection failed after the request was sent, or if a
    proxy responded instead of the service. The client does not repeat such a read. The error
    message states that the read may have been charged.
    """

    advice = "Try again later."


_BY_STATUS: Mapping[int, type[TwmdError]] = {
    401: UnauthorizedError,
    402: OutOfCreditsError,
    403: UnauthorizedError,
    404: NotFoundError,
    408: UnavailableError,
    410: NotFoundError,
    429: RateLimitedError,
}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def refusal(status: int, body: object, retry_after: float | None, base_url: str, free: bool) -> TwmdError:
    """Returns the error for a refused request. `body` is the parsed body, in any form.

    If another program sent the body, it is unknown whether the request was charged. A `free`
    request is never charged.
    """
    fields: Mapping[str, Any] = body if isinstance(body, dict) else {}
    error = fields.get("error")
    facts: dict[str, Any] = dict(error) if isinstance(error, dict) else {}
    if isinstance(fields.get("detail"), list):
        facts["faults"] = fields["detail"]
    code, sentence = _text(facts.pop("error_code", None)), _text(facts.pop("error_message", None))
    docs = facts.pop("docs_url", None)
    named = facts.pop("retry_after", retry_after)
    paid = " It may have been charged, so it was not repeated." if status >= 500 and not free else ""
    kind = _BY_STATUS.get(status, InvalidRequestError if 400 <= status < 500 else UnavailableError)
    return (PlanTooLowError if code == "plan_required" else kind)(
        sentence or f"The response has the status {status} and is not from the service.{'' if code else paid}",
        code=code or "unexpected_answer",
        status=status,
        request_id=facts.pop("request_id", None),
        retry_after=named if isinstance(named, int | float) else retry_after,
        docs_url=f"{base_url}{docs}" if docs else None,
        facts=facts,
    )
