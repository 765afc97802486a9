"""Reads institutional trades with the package of clients/python.

usage: python3 examples/python/with_twmd.py 2330
"""

import json
import os
import sys

import twmd

KEY = os.environ.get("TWMD_API_KEY") or json.load(open("data/demo.json"))["keys"]["pro"]
DATASET = "institutional-positioning"


def main(symbol):
    columns = ["trade_date", "foreign_net_buy", "institutional_net_buy_total"]
    with twmd.Client(api_key=KEY) as client:
        newest = client.pandas(DATASET, symbol=symbol, limit=50, columns=columns)
        print(f"{symbol}: newest {len(newest)} days")
        if newest.empty:
            return
        print(newest.head().to_string(index=False))

        last = newest["trade_date"].max().date()
        day = twmd.to_pandas(client.cross_section(DATASET, last, sort="-institutional_net_buy_total,ticker", columns=["ticker", *columns]))
        print(f"\n{last}: {len(day)} tickers, most bought first")
        print(day.head().to_string(index=False))

        history = client.pandas(DATASET, symbol=symbol, columns=columns)
        print(f"\n{symbol}: {len(history)} days, by year")
        years = history.groupby(history["trade_date"].dt.year.rename("year"))["institutional_net_buy_total"].sum()
        print(years.reset_index().to_string(index=False))


try:
    main(*sys.argv[1:2])
except twmd.TwmdError as refused:
    sys.exit(refused.message)
