"""Webhooks that a service sends, and how to know that they come from it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any


class WebhookError(ValueError):
    """The delivery is not from the service, or not of now: answer it with 400 and do nothing."""


def verify_webhook(
    secret: str | Sequence[str],
    headers: Mapping[str, str],
    body: bytes | str,
    *,
    tolerance: float = 300.0,
    now: float | None = None,
) -> Any:
    """The event that a delivery carries, once its signature is proved (Standard Webhooks).

    `body` is what arrived, byte for byte, not parsed and written again. `secret` is `whsec_…` as it was shown, or, while it is
    replaced, several of which one must fit; a delivery then has two signatures, and one that fits is enough. `tolerance` is how many
    seconds the delivery may be away from `now`, which is the machine's clock unless a test says otherwise. A delivery may come twice:
    `webhook-id` is then the same.

    >>> import twmd
    >>> headers = {
    ...     "webhook-id": "msg_1",
    ...     "webhook-timestamp": "1782907200",
    ...     "webhook-signature": "v1,4qv4xzqsn6/CrVzCOn/aA3MyeUWKo4XK4D7RP19TSGQ=",
    ... }
    >>> twmd.verify_webhook("whsec_c2VjcmV0IG9mIGFuIGVuZHBvaW50", headers, b'{"type": "webhook.test"}', now=1782907200)
    {'type': 'webhook.test'}

    :raises WebhookError: where anything is missing, old, or does not fit
    """
    sent = {name.lower(): value for name, value in headers.items()}
    try:
        name, at, signatures = (sent[f"webhook-{part}"] for part in ("id", "timestamp", "signature"))
    except KeyError as missing:
        raise WebhookError(f"The header {missing} is missing.") from None
    if not re.fullmatch(r"[0-9]{1,12}", at) or abs((time.time() if now is None else now) - int(at)) > tolerance:
        raise WebhookError(f"webhook-timestamp is not within {tolerance:g} seconds of now; check this machine's clock.")
    raw = body.encode() if isinstance(body, str) else body
    content = b".".join((name.encode(), at.encode(), raw))
    keys = [_key_of(one) for one in ([secret] if isinstance(secret, str) else secret)]
    expected = [hmac.new(key, content, hashlib.sha256).digest() for key in keys]
    # Every signature is compared, so that time tells nothing of which one fitted.
    fits = [hmac.compare_digest(own, digest) for own in expected for digest in _digests(signatures)]
    if not any(fits):
        raise WebhookError("No signature fits: is this the secret of this endpoint, and the body as it arrived?")
    try:
        return json.loads(raw)
    except ValueError:
        raise WebhookError("The body is not JSON.") from None


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        # Anybody could sign with an empty key: a variable that is not set must not turn the check off.
        raise WebhookError("The secret is not one: it looks like whsec_ and base64.")
    return key


def _digests(signatures: str) -> list[bytes]:
    """Digests of version 1; other versions and what is not base64 as it is written are passed over."""
    found = []
    for version, _, text in (one.partition(",") for one in signatures.split()):
        if version == "v1":
            try:
                digest = base64.b64decode(text, validate=True)
            except (binascii.Error, ValueError):
                continue
            # Several texts of base64 decode to the same bytes; a signature is one of them.
            if base64.b64encode(digest).decode() == text:
                found.append(digest)
    return found
