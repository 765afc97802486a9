"""Reads institutional trades into polars data frames.

usage: python3 examples/python/with_polars.py 2330
"""

import json
import os
import re
import sys
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urljoin
from urllib.request import Request, urlopen

import polars as pl

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


def frame(answer):
    """Days become Date, integers Int64, missing values null."""
    return pl.read_ipc_stream(answer.read())


def main(symbol):
    columns = "trade_date,foreign_net_buy,institutional_net_buy_total"
    newest = frame(get(DATASET, symbol=symbol, limit=50, columns=columns, format="arrow"))
    print(f"{symbol}: newest {len(newest)} days")
    if newest.is_empty():
        return
    print(newest.head())

    last = newest["trade_date"].max()
    day = frame(get(f"{DATASET}/cross-section", date=last, columns=f"ticker,{columns}", format="arrow"))
    print(f"\n{last}: {len(day)} tickers, most bought first")
    print(day.sort("institutional_net_buy_total", descending=True, maintain_order=True).head())

    # Every page is charged, so a larger limit costs less.
    history = pl.concat(frame(page) for page in pages(DATASET, symbol=symbol, limit=500, columns=columns, format="arrow"))
    print(f"\n{symbol}: {len(history)} days, by year")
    years = history.group_by(pl.col("trade_date").dt.year().alias("year")).agg(pl.col("institutional_net_buy_total").sum())
    with pl.Config(tbl_rows=-1):
        print(years.sort("year"))


main(*sys.argv[1:2])
