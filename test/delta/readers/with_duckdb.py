"""DuckDB's delta extension. From PyPI it comes as a file of a package; elsewhere `INSTALL delta` fetches it."""

from pathlib import Path

import duckdb
import duckdb_extension_delta

extension = next(Path(duckdb_extension_delta.__path__[0]).rglob("delta.duckdb_extension"))
connection = duckdb.connect()
connection.execute(f"LOAD '{extension}'")


def rows(table, version):
    scan = f"delta_scan('{table['folder']}'" + (")" if version is None else f", version => {version})")
    return connection.sql(f"FROM {scan}").to_arrow_table()
