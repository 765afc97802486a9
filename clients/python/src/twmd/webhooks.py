"""Verifies webhooks."""

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
    """The delivery is forged or too old. Respond with status 400 and ignore the delivery."""


def verify_webhook(
    secret: str | Sequence[str],
    headers: Mapping[str, str],
    body: bytes | str,
    *,
    tolerance: float = 300.0,
    now: float | None = None,
) -> Any:
    """Verifies a delivery's signature (Standard Webhooks) and returns its event.

    `body` is the unmodified body. `secret` is the secret of the endpoint, `whsec_…`. During a
    rotation, pass several secrets, of which one must match. `tolerance` is the maximum difference
    in seconds between the time of the delivery and `now`, by default the clock of this machine. A
    delivery may arrive twice with the same `webhook-id`.

    >>> import twmd
    >>> headers = {
    ...     "webhook-id": "msg_1",
    ...     "webhook-timestamp": "1782907200",
    ...     "webhook-signature": "v1,4qv4xzqsn6/CrVzCOn/aA3MyeUWKo4XK4D7RP19TSGQ=",
    ... }
    >>> twmd.verify_webhook("whsec_c2VjcmV0IG9mIGFuIGVuZHBvaW50", headers, b'{"type": "webhook.test"}', now=1782907200)
    {'type': 'webhook.test'}

    :raises WebhookError: if a header is missing, or the delivery is old or not signed
    """
    sent = {name.lower(): value for name, value in headers.items()}
    try:
        name, at, signatures = (sent[f"webhook-{part}"] for part in ("id", "timestamp", "signature"))
    except KeyError as missing:
        raise WebhookError(f"The header {missing} is missing.") from None
    if not re.fullmatch(r"[0-9]{1,12}", at) or abs((time.time() if now is None else now) - int(at)) > tolerance:
        raise WebhookError(f"webhook-timestamp is not within {tolerance:g} seconds of now. Check this machine's clock.")
    raw = body.encode() if isinstance(body, str) else body
    content = b".".join((name.encode(), at.encode(), raw))
    keys = [_key_of(one) for one in ([secret] if isinstance(secret, str) else secret)]
    expected = [hmac.new(key, content, hashlib.sha256).digest() for key in keys]
    # Compare every signature, so that the time does not depend on the matching one.
    matches = [hmac.compare_digest(own, digest) for own in expected for digest in _digests(signatures)]
    if not any(matches):
        raise WebhookError("No signature matches. Check the endpoint's secret, and pass the unmodified body.")
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
        # An empty secret, for example an unset variable, must not disable the check.
        raise WebhookError("Invalid secret: expected whsec_ and base64.")
    return key


def _digests(signatures: str) -> list[bytes]:
    """Returns the digests of version 1.

    Skips other versions, and base64 that is invalid or not canonical.
    """
    found = []
    for version, _, text in (one.partition(",") for one in signatures.split()):
        if version == "v1":
            try:
                digest = base64.b64decode(text, validate=True)
            except (binascii.Error, ValueError):
                continue
            # Several base64 texts decode to the same bytes. Only the canonical text is accepted.
            if base64.b64encode(digest).decode() == text:
                found.append(digest)
    return found
