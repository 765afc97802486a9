"""Reads files in every format with every reader and compares each cell with JSON.

Takes a folder whose files.json lists the files: name, format, types of the columns in order, rows as JSON has them. Prints what differs.
"""

import datetime
import json
import math
import pathlib
import sys

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.csv
import pyarrow.ipc
import pyarrow.json
import pyarrow.parquet

folder = pathlib.Path(sys.argv[1])


def rows_of(table):
    return table.to_pylist() if isinstance(table, pyarrow.Table) else table.read_all().to_pylist()


def of_pandas(frame):
    return frame.astype(object).to_dict("records")


def text_schema(types):
    return pyarrow.schema([(name, pyarrow.string()) for name in types])


def json_schema(types):
    arrow = {"number": pyarrow.float64(), "integer": pyarrow.int64(), "boolean": pyarrow.bool_()}
    return pyarrow.schema([(name, arrow.get(kind, pyarrow.string())) for name, kind in types.items() if kind != "json"])


def csv_pyarrow(path, types):
    convert = pyarrow.csv.ConvertOptions(
        column_types=text_schema(types), strings_can_be_null=True, quoted_strings_can_be_null=False, null_values=[""]
    )
    parse = pyarrow.csv.ParseOptions(newlines_in_values=True)
    return rows_of(pyarrow.csv.read_csv(path, parse_options=parse, convert_options=convert))


def csv_polars(path, types):
    return polars.read_csv(path, infer_schema=False).to_dicts()


def csv_pandas(path, types):
    return of_pandas(pandas.read_csv(path, dtype=str, keep_default_na=False, na_values=[""]))


def csv_duckdb(path, types):
    return rows_of(duckdb.sql(f"FROM read_csv('{path}', all_varchar = true, header = true, delim = ',', quote = '\"', escape = '\"', allow_quoted_nulls = false)").arrow())


def ndjson_pyarrow(path, types):
    if path.stat().st_size == 0:
        return []
    # This reader guesses types inside JSON values and reads their dates as instants, so JSON
    # columns are left out.
    parse = pyarrow.json.ParseOptions(explicit_schema=json_schema(types), unexpected_field_behavior="ignore")
    return rows_of(pyarrow.json.read_json(path, parse_options=parse))


def ndjson_polars(path, types):
    return polars.read_ndjson(path, infer_schema_length=None).to_dicts() if path.stat().st_size > 0 else []


def ndjson_pandas(path, types):
    return of_pandas(pandas.read_json(path, lines=True, dtype=False, precise_float=True)) if path.stat().st_size > 0 else []


def ndjson_duckdb(path, types):
    if path.stat().st_size == 0:
        return []
    kinds = {"number": "DOUBLE", "integer": "BIGINT", "boolean": "BOOLEAN", "json": "JSON"}
    columns = ", ".join(f"{name}: '{kinds.get(kind, 'VARCHAR')}'" for name, kind in types.items())
    return rows_of(duckdb.sql(f"FROM read_json('{path}', format = 'newline_delimited', columns = {{{columns}}})").arrow())


def arrow_table(path):
    return pyarrow.ipc.open_stream(path).read_all()


def arrow_duckdb(path, types):
    answer = arrow_table(path)
    return rows_of(duckdb.sql("FROM answer").arrow())


READERS = {
    "csv": {"pyarrow": csv_pyarrow, "polars": csv_polars, "pandas": csv_pandas, "duckdb": csv_duckdb},
    "ndjson": {"pyarrow": ndjson_pyarrow, "polars": ndjson_polars, "pandas": ndjson_pandas, "duckdb": ndjson_duckdb},
    "arrow": {
        "pyarrow": lambda path, types: rows_of(arrow_table(path)),
        "polars": lambda path, types: polars.read_ipc_stream(path).to_dicts(),
        "pandas": lambda path, types: of_pandas(arrow_table(path).to_pandas()),
        "duckdb": arrow_duckdb,
    },
    "parquet": {
        "pyarrow": lambda path, types: rows_of(pyarrow.parquet.read_table(path)),
        "polars": lambda path, types: polars.read_parquet(path).to_dicts(),
        "pandas": lambda path, types: of_pandas(pandas.read_parquet(path)),
        "duckdb": lambda path, types: rows_of(duckdb.sql(f"FROM read_parquet('{path}')").arrow()),
    },
}


def instant(value):
    if isinstance(value, str):
        value = datetime.datetime.fromisoformat(value)
    if value.tzinfo is None:
        value = value.replace(tzinfo=datetime.timezone.utc)
    return value.timestamp()


def pruned(value):
    """The value without null members: readers give all objects of a column the same keys."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {key: pruned(inner) for key, inner in value.items() if inner is not None}
    return [pruned(inner) for inner in value] if isinstance(value, list) else value


def nested(value):
    """A list or object of Arrow or Parquet in its JSON form.

    If `_json` is set, it is the whole value.
    """
    if isinstance(value, str):
        return f"text instead of a list or object: {value}"
    whole = value["_json"] if isinstance(value, dict) else None
    return pruned(value) if whole is None else pruned(json.loads(whole))


def cell(value, kind, reader):
    """A value in a form that is common to all readers and JSON."""
    if value is None or value is pandas.NaT or value is pandas.NA or (isinstance(value, float) and math.isnan(value)):
        return None
    # pandas cannot distinguish an empty text from a missing one.
    if kind == "text":
        return None if value == "" and reader == "pandas" else value
    if kind == "date":
        return value if isinstance(value, str) else value.isoformat()[:10]
    if kind == "timestamp":
        return instant(value)
    if kind == "boolean":
        return value == "true" if isinstance(value, str) else bool(value)
    if kind == "json":
        return pruned(json.loads(value) if isinstance(value, str) else value)
    return int(float(value)) if kind == "integer" else float(value)


def compare(file, reader, read):
    types, expected = file["types"], file["rows"]
    found = read(folder / file["file"], types)
    if len(found) != len(expected):
        return f"{len(found)} rows instead of {len(expected)}"
    for row, (got, want) in enumerate(zip(found, expected)):
        left_out = "json" if reader == "pyarrow" and file["format"] == "ndjson" else None
        names = [name for name, kind in types.items() if kind != left_out]
        if list(got) != names:
            return f"columns {list(got)}"
        for name in names:
            kind = types[name]
            is_nested = kind == "json" and file["format"] in ("arrow", "parquet") and got[name] is not None
            a = nested(got[name]) if is_nested else cell(got[name], kind, reader)
            b = pruned(want[name]) if is_nested else cell(want[name], kind, reader)
            if a != b:
                return f"row {row}, {name}: {a!r} instead of {b!r}"
    return None


compared = 0
for file in json.loads((folder / "files.json").read_text("utf-8")):
    for reader, read in READERS[file["format"]].items():
        difference = compare(file, reader, read)
        compared += 1
        if difference:
            print(f"{file['name']} as {file['format']} by {reader}: {difference}")
print(f"compared {compared}")
