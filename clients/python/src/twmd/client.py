"""The client: every question a reader asks, as a method."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import httpx
import pyarrow as pa

from . import files
from .answers import Estimate, Hit, Update
from .follow import follow, release_as_of
from .questions import Day, Words, end_of, moment_of, query, segment
from .tables import cut, following, joined, table_of, to_pandas, to_polars
from .transport import Transport

if TYPE_CHECKING:
    import pandas
    import polars

#: More than any plan answers with: the plan's row limit applies.
_MOST_ROWS = 100_000
#: As many entities as a field query takes at once.
_MOST_ENTITIES = 100


class Client:
    """A reader of one twmd service. Threads may share it; close it, or use it in a `with` statement.

    `base_url` is `TWMD_URL` of the environment when absent, else the local demo; `api_key` is `TWMD_API_KEY`. The key is in no
    repr, log or error. `timeout` is in seconds, for each step of a request. A request that is refused for a while is repeated
    `retries` times at most, after the wait the service names, and not where that is more than `max_wait` seconds. What may have
    been charged is never repeated. There is no asynchronous form: threads may share a client.

    >>> import twmd
    >>> client = twmd.Client()
    >>> table = client.read("institutional-positioning", symbol="2330", columns=["trade_date", "foreign_net_buy"], limit=2)
    >>> table.column_names, table.num_rows
    (['trade_date', 'foreign_net_buy'], 2)
    >>> client.close()
    """

    def __init__(
        self, base_url: str | None = None, api_key: str | None = None, *, timeout: float = 60.0, retries: int = 4, max_wait: float = 60.0
    ) -> None:
        """Makes no request."""
        self._transport = Transport(base_url, api_key, timeout=timeout, retries=retries, max_wait=max_wait)
        self._links: dict[str, dict[str, str]] | None = None

    def __repr__(self) -> str:
        """The address, and nothing else."""
        return f"<twmd.Client of {self._transport.base_url}>"

    def __enter__(self) -> Client:
        """The client itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Closes it."""
        self.close()

    def close(self) -> None:
        """Ends its connections."""
        self._transport.close()

    def read(
        self,
        dataset: str,
        *,
        symbol: Words | None = None,
        start: Day | None = None,
        end: Day | None = None,
        columns: Words | None = None,
        sort: Words | None = None,
        range: Words | None = None,
        limit: int | None = None,
        offset: int | None = None,
        release: str | None = None,
        as_of: Day | datetime | None = None,
        **filters: object,
    ) -> pa.Table:
        """One answer: the newest rows first, 50 unless `limit` says otherwise, and no more than the plan's rows an answer.

        `dataset` is a slug or an id; `start` and `end` are days, both included; `sort` takes columns, with `-` before those that
        descend; `range` keeps figures between two ends, as `close:600..650` or `volume:1000..`. `filters` are the dataset's own,
        such as `market="TWSE"` or `index_code="IX0001"`. `release` names a release; `as_of` chooses the one that was served at the
        end of that day in Taipei, or at that moment. Field metadata has `unit` and `description` of each column; `twmd.about` says
        the rest.

        :raises TwmdError: one of its subclasses, where the read is refused or no answer comes
        """
        asked: dict[str, Any] = {"symbol": symbol, "start": start, "end": end, "columns": columns, "sort": sort, "range": range}
        asked |= {"limit": limit, "offset": offset, "release": release, **filters}
        return table_of(self._ask(self._path(dataset), dataset, asked, as_of))

    def pages(self, dataset: str, *, page: int | None = None, as_of: Day | datetime | None = None, **asked: Any) -> Iterator[pa.Table]:
        """All rows, a table a page, every page of one release. Each page is charged as a read.

        `page` is the rows of a page, by default as many as the plan answers with. Everything else is as `read` takes it;
        `limit` is how many rows there are at most on all pages.
        """
        return self._pages(self._path(dataset), dataset, page, asked, as_of)

    def read_all(self, dataset: str, *, page: int | None = None, as_of: Day | datetime | None = None, **asked: Any) -> pa.Table:
        """All pages as one table, up to `limit` rows where it is given.

        >>> import twmd
        >>> with twmd.Client() as client:
        ...     history = client.read_all("institutional-positioning", symbol="2330", columns="trade_date")
        >>> history.num_rows > 500, twmd.about(history).more
        (True, False)
        """
        return joined(list(self.pages(dataset, page=page, as_of=as_of, **asked)))

    def cross_section(self, dataset: str, date: Day, *, as_of: Day | datetime | None = None, **asked: Any) -> pa.Table:
        """Every key of one day: all tickers, or a whole curve. Takes `columns`, `sort`, `range`, `limit`, `release` and filters.

        >>> import twmd
        >>> with twmd.Client() as client:
        ...     day = client.cross_section("institutional-positioning", "2026-06-30", columns="ticker")
        >>> len(day) > 0
        True
        """
        path = self._path(dataset, "cross_section")
        return joined(list(self._pages(path, dataset, None, {"date": date, **asked}, as_of)))

    def pandas(self, dataset: str, **asked: Any) -> pandas.DataFrame:
        """A frame of all rows, or of the first `limit`: `to_pandas` of `read_all`."""
        return to_pandas(self.read_all(dataset, **asked))

    def polars(self, dataset: str, **asked: Any) -> polars.DataFrame:
        """A frame of polars of all rows, or of the first `limit`: `to_polars` of `read_all`."""
        return to_polars(self.read_all(dataset, **asked))

    def dry_run(self, dataset: str, *, as_of: Day | datetime | None = None, **asked: Any) -> Estimate:
        """What one `read` would come to: rows, bytes, credits. Free of charge.

        >>> import twmd
        >>> with twmd.Client() as client:
        ...     client.dry_run("institutional-positioning", symbol="2330", limit=20_000)["credits"]
        2
        """
        params = {**self._params(dataset, asked, as_of), "dry_run": "true", "format": "arrow"}
        estimate: Estimate = self._transport.json(self._path(dataset), params, free=True)
        return estimate

    def fields(
        self, entities: Words, fields: Words, *, as_of: Day | None = None, entity_type: str = "company", plain: bool = False
    ) -> pa.Table:
        """Values of several datasets: a row an entity, a column a field. `as_of` answers with what was known on that day.

        Each field is followed by `<field>.as_of_date`, `.period`, `.announced_at` and `.release_version`, unless `plain`. What
        has no value is null, and `about(table).envelope["missing"]` says why. A request takes 100 entities and costs a credit;
        more are asked for in several.

        >>> import twmd
        >>> with twmd.Client() as client:
        ...     table = client.fields(["2330"], ["institutional.foreign_net_buy"], plain=True)
        >>> table.column_names
        ['entity_id', 'institutional.foreign_net_buy']
        """
        ids = [entities] if isinstance(entities, str) else list(entities)
        asked = query({"entity_type": entity_type, "fields": fields, "as_of_date": as_of, "minimal_fields": plain})
        groups = [ids[at : at + _MOST_ENTITIES] for at in range(0, len(ids), _MOST_ENTITIES)] or [[]]
        tables = [
            table_of(self._transport.get("/v2/query", {**asked, "entity_ids": ",".join(group), "format": "arrow"})) for group in groups
        ]
        return joined(tables)

    def field_names(self, entity_type: str | None = None) -> list[dict[str, Any]]:
        """Fields that `fields` takes, each with meaning, unit, dataset and the plan it needs. Free."""
        answer = self._transport.json("/v2/query/fields", query({"entity_type": entity_type}), free=True)
        listed: list[dict[str, Any]] = answer["data"]
        return listed

    def search(self, text: str, *, type: str | None = None, limit: int | None = None) -> list[Hit]:
        """Companies, datasets, fields, themes, indices, brokers and branches, best first. Costs a credit.

        >>> import twmd
        >>> with twmd.Client() as client:
        ...     client.search("2330", type="symbol")[0]["id"]
        '2330'
        """
        hits: list[Hit] = self._transport.json("/v2/search", query({"q": text, "type": type, "limit": limit}))["data"]
        return hits

    def datasets(self) -> list[dict[str, Any]]:
        """Every dataset: what it is, price, filters, state. Free, and without a key."""
        listed: list[dict[str, Any]] = self._transport.json("/v2/datasets", free=True)["data"]
        return listed

    def schema(self, dataset: str) -> dict[str, Any]:
        """Columns of a dataset with type, unit and meaning. Free, and without a key."""
        found: dict[str, Any] = self._transport.json(f"/v2/datasets/{segment(dataset)}/schema", free=True)
        return found

    def releases(self, dataset: str, *, limit: int = 20) -> list[dict[str, Any]]:
        """Releases that are kept, newest first, at most 50. Free."""
        path = f"/v2/datasets/{segment(dataset)}/releases"
        listed: list[dict[str, Any]] = self._transport.json(path, {"limit": str(limit)}, free=True)["data"]
        return listed

    def updates(self, since: Day | datetime, *, dataset: str | None = None, wait: bool = False, every: float = 60.0) -> Iterator[Update]:
        """Publications made since then, oldest first; each tells the days to fetch again. Free, and without a key.

        With `wait` it ends only where something else answers: it asks again `every` so many seconds, also while the service is
        away. No publication is told twice. To go on later, begin an hour before the last `published_at` and pass over every
        `update_id` that was seen.

        >>> import twmd
        >>> with twmd.Client() as client:
        ...     kinds = {update["kind"] for update in client.updates("2020-01-01", dataset="institutional-positioning")}
        >>> "new_rows" in kinds
        True
        """
        return follow(self._transport, moment_of(since), dataset=dataset, wait=wait, every=every)

    def download(self, dataset: str, path: str | os.PathLike[str], *, format: str | None = None, **asked: Any) -> Path:
        """Writes all rows to one file, page by page: `parquet`, `arrow` or `csv`, as the name ends unless told.

        The file appears once it is whole; a failure leaves nothing under its name. Takes what `read_all` takes.
        """
        target = Path(path)
        kind = format or target.suffix.lstrip(".")
        if kind not in files.WRITERS:
            raise ValueError(f"{kind!r} is not one of {', '.join(files.WRITERS)}.")
        return files.write(target, self.pages(dataset, **asked), kind)

    def download_parts(
        self,
        dataset: str,
        folder: str | os.PathLike[str],
        *,
        symbol: Words | None = None,
        start: Day | None = None,
        end: Day | None = None,
        release: str | None = None,
    ) -> list[Path]:
        """The Parquet files of a release that may hold what is asked for, each proved by its sha256.

        The fast way to whole tables. The list is charged by the rows of its files; reading them is free. An interrupted download
        is gone on with by the next call, where it broke off; files that are there already are not fetched again. Filter what you
        read: a file holds more than was asked for.
        """
        asked = query({"symbol": symbol, "start": start, "end": end, "release": release})
        listed = self._transport.json(f"/v2/datasets/{segment(dataset)}/parts", asked)["data"]
        return files.fetch(self._transport, listed, Path(folder))

    def share_profile(self, path: str | os.PathLike[str]) -> Path:
        """Writes the profile by which readers of Delta Sharing attach the service's tables; only you may read the file.

        It holds the key. With `pip install delta-sharing`, in an environment of its own:
        `delta_sharing.load_as_pandas("twmd.share#pro.twmd.institutional_positioning")`.

        :raises UnauthorizedError: without a key
        """
        endpoint = f"{self._transport.base_url}/delta-sharing"
        profile = {"shareCredentialsVersion": 1, "endpoint": endpoint, "bearerToken": self._transport.key()}
        return files.write_secret(Path(path), json.dumps(profile))

    def _path(self, dataset: str, kind: str = "read") -> str:
        """Where a dataset is read, as the service lists it; a name it does not list is left for it to refuse."""
        if self._links is None:
            self._links = {each["slug"]: each["links"] for each in self.datasets()}
        links = self._links.get(dataset.replace("_", "-"), {})
        return links.get(kind) or f"/v2/datasets/{segment(dataset)}{'' if kind == 'read' else '/cross-section'}"

    def _ask(self, path: str, dataset: str, asked: dict[str, Any], as_of: Day | datetime | None) -> httpx.Response:
        return self._transport.get(path, {**self._params(dataset, asked, as_of), "format": "arrow"})

    def _pages(self, path: str, dataset: str, page: int | None, asked: dict[str, Any], as_of: Day | datetime | None) -> Iterator[pa.Table]:
        most: int | None = asked.get("limit")
        rows = min(page or _MOST_ROWS, _MOST_ROWS if most is None else most)
        response = self._ask(path, dataset, {**asked, "limit": rows}, as_of)
        sent = 0
        while True:
            table = cut(table_of(response), None if most is None else most - sent)
            yield table
            sent += table.num_rows
            path_on = following(response)
            if path_on is None or (most is not None and sent >= most):
                return
            response = self._transport.get(path_on)

    def _params(self, dataset: str, asked: dict[str, Any], as_of: Day | datetime | None) -> dict[str, str]:
        if as_of is None:
            return query(asked)
        if asked.get("release") is not None:
            raise ValueError("release and as_of both name a release; give one of them.")
        return query({**asked, "release": release_as_of(self._transport, dataset, end_of(as_of))})
