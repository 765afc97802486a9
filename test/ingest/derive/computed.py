"""Computes the datasets declared in SQL with pandas, and compares them with their releases.

Reads a JSON object from standard input: the Parquet files of each dataset, by slug. Prints a JSON
object: the number of compared values, and the first differences, by slug.
"""

import json
import sys

import numpy as np
import pandas as pd
from ta.momentum import StochasticOscillator
from ta.trend import MACD, SMAIndicator
from ta.volatility import AverageTrueRange, BollingerBands

# Values are rounded to four decimals, and pandas may round a sum in the other direction.
TOLERANCE = 0.000_051
MOST_DIFFERENCES = 5

files = json.load(sys.stdin)


def rows_of(slug, date="trade_date"):
    table = pd.concat([pd.read_parquet(file) for file in files[slug]], ignore_index=True)
    table[date] = pd.to_datetime(table[date])
    return table.sort_values(["ticker", date], ignore_index=True)


def by_ticker(table, compute):
    return pd.concat([compute(own.reset_index(drop=True)) for _, own in table.groupby("ticker")], ignore_index=True)


def bars(period):
    prices = rows_of("daily-prices")
    prices["period"] = prices.trade_date.dt.to_period(period)
    prices["last_date"] = prices.groupby("period").trade_date.transform("max")
    return prices.groupby(["ticker", "last_date"], as_index=False).agg(
        market=("market", "last"),
        open=("open", "first"),
        high=("high", "max"),
        low=("low", "min"),
        close=("close", "last"),
        volume=("volume", "sum"),
        turnover=("turnover", "sum"),
        traded_days=("close", "count"),
    )


def returns():
    prices = rows_of("adjusted-prices")
    close = prices.groupby("ticker").close
    spans = {f"return_{n}d": 100 * (prices.close / close.shift(n) - 1) for n in (1, 5, 20, 60, 250)}
    return prices[["ticker", "market", "trade_date"]].assign(**spans)


def averages_from(values, start, first, weight):
    """Recursive averages. The value of row `first` is `start`. Each later one moves by `weight`."""
    averages = np.full(len(values), np.nan)
    for row in range(first, len(values)):
        averages[row] = start if row == first else averages[row - 1] + weight * (values[row] - averages[row - 1])
    return averages


def indicators_of(own):
    own = own[own.close.notna()].reset_index(drop=True)
    if own.empty:
        return own
    high, low, close = own.high, own.low, own.close
    columns = {f"ma_{n}": SMAIndicator(close, n).sma_indicator() for n in (5, 10, 20, 60, 120, 240)}
    changes = close.diff().to_numpy(copy=True)
    gains, losses = np.maximum(changes, 0), np.maximum(-changes, 0)
    up = averages_from(gains, gains[1:15].mean(), 14, 1 / 14)
    down = averages_from(losses, losses[1:15].mean(), 14, 1 / 14)
    columns["rsi_14"] = 100 * up / (up + down)
    positions = StochasticOscillator(high, low, close, window=9).stoch().fillna(50).to_numpy(copy=True)
    positions[:8] = 50
    columns["k_9"] = averages_from(positions, 50, 7, 1 / 3)
    columns["d_9"] = averages_from(columns["k_9"], 50, 7, 1 / 3)
    macd = MACD(close, fillna=True)
    columns.update(macd=macd.macd(), macd_signal=macd.macd_signal(), macd_histogram=macd.macd_diff())
    bands = BollingerBands(close)
    columns.update(bollinger_upper=bands.bollinger_hband(), bollinger_lower=bands.bollinger_lband())
    if len(own) >= 14:
        columns["atr_14"] = AverageTrueRange(high, low, close).average_true_range()
    else:
        columns["atr_14"] = np.full(len(own), np.nan)
    table = own[["ticker", "market", "trade_date", "close"]].assign(**columns)
    for name, first in {"k_9": 9, "d_9": 9, "macd": 26, "macd_signal": 34, "macd_histogram": 34, "atr_14": 14}.items():
        table.loc[: first - 2, name] = np.nan
    return table


