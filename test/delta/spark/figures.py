"""Measures the same queries with Spark and, if it is installed, DuckDB, over the same files.

Prints the seconds of each query, and its result.

    python figures.py FOLDER_OF_SERIES FOLDER_OF_NAMES DAY TICKER [EARLIER_VERSION]
"""

import json
import sys
import time

from session import session

series, names, day, ticker, *earlier = sys.argv[1:]
QUESTIONS = {
    "count": "SELECT count(*) FROM series",
    "one ticker": f"SELECT count(*), sum(foreign_net_buy) FROM series WHERE ticker = '{ticker}'",
    "one day": f"SELECT count(*), sum(foreign_net_buy) FROM series WHERE trade_date = DATE '{day}'",
    "all rows, by market": "SELECT market, count(*), sum(foreign_net_buy) FROM series GROUP BY market ORDER BY market",
    "join": f"SELECT count(*), sum(s.foreign_net_buy) FROM series s JOIN names n ON n.ticker = s.ticker WHERE s.trade_date = DATE '{day}'",
}
if earlier:
    QUESTIONS["count of an earlier version"] = "SELECT count(*) FROM earlier"


def asked(ask):
    figures = {}
    for name, question in QUESTIONS.items():
        seconds, answer = [], None
        for _ in range(3):
            began = time.perf_counter()
            answer = ask(question)
            seconds.append(time.perf_counter() - began)
        figures[name] = {"first": round(seconds[0], 3), "best": round(min(seconds), 3), "answer": answer}
    return figures


def plain(rows):
    return [[None if value is None else value if isinstance(value, str) else float(value) for value in row] for row in rows]


def of_spark():
    spark = session()
    for name, folder in (("series", series), ("names", names)):
        spark.read.format("delta").load(folder).createOrReplaceTempView(name)
    if earlier:
        spark.read.format("delta").option("versionAsOf", int(earlier[0])).load(series).createOrReplaceTempView("earlier")
    return asked(lambda question: plain(spark.sql(question).collect()))


def of_duckdb():
    try:
        from pathlib import Path

        import duckdb
        import duckdb_extension_delta
    except ImportError:
        return None
    connection = duckdb.connect()
    connection.execute(f"LOAD '{next(Path(duckdb_extension_delta.__path__[0]).rglob('delta.duckdb_extension'))}'")
    for name, folder in (("series", series), ("names", names)):
        connection.execute(f"CREATE VIEW {name} AS FROM delta_scan('{folder}')")
    if earlier:
        connection.execute(f"CREATE VIEW earlier AS FROM delta_scan('{series}', version => {int(earlier[0])})")
    return asked(lambda question: plain(connection.execute(question).fetchall()))


if __name__ == "__main__":
    print(json.dumps({"duckdb": of_duckdb(), "spark": of_spark()}, indent=1))
