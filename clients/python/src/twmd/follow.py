"""The feed of publications: read to its end, followed, and asked what was served when."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timedelta

from .answers import Update
from .errors import NotFoundError, RateLimitedError, TwmdError, UnavailableError
from .transport import Sleep, Transport

#: A publication is seen a little after the time it bears: each round looks back this far and passes over what it knows.
_OVERLAP = timedelta(days=1)


def publications(transport: Transport, since: datetime | None, dataset: str | None) -> Iterator[Update]:
    """Publications since a moment, or all of them, of one dataset or of all, newest first."""
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
    """Publications oldest first, each once; for ever where `wait`, also past a time in which the service does not answer."""
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
    """Whether no waiting helps: what answers is another, or leads elsewhere. A proxy asked too much, or whose service is away, passes."""
    passes = failure.status == 429 or failure.status >= 500
    return failure.code == "redirected" or (failure.code == "unexpected_answer" and not passes)


def release_as_of(transport: Transport, dataset: str, moment: datetime) -> str:
    """The release that was served then. One that was withdrawn since is passed over: the feed lists it no more.

    :raises NotFoundError: where nothing was served yet
    """
    for update in publications(transport, None, dataset):
        if datetime.fromisoformat(update["published_at"]) <= moment:
            return update["release_version"]
    raise NotFoundError(f"Nothing of {dataset} was served by {moment.isoformat()}.", code="no_release")
