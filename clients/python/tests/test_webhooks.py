"""Deliveries are accepted only with a matching signature."""

import base64
import hashlib
import hmac
from datetime import datetime, timezone

import pytest
from standardwebhooks import Webhook

import twmd

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_c2VjcmV0IG9mIGFuIGVuZHBvaW50"
BODY = '{"type":"dataset.published","data":{"slug":"daily-prices","名":"台積電"}}'
NOW = 1_782_907_200.0


def signed(secret: str = SECRET, body: str = BODY, at: float = NOW) -> dict[str, str]:
    """Headers signed by the public Standard Webhooks package."""
    moment = datetime.fromtimestamp(at, tz=timezone.utc)
    signature = Webhook(secret).sign("msg_1", moment, body)
    return {"Webhook-Id": "msg_1", "Webhook-Timestamp": str(int(at)), "Webhook-Signature": signature}


def test_accepts_a_signature_of_the_public_package() -> None:
    assert twmd.verify_webhook(SECRET, signed(), BODY.encode(), now=NOW)["data"]["名"] == "台積電"


def test_accepts_either_signature_during_a_rotation() -> None:
    both = f"{signed(OTHER)['Webhook-Signature']} {signed()['Webhook-Signature']} v1a,AAAA"
    for secret in (SECRET, OTHER):
        assert twmd.verify_webhook(secret, {**signed(), "Webhook-Signature": both}, BODY, now=NOW)["type"] == "dataset.published"


def test_accepts_several_secrets_if_one_matches() -> None:
    for secrets in ([SECRET, OTHER], (OTHER, SECRET)):
        assert twmd.verify_webhook(secrets, signed(), BODY, now=NOW)["type"] == "dataset.published"
    third = "whsec_" + base64.b64encode(b"a third secret").decode()
    for wrong in ([OTHER, third], [], [SECRET, ""]):
        with pytest.raises(twmd.WebhookError):
            twmd.verify_webhook(wrong, signed(), BODY, now=NOW)


@pytest.mark.parametrize("away", [-301, 301, 3600])
def test_refuses_a_time_outside_the_tolerance(away: int) -> None:
    with pytest.raises(twmd.WebhookError, match="300 seconds"):
        twmd.verify_webhook(SECRET, signed(at=NOW + away), BODY, now=NOW)
    assert twmd.verify_webhook(SECRET, signed(at=NOW + away), BODY, now=NOW + away)


@pytest.mark.parametrize(
    "change",
    [
        {"Webhook-Id": "msg_2"},
        {"Webhook-Timestamp": str(int(NOW) + 1)},
        {"Webhook-Signature": "v1,"},
        {"Webhook-Signature": "v1,%%%"},
        {"Webhook-Signature": ""},
        {"Webhook-Timestamp": "soon"},
        {"Webhook-Timestamp": "9" * 400},
    ],
)
def test_refuses_a_changed_header(change: dict[str, str]) -> None:
    with pytest.raises(twmd.WebhookError):
        twmd.verify_webhook(SECRET, {**signed(), **change}, BODY, now=NOW)


def test_refuses_a_non_canonical_signature() -> None:
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    text = signed()["Webhook-Signature"]
    twin = text[:-2] + alphabet[alphabet.index(text[-2]) + 1] + "="
    assert base64.b64decode(twin[3:]) == base64.b64decode(text[3:])
    with pytest.raises(twmd.WebhookError):
        twmd.verify_webhook(SECRET, {**signed(), "Webhook-Signature": twin}, BODY, now=NOW)


def test_refuses_another_body_another_secret_and_missing_headers() -> None:
    for secret, headers, body in [(SECRET, signed(), BODY + " "), (OTHER, signed(), BODY), (SECRET, {}, BODY), ("whsec_%", signed(), BODY)]:
        with pytest.raises(twmd.WebhookError):
            twmd.verify_webhook(secret, headers, body, now=NOW)


def test_refuses_an_empty_secret_even_with_a_matching_signature() -> None:
    digest = hmac.new(b"", f"msg_1.{int(NOW)}.{BODY}".encode(), hashlib.sha256).digest()
    headers = {**signed(), "Webhook-Signature": "v1," + base64.b64encode(digest).decode()}
    for secret in ("", "whsec_"):
        with pytest.raises(twmd.WebhookError):
            twmd.verify_webhook(secret, headers, BODY, now=NOW)
