"""Reads institutional trades into pandas data frames, from Arrow and from CSV.

usage: python3 examples/python/with_pandas.py 2330
"""

import json
import os
import re
import sys
from io import BytesIO
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urljoin
from urllib.request import Request, urlopen

import pandas as pd
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


def from_arrow(answer):
    """Days become datetime64, integers int64, missing values NA."""
    with pa.ipc.open_stream(answer) as stream:
        return stream.read_pandas(date_as_object=False)


def from_csv(answer):
    """Reads the ticker as text. Otherwise, 0050 would become 50."""
    return pd.read_csv(BytesIO(answer.read()), dtype={"ticker": "string"}, parse_dates=["trade_date"])


def main(symbol):
    columns = "trade_date,foreign_net_buy,institutional_net_buy_total"
    newest = from_arrow(get(DATASET, symbol=symbol, limit=50, columns=columns, format="arrow"))
    print(f"{symbol}: newest {len(newest)} days")
    if newest.empty:
        return
    print(newest.head().to_string(index=False))

    last = newest["trade_date"].max().date()
    day = from_csv(get(f"{DATASET}/cross-section", date=last, columns=f"ticker,{columns}", format="csv"))
    print(f"\n{last}: {len(day)} tickers, most bought first")
    print(day.sort_values("institutional_net_buy_total", ascending=False, kind="stable").head().to_string(index=False))

    # Every page is charged, so a larger limit costs less.
    history = pd.concat(from_arrow(page) for page in pages(DATASET, symbol=symbol, limit=500, columns=columns, format="arrow"))
    print(f"\n{symbol}: {len(history)} days, by year")
    years = history.groupby(history["trade_date"].dt.year.rename("year"))["institutional_net_buy_total"].sum()
    print(years.reset_index().to_string(index=False))


main(*sys.argv[1:2])
