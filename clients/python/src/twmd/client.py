"""The client of a twmd service."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import httpx
import pyarrow as pa

from . import files
from .answers import Estimate, Hit, Update
from .follow import follow
from .questions import Day, Words, as_of_text, moment_of, query, segment
from .tables import cut, following, joined, table_of, to_pandas, to_polars
from .transport import Transport

if TYPE_CHECKING:
    import pandas
    import polars

#: Row limit of the largest plan.
_MOST_ROWS = 100_000
#: Maximum entities per field query.
_MOST_ENTITIES = 100


class Client:
    """A client of one twmd service. Close it, or use it in a `with` statement.

    `base_url` is the address of the service. Default: the environment variable `TWMD_URL`, or the
    local demo if the variable is not set. `api_key` is the API key. Default: the environment
    variable `TWMD_API_KEY`. The key does not appear in repr, logs or errors.

    `timeout` is the maximum number of seconds for each step of a request. If the service refuses a
    request temporarily, the client waits as long as the service requests, and repeats the request
    up to `retries` times. It does not repeat the request if the wait is longer than `max_wait`
    seconds. A request that may have been charged is never repeated.

    Threads may share a client. There is no asynchronous version.

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
        """Creates the client without sending a request."""
        self._transport = Transport(base_url, api_key, timeout=timeout, retries=retries, max_wait=max_wait)
        self._links: dict[str, dict[str, str]] | None = None

    def __repr__(self) -> str:
        """Returns the address of the service, without the key."""
        return f"<twmd.Client of {self._transport.base_url}>"

    def __enter__(self) -> Client:
        """Returns the client itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Closes the client."""
        self.close()

    def close(self) -> None:
        """Closes the connections."""
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
        """Reads one page of rows, newest first.

        `limit` is the maximum number of rows, up to the plan's row limit. Default: 50. `dataset`
        is a slug or an id. `start` and `end` are days, both inclusive. `sort` takes columns, with
        `-` for descending order. `range` filters by numbers, such as `close:600..650` or
        `volume:1000..`. `filters` are filters of the dataset, such as `market="TWSE"` or
        `index_code="IX0001"`. `release` is the id of a release. `as_of` selects the release that
        was served at a moment, or at the end of a day in Taipei. Rows that were announced later
        are left out.

        The metadata of each field contains `unit` and `description`. `twmd.about` returns the
        metadata of the table.

        :raises TwmdError: one of its subclasses, for a refusal or a missing response
        """
        asked: dict[str, Any] = {"symbol": symbol, "start": start, "end": end, "columns": columns, "sort": sort, "range": range}
        asked |= {"limit": limit, "offset": offset, "release": release, **filters}
        return table_of(self._ask(self._path(dataset), asked, as_of))

    def pages(self, dataset: str, *, page: int | None = None, as_of: Day | datetime | None = None, **asked: Any) -> Iterator[pa.Table]:
        """Reads all rows from one release, and yields one table per page.

        Each page is charged as one read.
        `page` is the number of rows per page. Default: the plan's row limit. `limit` is the
        maximum number of rows of all pages together. The other parameters are those of `read`.
        """
        return self._pages(self._path(dataset), page, asked, as_of)

    def read_all(self, dataset: str, *, page: int | None = None, as_of: Day | datetime | None = None, **asked: Any) -> pa.Table:
        """Reads all pages into one table, up to `limit` rows.

        >>> import twmd
        >>> with twmd.Client() as client:
        ...     history = client.read_all("institutional-positioning", symbol="2330", columns="trade_date")
        >>> history.num_rows > 500, twmd.about(history).more
        (True, False)
        """
        return joined(list(self.pages(dataset, page=page, as_of=as_of, **asked)))

    def cross_section(self, dataset: str, date: Day, *, as_of: Day | datetime | None = None, **asked: Any) -> pa.Table:
        """Reads all keys of one day, such as all tickers or a whole yield curve.

        Accepts `columns`, `sort`, `range`, `limit`, `release` and filters.

        >>> import twmd
        >>> with twmd.Client() as client:
        ...     day = client.cross_section("institutional-positioning", "2026-06-30", columns="ticker")
        >>> len(day) > 0
        True
        """
        path = self._path(dataset, "cross_section")
        return joined(list(self._pages(path, None, {"date": date, **asked}, as_of)))

    def pandas(self, dataset: str, **asked: Any) -> pandas.DataFrame:
        """Reads all rows, or the first `limit` rows, into a pandas data frame.

        Calls `read_all` and `to_pandas`.
        """
        return to_pandas(self.read_all(dataset, **asked))

    def polars(self, dataset: str, **asked: Any) -> polars.DataFrame:
        """Reads all rows, or the first `limit` rows, into a polars data frame.

        Calls `read_all` and `to_polars`.
        """
        return to_polars(self.read_all(dataset, **asked))

    def dry_run(self, dataset: str, *, as_of: Day | datetime | None = None, **asked: Any) -> Estimate:
        """Estimates rows, bytes and credits of a `read`. Free.

        >>> import twmd
        >>> with twmd.Client() as client:
        ...     client.dry_run("institutional-positioning", symbol="2330", limit=20_000)["credits"]
        2
        """
        params = {**_params(asked, as_of), "dry_run": "true", "format": "arrow"}
        estimate: Estimate = self._transport.json(self._path(dataset), params, free=True)
        return estimate

    def fields(
        self, entities: Words, fields: Words, *, as_of: Day | None = None, entity_type: str = "company", plain: bool = False
    ) -> pa.Table:
        """Reads values of several datasets. Returns one row per entity and one column per field.

        `as_of` selects the values that were known on a day. Unless `plain` is true, the column of
        a field is followed by `<field>.as_of_date`, `.period`, `.announced_at` and
        `.release_version`. Missing values are null, and `about(table).envelope["missing"]` has the
        reasons. A request for up to 100 entities costs one credit. More entities are split into
        several requests.

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
        """Lists the fields that `fields` can read. Free.

        Each has a description, a unit, the dataset and the required plan.
        """
        answer = self._transport.json("/v2/query/fields", query({"entity_type": entity_type}), free=True)
        listed: list[dict[str, Any]] = answer["data"]
        return listed

    def sql(
        self,
        q: str,
        params: Sequence[Any] | Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        as_of: Day | datetime | None = None,
    ) -> pa.Table:
        """Runs one SELECT over the datasets. A table name has `_` instead of `-`.

        `params` contains the values of `$1`, `$2`, … as a list, or of `$name` as a mapping. `as_of`
        selects the releases that were served at that time. `limit` is the maximum number of rows.
        Default: the plan's row limit.

        >>> import twmd
        >>> with twmd.Client() as client:
        ...     table = client.sql("SELECT count(*) AS n FROM daily_prices WHERE ticker = $1", ["2330"])
        >>> table.column_names
        ['n']
        """
        return table_of(self._transport.get("/v2/sql", {**_sql(q, params, limit, as_of), "format": "arrow"}))

    def dry_sql(
        self,
        q: str,
        params: Sequence[Any] | Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        as_of: Day | datetime | None = None,
    ) -> Estimate:
        """Estimates the price of a `sql` query. Free."""
        estimate: Estimate = self._transport.json("/v2/sql", {**_sql(q, params, limit, as_of), "dry_run": "true"}, free=True)
        return estimate

    def search(self, text: str, *, type: str | None = None, limit: int | None = None) -> list[Hit]:
        """Searches companies, datasets, fields, themes, indices, brokers and branches.

        The best match comes first. Costs one credit.

        >>> import twmd
        >>> with twmd.Client() as client:
        ...     client.search("2330", type="symbol")[0]["id"]
        '2330'
        """
        hits: list[Hit] = self._transport.json("/v2/search", query({"q": text, "type": type, "limit": limit}))["data"]
        return hits

    def datasets(self) -> list[dict[str, Any]]:
        """Lists all datasets with description, price, filters and state.

        Free, and works without a key.
        """
        listed: list[dict[str, Any]] = self._transport.json("/v2/datasets", free=True)["data"]
        return listed

    def schema(self, dataset: str) -> dict[str, Any]:
        """Lists the columns of a dataset with type, unit and description.

        Free, and works without a key.
        """
        found: dict[str, Any] = self._transport.json(f"/v2/datasets/{segment(dataset)}/schema", free=True)
        return found

    def releases(self, dataset: str, *, limit: int = 20) -> list[dict[str, Any]]:
        """Lists retained releases, newest first. Free. `limit` is at most 50."""
        path = f"/v2/datasets/{segment(dataset)}/releases"
        listed: list[dict[str, Any]] = self._transport.json(path, {"limit": str(limit)}, free=True)["data"]
        return listed

    def updates(self, since: Day | datetime, *, dataset: str | None = None, wait: bool = False, every: float = 60.0) -> Iterator[Update]:
        """Yields publications since a time, oldest first. Free, and works without a key.

        A publication states the days to read again. Each publication is returned once.

        If `wait` is true, repeatedly waits `every` seconds and requests new publications, even
        while the service is unavailable. Ends only if the address is not a twmd service.

        To resume later, start an hour before the last `published_at` and skip known `update_id`s.

        >>> import twmd
        >>> with twmd.Client() as client:
        ...     kinds = {update["kind"] for update in client.updates("2020-01-01", dataset="institutional-positioning")}
        >>> "new_rows" in kinds
        True
        """
        return follow(self._transport, moment_of(since), dataset=dataset, wait=wait, every=every)

    def download(self, dataset: str, path: str | os.PathLike[str], *, format: str | None = None, **asked: Any) -> Path:
        """Writes all rows to one file. Returns the path of the file.

        `format` is `parquet`, `arrow` or `csv`. Default: the extension of the file. The file
        appears when it is complete. A failure leaves no file. The other parameters are those of
        `read_all`.
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
        as_of: Day | datetime | None = None,
    ) -> list[Path]:
        """Downloads the Parquet files of a release that may contain the requested rows.

        This is the fastest way to read whole tables. The sha256 of each file is verified. The list
        of files is charged by the number of rows in the files, and the downloads are free. After an
        interruption, the next call resumes the download and skips existing files.

        Filter the rows yourself, because files also contain rows that were not requested. With
        `as_of`, they also contain rows that were announced later.
        """
        asked = _params({"symbol": symbol, "start": start, "end": end, "release": release}, as_of)
        listed = self._transport.json(f"/v2/datasets/{segment(dataset)}/parts", asked)["data"]
        return files.fetch(self._transport, listed, Path(folder))

    def share_profile(self, path: str | os.PathLike[str]) -> Path:
        """Writes a Delta Sharing profile for the service's tables.

        The profile contains the key, so only you can read the file. Use the profile in an
        environment with the package `delta-sharing`:
        `delta_sharing.load_as_pandas("twmd.share#pro.twmd.institutional_positioning")`.

        :raises UnauthorizedError: without a key
        """
        endpoint = f"{self._transport.base_url}/delta-sharing"
        profile = {"shareCredentialsVersion": 1, "endpoint": endpoint, "bearerToken": self._transport.key()}
        return files.write_secret(Path(path), json.dumps(profile))

    def _path(self, dataset: str, kind: str = "read") -> str:
        """Returns the path of a dataset's reads, from the catalog.

        If the catalog does not contain the name, returns the default path. The service then refuses
        the name.
        """
        if self._links is None:
            self._links = {each["slug"]: each["links"] for each in self.datasets()}
        links = self._links.get(dataset.replace("_", "-"), {})
        return links.get(kind) or f"/v2/datasets/{segment(dataset)}{'' if kind == 'read' else '/cross-section'}"

    def _ask(self, path: str, asked: dict[str, Any], as_of: Day | datetime | None) -> httpx.Response:
        return self._transport.get(path, {**_params(asked, as_of), "format": "arrow"})

    def _pages(self, path: str, page: int | None, asked: dict[str, Any], as_of: Day | datetime | None) -> Iterator[pa.Table]:
        most: int | None = asked.get("limit")
        rows = min(page or _MOST_ROWS, _MOST_ROWS if most is None else most)
        response = self._ask(path, {**asked, "limit": rows}, as_of)
        sent = 0
        while True:
            table = cut(table_of(response), None if most is None else most - sent)
            yield table
            sent += table.num_rows
            path_on = following(response)
            if path_on is None or (most is not None and sent >= most):
                return
            response = self._transport.get(path_on)


def _sql(
    q: str, params: Sequence[Any] | Mapping[str, Any] | None, limit: int | None, as_of: Day | datetime | None
) -> dict[str, str]:
    values = None if params is None else json.dumps(params if isinstance(params, Mapping) else list(params), default=str)
    return query({"q": q, "params": values, "limit": limit, "as_of": as_of_text(as_of)})


def _params(asked: dict[str, Any], as_of: Day | datetime | None) -> dict[str, str]:
    if as_of is not None and asked.get("release") is not None:
        raise ValueError("release and as_of both select a release. Use one of them.")
    return query({**asked, "as_of": as_of_text(as_of)})
