"""What can go wrong, a class for each thing a program may want to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class TwmdError(Exception):
    """A refusal of the service, or no answer from it.

    `code` is stable and one of those that the service explains at `docs_url`; `message` is its sentence; `next_step` says what to
    do now. `status` is the HTTP status, 0 where none came. `request_id` names the request to the operator, `retry_after` is in
    seconds; both are None where the service said nothing. `facts` has everything else the service said.

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
        """Keeps what was said; every class has the same fields."""
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
        """What to do now, in a sentence or two."""
        meant = self.facts.get("did_you_mean")
        guess = f"Did you mean {meant}? " if meant else ""
        where = f" {self.docs_url} explains {self.code}." if self.docs_url else ""
        return f"{guess}{self.advice.format_map(_Facts(self.facts))}{where}"

    def __str__(self) -> str:
        """The sentence, what identifies it, and what to do."""
        named = f"{self.code}, request {self.request_id}" if self.request_id else self.code
        return f"{self.message.rstrip('.')} ({named}). {self.next_step}"


class _Facts(dict[str, Any]):
    """Facts that a sentence names; one the service left out reads as its own name."""

    def __missing__(self, name: str) -> str:
        return name


class UnauthorizedError(TwmdError):
    """No key, one that is wrong, revoked or expired, or an account that is closed."""

    advice = "Set TWMD_API_KEY, or hand api_key to Client."


class PlanTooLowError(TwmdError):
    """The dataset or field needs a higher plan."""

    advice = "It needs the plan {required_plan}; yours is {current_plan}."


class OutOfCreditsError(TwmdError):
    """The credits of this period do not pay for it; nothing was charged."""

    advice = "Credits return at {resets_at}; dry_run says what a read costs."


class RateLimitedError(TwmdError):
    """Too many requests a minute or at once, also after the client waited as often as it may."""

    advice = "Ask less often, or give Client more retries."


class NotFoundError(TwmdError):
    """There is no such dataset, release or path, or the release was let go."""

    advice = "datasets() and releases() list what there is."


class InvalidRequestError(TwmdError):
    """A parameter is missing, malformed or unknown; `facts["faults"]` names each."""

    advice = "Correct the request; sending it again as it is will be refused again."


class UnavailableError(TwmdError):
    """The service cannot answer now, or no answer arrived.

    Where the connection broke after the request was sent, or something in front of the service answered in its place, the read may
    have been charged: the client does not repeat it, and the message says so.
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


def _text(said: object) -> str | None:
    return said if isinstance(said, str) and said else None


def refusal(status: int, body: object, retry_after: float | None, base_url: str, free: bool) -> TwmdError:
    """The error of a refused request, from its status and parsed body; any body will do. Where it is not the service's, nobody knows
    what became of a request that is not `free`.
    """
    said: Mapping[str, Any] = body if isinstance(body, dict) else {}
    error = said.get("error")
    facts: dict[str, Any] = dict(error) if isinstance(error, dict) else {}
    if isinstance(said.get("detail"), list):
        facts["faults"] = said["detail"]
    code, sentence = _text(facts.pop("error_code", None)), _text(facts.pop("error_message", None))
    docs = facts.pop("docs_url", None)
    named = facts.pop("retry_after", retry_after)
    paid = " It may have been charged, so it was not sent again." if status >= 500 and not free else ""
    kind = _BY_STATUS.get(status, InvalidRequestError if 400 <= status < 500 else UnavailableError)
    return (PlanTooLowError if code == "plan_required" else kind)(
        sentence or f"The answer has the status {status} and is not one of the service.{'' if code else paid}",
        code=code or "unexpected_answer",
        status=status,
        request_id=facts.pop("request_id", None),
        retry_after=named if isinstance(named, int | float) else retry_after,
        docs_url=f"{base_url}{docs}" if docs else None,
        facts=facts,
    )
