"""Queries institutional trades with DuckDB: Arrow in memory, and Parquet files.

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
    """Opens a response. An error response ends the program."""
    url = urljoin(URL, path) + ("?" + urlencode(params) if params else "")
    try:
        return urlopen(Request(url, headers={"X-API-Key": KEY}))
    except HTTPError as refusal:
        sys.exit(json.load(refusal)["error"]["error_message"])
    except URLError as failure:
        sys.exit(f"{URL} does not answer: {failure.reason}")


def pages(path, **params):
    """Yields all pages of a read, from one release."""
    answer = get(path, **params)
    while True:
        yield answer
        following = re.match(r'<([^>]+)>; rel="next"', answer.headers["Link"] or "")
        if not following:
            return
        answer = get(following[1])


def table(answer):
    """Reads a response into memory. Queries use the name of the variable."""
    with pa.ipc.open_stream(answer) as stream:
        return stream.read_all()


def keep(symbol, folder):
    """Stores a history in a folder of its release. Pages of two releases must not be mixed."""
    # Every page is charged, so a larger limit costs less.
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
