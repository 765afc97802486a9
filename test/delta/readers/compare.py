"""Reads open tables with one engine. Compares the rows of every version with those of the service.

The rows of the service were recorded when it served that version.

    python compare.py READER FOLDER

READER is a module in the folder of this file. Its function `rows(table, version)` returns a list of
dicts, or an object with `to_pylist()`, for example an Arrow table. `version` is None for the newest
version. FOLDER contains tables.json, a list of tables:

    slug, name    of the dataset, and of the table
    folder        folder or URL of the table
    columns       {name: type as the catalog declares it}, in the order of the parts
    versions      [{version, release, rows}], oldest first; rows as the JSON API sends them

A reader in SQL may also have a function `count(table, where)`: the number of rows of the newest
version that meet a condition. Such a query opens only the parts whose statistics allow the values.
"""

import datetime
import importlib
import json
import math
import os
import sys
from pathlib import Path

TAIPEI = datetime.timezone(datetime.timedelta(hours=8))


def instant(value):
    """Microseconds since 1970. A timestamp without a zone is in UTC."""
    if isinstance(value, str):
        value = datetime.datetime.fromisoformat(value)
    if hasattr(value, "to_pydatetime"):
        value = value.to_pydatetime()
    if value.tzinfo is None:
        value = value.replace(tzinfo=datetime.timezone.utc)
    return round(value.timestamp() * 1_000_000)


def is_null(value):
    return value is None or type(value).__name__ in ("NaTType", "NAType") or (isinstance(value, float) and math.isnan(value))


def found(value, type_):
    """A value of an engine as JSON would send it. A value of another type than the column is unchanged, so it is reported."""
    if is_null(value):
        return None
    if type_ == "date":
        day = value.date() if isinstance(value, datetime.datetime) else value
        return day.isoformat() if isinstance(day, datetime.date) else f"no date: {value!r}"
    if type_ == "timestamp":
        return instant(value)
    if type_ == "json":
        return json.loads(value)
    if type_ == "boolean":
        return bool(value) if type(value).__name__ in ("bool", "bool_") else f"no boolean: {value!r}"
    if type_ in ("integer", "number"):
        return float(value) if not isinstance(value, (str, bool)) else f"no number: {value!r}"
    return value if isinstance(value, str) else f"no text: {value!r}"


def sent(value, type_):
    """A value of the API, in the form that `found` returns for the engine's values."""
    if value is None or type_ not in ("timestamp", "integer", "number"):
        return value
    return instant(value) if type_ == "timestamp" else float(value)


def in_order(rows):
    return sorted(json.dumps(row, ensure_ascii=False, sort_keys=True) for row in rows)


def condition(row, columns):
    """The values of a row's text and date columns, as a condition in SQL."""
    prefix = {"text": "", "date": "DATE "}
    return " AND ".join(
        f'"{name}" IS NULL' if row[name] is None else f'"{name}" = {prefix[type_]}{quoted(row[name])}'
        for name, type_ in columns.items()
        if type_ in prefix
    )


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def miscounted(reader, table):
    """Counts with a condition for each of the newest version's rows, at most ten."""
    columns, rows = table["columns"], table["versions"][-1]["rows"]
    conditions = [condition(row, columns) for row in rows]
    for where in list(dict.fromkeys(filter(None, conditions)))[:10]:
        counted = reader.count(table, where)
        if counted != conditions.count(where):
            yield f"{table['slug']}: {counted} rows for {conditions.count(where)} where {where[:300]}"


def differences(reader, table):
    columns = table["columns"]
    newest = len(table["versions"]) - 1
    for number, version in enumerate(table["versions"]):
        expected = in_order([{name: sent(row[name], type_) for name, type_ in columns.items()} for row in version["rows"]])
        for asked in [number, None] if number == newest else [number]:
            got = reader.rows(table, asked)
            got = got.to_pylist() if hasattr(got, "to_pylist") else got
            if got and list(got[0]) != list(columns):
                yield f"{table['slug']} version {asked}: columns {list(got[0])}"
                continue
            rows = in_order([{name: found(row[name], type_) for name, type_ in columns.items()} for row in got])
            if rows != expected:
                pair = next(((a, b) for a, b in zip(rows, expected) if a != b), None)
                yield f"{table['slug']} version {asked}: {len(rows)} rows for {len(expected)}; first difference {pair}"
    if hasattr(reader, "count"):
        yield from miscounted(reader, table)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    reader = importlib.import_module(sys.argv[1])
    tables = json.loads((Path(sys.argv[2]) / "tables.json").read_text())
    # A reader that reads only the newest version sets NEWEST_ONLY.
    if getattr(reader, "NEWEST_ONLY", False):
        for table in tables:
            table["versions"] = table["versions"][-1:]
    wrong = []
    for table in tables:
        try:
            wrong.extend(differences(reader, table))
        except Exception as error:
            wrong.append(f"{table['slug']}: {type(error).__name__}: {str(error)[:300]}")
    print(json.dumps({"versions": sum(len(table["versions"]) for table in tables), "wrong": wrong}, ensure_ascii=False), flush=True)
    # A normal exit may abort while threads of pyarrow still read through delta-rs.
    os._exit(0)
