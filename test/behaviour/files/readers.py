"""Counts the rows of Parquet files behind URLs, and lists the days of one ticker.

Uses DuckDB and polars, and prints JSON.
"""

import glob
import json
import os
import sys

import duckdb
import duckdb_extension_httpfs
import polars

urls = json.loads(sys.argv[1])
extension = glob.glob(os.path.join(os.path.dirname(duckdb_extension_httpfs.__file__), "**", "*.duckdb_extension"), recursive=True)[0]

duck = duckdb.connect()
duck.execute(f"LOAD '{extension}'")
table = f"read_parquet({urls!r})"
days = duck.execute(f"SELECT trade_date::VARCHAR FROM {table} WHERE ticker = '1150' ORDER BY 1").fetchall()
by_duckdb = {"count": duck.execute(f"SELECT count(*) FROM {table}").fetchone()[0], "days": [day for (day,) in days]}

frame = polars.scan_parquet(urls)
one = frame.filter(polars.col("ticker") == "1150").select(polars.col("trade_date").cast(polars.String)).collect()
by_polars = {"count": frame.select(polars.len()).collect().item(), "days": sorted(one["trade_date"].to_list())}

print(json.dumps({"duckdb": by_duckdb, "polars": by_polars}))
