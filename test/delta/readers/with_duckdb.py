"""Reader: DuckDB with the extensions delta and httpfs.

From PyPI, they are files of packages. Otherwise, `INSTALL` downloads them.
"""

import os
from pathlib import Path

import duckdb
import duckdb_extension_delta
import duckdb_extension_httpfs

connection = duckdb.connect()
# Values must not depend on the time zone of the machine.
connection.execute("SET TimeZone = 'Asia/Taipei'")
for package in (duckdb_extension_httpfs, duckdb_extension_delta):
    extension = next(Path(package.__path__[0]).rglob("*.duckdb_extension"))
    connection.execute(f"LOAD '{extension}'")
if "AWS_ENDPOINT_URL" in os.environ:
    scheme, host = os.environ["AWS_ENDPOINT_URL"].split("://")
    connection.execute(
        f"""CREATE SECRET (TYPE s3, KEY_ID '{os.environ["AWS_ACCESS_KEY_ID"]}', SECRET '{os.environ["AWS_SECRET_ACCESS_KEY"]}',
            REGION '{os.environ["AWS_REGION"]}', ENDPOINT '{host}', URL_STYLE 'path', USE_SSL {scheme == "https"})"""
    )


def rows(table, version):
    scan = f"delta_scan('{table['folder']}'" + (")" if version is None else f", version => {version})")
    return connection.sql(f"FROM {scan}").to_arrow_table()


def count(table, where):
    return connection.sql(f"SELECT count(*) FROM delta_scan('{table['folder']}') WHERE {where}").fetchone()[0]
