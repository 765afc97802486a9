"""Converts responses to Arrow tables with metadata, and to data frames."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import httpx
import pyarrow as pa

from .transport import foreign

if TYPE_CHECKING:
    import pandas
    import polars

#: Key of the answer's metadata in the schema's metadata.
_ABOUT = b"twmd.answer"


@dataclass(frozen=True)
class About:
    """Metadata of a table.

    `release` is the release of all rows, and `data_as_of` is the newest day of the release. `as_of`
    is the parameter of the read. `credits_charged` is the cost of all requests for the table.
    `more` is true if there are more rows. `limited` is true if the plan's row limit reduced the
    number of rows. `empty_reason` states why there are no rows. `envelope` is the metadata in the
    body of the answer. For a field query, it contains `missing`.
    """

    release: str | None
    data_as_of: str | None
    as_of: str | None
    credits_charged: int
    credits_remaining: int | None
    more: bool
    limited: bool
    warnings: tuple[str, ...]
    known_gaps: tuple[str, ...]
    empty_reason: str | None
    envelope: Mapping[str, Any]


def about(table: pa.Table) -> About:
    """Returns the metadata of a table that the client returned.

    >>> import twmd
    >>> with twmd.Client() as client:
    ...     table = client.read("institutional-positioning", symbol="2330", limit=5)
    >>> twmd.about(table).credits_charged
    2

    :raises ValueError: for a table without this metadata
    """
    metadata = (table.schema.metadata or {}).get(_ABOUT)
    if metadata is None:
        raise ValueError("This table has no metadata of an answer. Pass a table that twmd.Client returned, unmodified.")
    fields = json.loads(metadata)
    return About(**{**fields, "warnings": tuple(fields["warnings"]), "known_gaps": tuple(fields["known_gaps"])})


def table_of(response: httpx.Response) -> pa.Table:
    """Returns the rows of an Arrow response, with the metadata in the headers.

    :raises UnavailableError: if the response is not an Arrow response
    """
    if not response.headers.get("content-type", "").startswith("application/vnd.apache.arrow.stream"):
        raise foreign(response)
    with pa.ipc.open_stream(pa.py_buffer(response.content)) as stream:
        table = stream.read_all()
    headers = response.headers
    envelope = json.loads((table.schema.metadata or {}).get(b"twmd", b"{}"))
    return _with_about(
        table,
        About(
            release=headers.get("x-release"),
            data_as_of=headers.get("x-data-as-of"),
            as_of=headers.get("x-as-of"),
            credits_charged=int(headers.get("x-credits-charged", 0)),
            credits_remaining=int(headers["x-credits-remaining"]) if "x-credits-remaining" in headers else None,
            more=following(response) is not None,
            limited=headers.get("x-row-limit", "").endswith("limited"),
            warnings=_labels(headers.get("x-warnings")),
            known_gaps=_labels(headers.get("x-known-gaps")),
            empty_reason=headers.get("x-empty-reason"),
            envelope=envelope,
        ),
    )


def following(response: httpx.Response) -> str | None:
    """Returns the path of the next page. None on the last page."""
    return response.links.get("next", {}).get("url")


def cut(table: pa.Table, most: int | None) -> pa.Table:
    """Returns the first `most` rows of a table. None returns all rows.

    If rows are cut off, the metadata states that there are more rows.
    """
    if most is None or table.num_rows <= most:
        return table
    return _with_about(table.slice(0, most), replace(about(table), more=True))


def joined(tables: Sequence[pa.Table]) -> pa.Table:
    """Joins pages to one table.

    The metadata has the envelope of the first page and the credits of all pages. All other values
    are those of the last page.
    """
    first, last = about(tables[0]), about(tables[-1])
    missing = [entry for one in tables for entry in about(one).envelope.get("missing", ())]
    envelope = {**first.envelope, "missing": missing} if "missing" in first.envelope else first.envelope
    charged = sum(about(one).credits_charged for one in tables)
    limited = last.limited and last.more
    joint = replace(last, credits_charged=charged, limited=limited, empty_reason=first.empty_reason, envelope=envelope)
    return _with_about(pa.concat_tables(tables), joint)


def nested_as_json(table: pa.Table) -> pa.Table:
    """Converts lists and objects to JSON text, for formats that support neither."""
    for index, field in enumerate(table.schema):
        if pa.types.is_nested(field.type):
            texts = [None if value is None else _json_text(value) for value in table.column(index).to_pylist()]
            table = table.set_column(index, pa.field(field.name, pa.string(), metadata=field.metadata), pa.array(texts, pa.string()))
    return table


def _json_text(value: dict[str, Any] | list[Any]) -> str:
    # If the declared members cannot hold the whole value, `_json` contains it.
    whole = value.get("_json") if isinstance(value, dict) else None
    return whole if isinstance(whole, str) else json.dumps(_present(value), ensure_ascii=False, separators=(",", ":"))


def _present(value: Any) -> Any:
    """Removes members that are null.

    A member that is absent in JSON is null in Arrow.
    """
    if isinstance(value, dict):
        return {name: _present(member) for name, member in value.items() if member is not None}
    return [_present(element) for element in value] if isinstance(value, list) else value


def to_pandas(table: pa.Table) -> pandas.DataFrame:
    """Converts a table to a pandas data frame with nullable types.

    Days become `datetime64`, integers `Int64`, texts `string`, and booleans `boolean`. Missing
    values become `NA`, and codes such as 0050 remain text. Objects become dictionaries, and arrays
    become NumPy arrays.
    `frame.attrs["twmd"]` has the fields of `about` as a dictionary.

    :raises ImportError: if pandas is not installed: `pip install "twmd[pandas]"`
    """
    import pandas as pd

    types = {
        pa.int64(): pd.Int64Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.bool_(): pd.BooleanDtype(),
        pa.string(): pd.StringDtype(),
        pa.large_string(): pd.StringDtype(),
    }
    # The schema metadata of the client would appear in attrs as bytes.
    frame = table.replace_schema_metadata(None).to_pandas(types_mapper=types.get, date_as_object=False)
    metadata = (table.schema.metadata or {}).get(_ABOUT)
    if metadata is not None:
        frame.attrs["twmd"] = json.loads(metadata)
    return cast("pandas.DataFrame", frame)


def to_polars(table: pa.Table) -> polars.DataFrame:
    """Converts a table to a polars data frame.

    Days become `Date`, integers `Int64`, objects `Struct`, and arrays `List`. Missing values are
    null.

    :raises ImportError: if polars is not installed: `pip install "twmd[polars]"`
    """
    import polars as pl

    return cast("polars.DataFrame", pl.from_arrow(table))


def _with_about(table: pa.Table, about: About) -> pa.Table:
    metadata = dict(table.schema.metadata or {})
    metadata[_ABOUT] = json.dumps({name: getattr(about, name) for name in About.__dataclass_fields__}).encode()
    return table.replace_schema_metadata(metadata)


def _labels(header: str | None) -> tuple[str, ...]:
    return tuple(label.strip() for label in (header or "").split(",") if label.strip())
