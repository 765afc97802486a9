"""Reads and follows the feed of publications."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timedelta

from .answers import Update
from .errors import RateLimitedError, TwmdError, UnavailableError
from .transport import Sleep, Transport

#: Maximum delay between the time of a publication and its appearance. Each poll therefore requests
#: earlier publications again, and skips known ones.
_OVERLAP = timedelta(days=1)


def publications(transport: Transport, since: datetime | None, dataset: str | None) -> Iterator[Update]:
    """Yields publications, newest first. None selects all times, or all datasets."""
    params = {"published_since": since.isoformat() if since else "2000-01-01", "limit": "1000"}
    if dataset is not None:
        params["dataset"] = dataset
    while True:
        page = transport.json("/v2/updates", params, free=True)
        yield from page["data"]
        if not page["has_more"]:
            return
        params = {"limit": "1000", "cursor": page["next_cursor"]}


def follow(
    transport: Transport, since: datetime, *, dataset: str | None, wait: bool, every: float, sleep: Sleep = time.sleep
) -> Iterator[Update]:
    """Yields each publication once, oldest first.

    If `wait` is true, the iterator does not end, even while the service is unavailable.
    """
    known: dict[str, datetime] = {}
    begin = since
    while True:
        try:
            found = list(publications(transport, begin, dataset))
        except (UnavailableError, RateLimitedError) as failure:
            if not wait or _lasts(failure):
                raise
            found = []
        for update in reversed(found):
            if update["update_id"] not in known:
                known[update["update_id"]] = datetime.fromisoformat(update["published_at"])
                yield update
        if not wait:
            return
        begin = max(since, max(known.values(), default=since) - _OVERLAP)
        known = {name: at for name, at in known.items() if at >= begin}
        sleep(every)


def _lasts(failure: TwmdError) -> bool:
    """Returns true if waiting cannot help, because the address is not that of a twmd service.

    Rate limits of a proxy are temporary, and so are failures of a proxy to reach the service.
    """
    passes = failure.status == 429 or failure.status >= 500
    return failure.code == "redirected" or (failure.code == "unexpected_answer" and not passes)
