#!/bin/sh
# Saves all tickers of a day as CSV, and prints the first lines.
# usage: sh examples/curl/day.sh 2026-06-30 day.csv
set -eu

url=${TWMD_URL:-http://127.0.0.1:8080}
key=${TWMD_API_KEY:-$(node -p "require('./data/demo.json').keys.pro")}
day=$1
file=$2
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

curl -sS --fail-with-body -G -H "X-API-Key: $key" "$url/v2/datasets/institutional-positioning/cross-section" \
  -d "date=$day" -d format=csv -d columns=ticker,trade_date,foreign_net_buy,institutional_net_buy_total \
  -D "$work/headers" -o "$work/body" || {
  # Error responses are JSON in every format.
  [ ! -e "$work/body" ] || { cat "$work/body" && echo; } | sed -nE 's/.*"error_message":"(([^"\\]|\\.)*)".*/\1/p' >&2
  exit 1
}
mv "$work/body" "$file"

head -n 6 "$file"
echo "$file: $(tr -d '\r' <"$work/headers" | sed -n 's/^[Xx]-[Rr]ow-[Cc]ount: //p') tickers of $day"
