"""The newest rows of a ticker between two days, from one Parquet file, as JSON."""

import os

import duckdb
from fastapi import FastAPI
from fastapi.responses import JSONResponse

app = FastAPI()
database = duckdb.connect()
ROWS = f"read_parquet('{os.environ['PEER_PARQUET']}')"
NEWEST = f"""SELECT * REPLACE (trade_date::VARCHAR AS trade_date) FROM {ROWS}
WHERE ticker = ? AND trade_date BETWEEN ?::DATE AND ?::DATE ORDER BY trade_date DESC LIMIT ?"""


@app.get("/rows")
def rows(symbol: str, start_date: str, end_date: str, limit: int):
    found = database.cursor().execute(NEWEST, [symbol, start_date, end_date, limit])
    names = [column[0] for column in found.description]
    return JSONResponse({"data": [dict(zip(names, row)) for row in found.fetchall()]})
