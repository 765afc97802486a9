#!/bin/sh
# Prints the newest 50 days of a company's institutional trades, as JSON.
# usage: sh examples/curl/newest.sh 2330
set -eu

url=${TWMD_URL:-http://127.0.0.1:8080}
key=${TWMD_API_KEY:-$(node -p "require('./data/demo.json').keys.pro")}

answer=$(
  curl -sS --fail-with-body -G -H "X-API-Key: $key" "$url/v2/datasets/institutional-positioning" \
    -d "symbol=$1" -d limit=50 -d columns=trade_date,foreign_net_buy,institutional_net_buy_total
) || {
  # Error responses state what is wrong, and what to do.
  printf '%s\n' "$answer" | sed -nE 's/.*"error_message":"(([^"\\]|\\.)*)".*/\1/p' >&2
  exit 1
}
printf '%s\n' "$answer"
