"""Reader: chDB, which is ClickHouse in this process.

It reads local files only below its working folder.
"""

import json
import os

os.chdir("/")
import chdb  # noqa: E402


def rows(table, version):
    settings = "" if version is None else f" SETTINGS delta_lake_snapshot_version = {version}"
    text = str(chdb.query(f"SELECT * FROM {source(table['folder'])}{settings}", "JSONEachRow"))
    read = [json.loads(line) for line in text.splitlines() if line]
    return [{name: typed(value, table["columns"][name]) for name, value in row.items()} for row in read]


def source(folder):
    if not folder.startswith("s3://"):
        return f"deltaLakeLocal('{folder}')"
    url = folder.replace("s3:/", os.environ["AWS_ENDPOINT_URL"])
    return f"deltaLake('{url}/', '{os.environ['AWS_ACCESS_KEY_ID']}', '{os.environ['AWS_SECRET_ACCESS_KEY']}')"


def typed(value, type_):
    """A value in the type of its column, because JSON has no days, instants or 64-bit integers."""
    if value is None or type_ not in ("date", "timestamp", "integer"):
        return value
    import datetime

    if type_ == "date":
        return datetime.date.fromisoformat(value)
    return int(value) if type_ == "integer" else datetime.datetime.fromisoformat(value)
