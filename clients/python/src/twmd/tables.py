"""Answers as Arrow tables, what is known of them, and frames made from them."""

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

#: Under this key of the schema's metadata lies what the headers of the answer said.
_ABOUT = b"twmd.answer"


@dataclass(frozen=True)
class About:
    """What is known of a table, beside its rows.

    `release` is the release all rows are of, `data_as_of` its newest day. `credits_charged` is what all requests for the table
    cost together. `more` says that there are rows behind the last one; `limited`, that the plan's row limit kept some back.
    `empty_reason` says why there is no row. `envelope` is what the service sends around the rows: of a field query `missing` is
    in it.
    """

    release: str | None
    data_as_of: str | None
    credits_charged: int
    credits_remaining: int | None
    more: bool
    limited: bool
    warnings: tuple[str, ...]
    known_gaps: tuple[str, ...]
    empty_reason: str | None
    envelope: Mapping[str, Any]


def about(table: pa.Table) -> About:
    """What the service said of a table that the client made.

    >>> import twmd
    >>> with twmd.Client() as client:
    ...     table = client.read("institutional-positioning", symbol="2330", limit=5)
    >>> twmd.about(table).credits_charged
    2

    :raises ValueError: for any other table, also one whose metadata got lost on the way
    """
    kept = (table.schema.metadata or {}).get(_ABOUT)
    if kept is None:
        raise ValueError("Nothing is known of this table: it is not one that a client of twmd made.")
    said = json.loads(kept)
    return About(**{**said, "warnings": tuple(said["warnings"]), "known_gaps": tuple(said["known_gaps"])})


def table_of(response: httpx.Response) -> pa.Table:
    """The rows of an Arrow answer, with what its headers say.

    :raises UnavailableError: for an answer that is something else
    """
    if not response.headers.get("content-type", "").startswith("application/vnd.apache.arrow.stream"):
        raise foreign(response)
    with pa.ipc.open_stream(pa.py_buffer(response.content)) as stream:
        table = stream.read_all()
    headers = response.headers
    envelope = json.loads((table.schema.metadata or {}).get(b"twmd", b"{}"))
    return _tell(
        table,
        About(
            release=headers.get("x-release"),
            data_as_of=headers.get("x-data-as-of"),
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
    """Path of the next page; None on the last."""
    return response.links.get("next", {}).get("url")


def cut(table: pa.Table, most: int | None) -> pa.Table:
    """The first rows of a table that knows whether there are more; None is all of them."""
    if most is None or table.num_rows <= most:
        return table
    return _tell(table.slice(0, most), replace(about(table), more=True))


def joined(tables: Sequence[pa.Table]) -> pa.Table:
    """Pages as one table, at least one: envelope of the first, credits of all, the rest as the last page says."""
    first, last = about(tables[0]), about(tables[-1])
    missing = [entry for one in tables for entry in about(one).envelope.get("missing", ())]
    envelope = {**first.envelope, "missing": missing} if "missing" in first.envelope else first.envelope
    charged = sum(about(one).credits_charged for one in tables)
    limited = last.limited and last.more
    said = replace(last, credits_charged=charged, limited=limited, empty_reason=first.empty_reason, envelope=envelope)
    return _tell(pa.concat_tables(tables), said)


def to_pandas(table: pa.Table) -> pandas.DataFrame:
    """A frame whose types say what the columns hold.

    Days become `datetime64`, whole numbers `Int64`, texts `string`, booleans `boolean`: absent values are `NA`, and 0050 stays a
    text. `frame.attrs["twmd"]` has what `about` says, as a dictionary.

    :raises ImportError: without pandas: `pip install "twmd[pandas]"`
    """
    import pandas as pd

    types = {
        pa.int64(): pd.Int64Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.bool_(): pd.BooleanDtype(),
        pa.string(): pd.StringDtype(),
        pa.large_string(): pd.StringDtype(),
    }
    # Metadata of ours in the schema would end up in attrs as bytes.
    frame = table.replace_schema_metadata(None).to_pandas(types_mapper=types.get, date_as_object=False)
    kept = (table.schema.metadata or {}).get(_ABOUT)
    if kept is not None:
        frame.attrs["twmd"] = json.loads(kept)
    return cast("pandas.DataFrame", frame)


def to_polars(table: pa.Table) -> polars.DataFrame:
    """A frame of polars: days are `Date`, whole numbers `Int64`, absent values null.

    :raises ImportError: without polars: `pip install "twmd[polars]"`
    """
    import polars as pl

    return cast("polars.DataFrame", pl.from_arrow(table))


def _tell(table: pa.Table, said: About) -> pa.Table:
    kept = dict(table.schema.metadata or {})
    kept[_ABOUT] = json.dumps({name: getattr(said, name) for name in About.__dataclass_fields__}).encode()
    return table.replace_schema_metadata(kept)


def _labels(header: str | None) -> tuple[str, ...]:
    return tuple(label.strip() for label in (header or "").split(",") if label.strip())
