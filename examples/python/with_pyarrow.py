"""Reads institutional trades with pyarrow, and stores a history as Parquet files.

usage: python3 examples/python/with_pyarrow.py 2330 pages
"""

import json
import os
import re
import sys
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urljoin
from urllib.request import Request, urlopen

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

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


def show(table):
    """Prints a table with the unit of each column."""
    units = [(field.metadata or {}).get(b"unit", b"").decode() for field in table.schema]
    print(*[f"{name} ({unit})" if unit else name for name, unit in zip(table.column_names, units)], sep="\t")
    for row in table.to_pylist():
        print(*row.values(), sep="\t")


def stream(answer):
    """Reads a response batch by batch, as it arrives."""
    with pa.ipc.open_stream(answer) as batches:
        return pa.Table.from_batches(list(batches), batches.schema)


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
    newest = stream(get(DATASET, symbol=symbol, limit=50, columns=columns, format="arrow"))
    print(f"{symbol}: newest {len(newest)} days")
    if not newest:
        return
    show(newest.slice(0, 5))

    last = newest["trade_date"][0]
    day = stream(get(f"{DATASET}/cross-section", date=last, columns=f"ticker,{columns}", format="arrow"))
    print(f"\n{last}: {len(day)} tickers, most bought first")
    show(day.sort_by([("institutional_net_buy_total", "descending")]).slice(0, 5))

    history = ds.dataset(keep(symbol, folder), format="parquet").to_table(columns=["trade_date", "institutional_net_buy_total"])
    print(f"\n{symbol}: {len(history)} days, by year")
    years = history.append_column("year", pc.year(history["trade_date"])).group_by("year")
    show(years.aggregate([("institutional_net_buy_total", "sum")]).sort_by("year"))


main(*sys.argv[1:3])
