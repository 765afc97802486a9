#!/bin/sh
# Prints every dataset with its freshness, then the newest five rows of a company's institutional trades.
# usage: sh examples/newest.sh 2330
set -eu

url=${TWMD_URL:-http://127.0.0.1:8080}
key=${TWMD_KEY:-$(node -p "require('./data/demo.json').keys.pro")}

# Public: no key, no credits.
curl -sf "$url/v2/datasets"
echo

# 2 credits. -f makes a refusal an exit code; without it the body says what was wrong and what to do next.
curl -sf -G -H "X-API-Key: $key" "$url/v2/datasets/institutional-positioning" -d "symbol=$1" -d limit=5
echo