def tick(cents):
    for below, size in ((1_000, 1), (5_000, 5), (10_000, 10), (50_000, 50), (100_000, 100)):
        if cents < below:
            return size
    return 500


def limit_moves():
    prices = rows_of("daily-prices")
    prices = prices[prices.ticker.str.fullmatch("[1-9][0-9]{3}")]
    dividends = rows_of("ex-rights", "ex_date").set_index(["ticker", "ex_date"])
    found = []
    for ticker, own in prices.groupby("ticker"):
        closes = own.close.tolist()
        for place, row in enumerate(own.itertuples()):
            traded = [close for close in closes[max(0, place - 20) : place] if close == close]
            reference = traded[-1] if traded else None
            if (ticker, row.trade_date) in dividends.index:
                opening = dividends.loc[(ticker, row.trade_date)].opening_reference
                reference = opening if opening == opening else reference
            if reference is None or row.high != row.high:
                continue
            cents = round(reference * 100)
            up, down = cents * 110 // 100, -(-cents * 90 // 100)
            # Limits are rounded to a tick towards the reference price. The tick size is that of the
            # unrounded limit.
            up = up // tick(cents * 1.1) * tick(cents * 1.1)
            down = -(-down // tick(cents * 0.9)) * tick(cents * 0.9)
            limit_up, limit_down = up / 100, down / 100
            touches_up, touches_down = row.high >= limit_up, row.low <= limit_down
            if not touches_up and not touches_down:
                continue
            found.append(
                {
                    "ticker": ticker,
                    "trade_date": row.trade_date,
                    "reference_price": reference,
                    "limit_up": limit_up,
                    "limit_down": limit_down,
                    "touched": "both" if touches_up and touches_down else "up" if touches_up else "down",
                    "closed": "up" if row.close >= limit_up else "down" if row.close <= limit_down else None,
                }
            )
    return pd.DataFrame(found)


def concentration():
    levels = rows_of("shareholder-distribution", "week_date")
    grain = ["ticker", "week_date"]
    table = levels[levels.level == 17].set_index(grain)[["holders", "shares"]].add_prefix("total_")
    for lots, first in ((400, 12), (1000, 15)):
        large = levels[levels.level.between(first, 15)].groupby(grain)[["holders", "shares"]].sum()
        table[f"holders_{lots}"], table[f"shares_{lots}"] = large.holders, large.shares
        table[f"percent_{lots}"] = 100 * large.shares / table.total_shares
    return table.reset_index()


def weights():
    columns = ["ticker", "trade_date", "issued_shares"]
    table = rows_of("daily-prices").merge(rows_of("foreign-holding")[columns], on=columns[:2])
    table = table[table.ticker.str.fullmatch("[1-9][0-9]{3}") & (table.close > 0) & (table.issued_shares > 0)]
    cents = (table.close * 100).round().astype(int)
    table["market_value"] = (cents * table.issued_shares + 50) // 100
    market = table.groupby(["market", "trade_date"]).market_value
    table["weight_percent"] = 100 * table.market_value / market.transform("sum")
    table["rank"] = market.rank(ascending=False)
    return table[["ticker", "market", "trade_date", "market_value", "weight_percent", "rank"]]


def lending():
    columns = ["ticker", "trade_date", "issued_shares"]
    table = rows_of("securities-lending")
    table["day_limit"] = table.groupby("ticker").next_day_limit.shift()
    table = table.merge(rows_of("foreign-holding")[columns], on=columns[:2], how="left")
    table["limit_used_percent"] = 100 * table.sold / table.day_limit
    table["borrowed_balance"] = table.balance
    table["borrowed_percent"] = 100 * table.balance / table.issued_shares
    table["short_percent"] = 100 * (table.balance + table.margin_short_balance) / table.issued_shares
    table["margin_short_used_percent"] = 100 * table.margin_short_balance / table.margin_short_limit.replace(0, np.nan)
    own = ["sold", "day_limit", "limit_used_percent", "borrowed_balance", "borrowed_percent", "short_percent"]
    return table[columns + own + ["margin_short_balance", "margin_short_used_percent"]]


def percentiles_of(own):
    table = own[["ticker", "market", "trade_date", "pe_ratio", "pb_ratio", "dividend_yield"]].copy()
    days = own.trade_date.to_numpy()
    for ratio, name in (("pe_ratio", "pe"), ("pb_ratio", "pb"), ("dividend_yield", "yield")):
        for years in (1, 5):
            values = []
            starts = (own.trade_date - pd.DateOffset(years=years)).to_numpy()
            for row, value in enumerate(own[ratio].to_numpy()):
                among = own[ratio].to_numpy()[: row + 1][days[: row + 1] >= starts[row]]
                among = among[~np.isnan(among)]
                missing = np.isnan(value) or len(among) < 60
                values.append(np.nan if missing else 100 * (among < value).sum() / (len(among) - 1))
            table[f"{name}_percentile_{years}y"] = values
    return table


def highs_of(own):
    found = []
    months = {row.period_end.to_period("M"): row.revenue for row in own.itertuples() if row.revenue == row.revenue}
    for month, revenue in months.items():
        earlier = {other: value for other, value in months.items() if other < month}
        same = [value for other, value in earlier.items() if other.month == month.month]
        row = {"ticker": own.ticker[0], "period_end": month.to_timestamp("M").normalize(), "revenue": revenue}
        for span in (12, 24, 60):
            near = [earlier.get(month - back) for back in range(1, span)]
            row[f"highest_{span}m"] = None if None in near else all(value < revenue for value in near)
        row["highest_on_record"] = None if len(earlier) < 11 else revenue > max(earlier.values())
        row["highest_same_month"] = revenue > max(same) if same else None
        row["previous_record"] = max(earlier.values()) if earlier else None
        row["months_on_record"] = len(earlier) + 1
        if row["highest_12m"] or row["highest_on_record"] or row["highest_same_month"]:
            found.append(row)
    return pd.DataFrame(found)


SETS = {
    "weekly-bars": ("last_date", lambda: bars("W-SUN")),
    "monthly-bars": ("last_date", lambda: bars("M")),
    "returns": ("trade_date", returns),
    "technical-indicators": ("trade_date", lambda: by_ticker(rows_of("adjusted-prices"), indicators_of)),
    "limit-moves": ("trade_date", limit_moves),
    "holder-concentration": ("week_date", concentration),
    "market-value-weights": ("trade_date", weights),
    "lending-utilisation": ("trade_date", lending),
    "valuation-percentiles": ("trade_date", lambda: by_ticker(rows_of("valuation"), percentiles_of)),
    "revenue-highs": ("period_end", lambda: by_ticker(rows_of("monthly-revenue", "period_end"), highs_of)),
}


def is_equal(served, expected):
    if pd.isna(served) or pd.isna(expected):
        return pd.isna(served) and pd.isna(expected)
    if isinstance(expected, (str, bool, np.bool_, pd.Timestamp)):
        return served == expected
    return abs(served - expected) <= TOLERANCE + 1e-12 * abs(expected)


def compare(slug, date, expected):
    served = rows_of(slug, date)
    grain = ["ticker", date]
    names = [name for name in expected.columns if name not in grain]
    both = served.merge(expected, on=grain, how="outer", suffixes=("", "_expected"), indicator=True)
    differences = [f"{row.ticker} {row[date].date()}: only in {row._merge}" for _, row in both[both._merge != "both"].iterrows()]
    both = both[both._merge == "both"]
    for name in names:
        for ticker, day, found, value in zip(both.ticker, both[date], both[name], both[f"{name}_expected"]):
            if not is_equal(found, value):
                differences.append(f"{ticker} {day.date()} {name}: {found} instead of {value}")
    return {"values": len(both) * len(names), "differences": differences[:MOST_DIFFERENCES]}


print(json.dumps({slug: compare(slug, date, expected()) for slug, (date, expected) in SETS.items() if slug in files}))
