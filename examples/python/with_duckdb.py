"""Institutional trades in SQL with DuckDB: over Arrow in memory, and over a history stored as Parquet pages.

usage: python3 examples/python/with_duckdb.py 2330 pages
"""

import json
import os
import re
import sys
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urljoin
from urllib.request import Request, urlopen

import duckdb
import pyarrow as pa

URL = os.environ.get("TWMD_URL", "http://127.0.0.1:8080")
KEY = os.environ.get("TWMD_API_KEY") or json.load(open("data/demo.json"))["keys"]["pro"]
DATASET = "/v2/datasets/institutional-positioning"


def get(path, **params):
    """An open answer: its body to read, and its headers. A refusal ends the program with its message."""
    url = urljoin(URL, path) + ("?" + urlencode(params) if params else "")
    try:
        return urlopen(Request(url, headers={"X-API-Key": KEY}))
    except HTTPError as refusal:
        sys.exit(json.load(refusal)["error"]["error_message"])
    except URLError as failure:
        sys.exit(f"{URL} does not answer: {failure.reason}")


def pages(path, **params):
    """Every page of a read, all of one release: each names the next one."""
    answer = get(path, **params)
    while True:
        yield answer
        following = re.match(r'<([^>]+)>; rel="next"', answer.headers["Link"] or "")
        if not following:
            return
        answer = get(following[1])


def table(answer):
    """An answer in memory; a query names the variable that holds it."""
    with pa.ipc.open_stream(answer) as stream:
        return stream.read_all()


def keep(symbol, folder):
    """Stores a history in a folder of its release, so that pages of two releases never mix."""
    # A larger limit makes fewer pages; every page is charged.
    for number, page in enumerate(pages(DATASET, symbol=symbol, limit=500, format="parquet"), 1):
        kept = Path(folder, f"{symbol}-{page.headers['X-Release']}")
        kept.mkdir(parents=True, exist_ok=True)
        (kept / f"{number}.parquet").write_bytes(page.read())
    return kept


def main(symbol, folder):
    columns = "trade_date,foreign_net_buy,institutional_net_buy_total"
    newest = table(get(DATASET, symbol=symbol, limit=50, columns=columns, format="arrow"))
    print(f"{symbol}: newest {len(newest)} days")
    if not newest:
        return
    duckdb.sql("FROM newest ORDER BY trade_date DESC LIMIT 5").show()

    [(last,)] = duckdb.sql("SELECT max(trade_date) FROM newest").fetchall()
    day = table(get(f"{DATASET}/cross-section", date=last, columns=f"ticker,{columns}", format="arrow"))
    print(f"{last}: {len(day)} tickers, most bought first")
    duckdb.sql("FROM day ORDER BY institutional_net_buy_total DESC, ticker LIMIT 5").show()

    history = duckdb.read_parquet(f"{keep(symbol, folder)}/*.parquet")
    print(f"{symbol}: {len(history)} days, by year")
    duckdb.sql("SELECT year(trade_date) AS year, sum(institutional_net_buy_total) AS net_buy FROM history GROUP BY year ORDER BY year").show()


main(*sys.argv[1:3])
