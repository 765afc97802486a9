"""Converts a caller's arguments to query parameters and paths."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta, timezone
from typing import Any
from urllib.parse import quote

Day = date | str
Words = str | Iterable[str]

_TAIPEI = timezone(timedelta(hours=8))


def query(asked: dict[str, Any]) -> dict[str, str]:
    """Converts arguments to query parameters.

    Days become text, times become their day in Taipei, and lists are joined by commas. None is
    omitted.
    """
    names = {"start": "start_date", "end": "end_date"}
    return {names.get(name, name): _text(value) for name, value in asked.items() if value is not None}


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return moment_of(value).astimezone(_TAIPEI).date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ",".join(_text(one) for one in value)
    return str(value)


def segment(name: str) -> str:
    """Escapes a name for use in a path."""
    return quote(name, safe="")


def moment_of(since: Day | datetime) -> datetime:
    """Converts a day or time to a moment.

    A day becomes its start in Taipei. A time without a zone is a time in Taipei.
    """
    if isinstance(since, str):
        since = datetime.fromisoformat(re.sub("Z$", "+00:00", since))
    elif not isinstance(since, datetime):
        since = datetime(since.year, since.month, since.day)
    return since if since.tzinfo else since.replace(tzinfo=_TAIPEI)


def as_of_text(as_of: Day | datetime | None) -> str | None:
    """Formats a day, or a moment with its offset, as the service accepts it.

    Other text is not changed.
    """
    return moment_of(as_of).isoformat() if isinstance(as_of, datetime) else None if as_of is None else _text(as_of)
