#!/bin/sh
# Saves a company's whole history as Parquet files, one per page. All pages come from one release.
# usage: sh examples/curl/history.sh 2330 pages
set -eu

url=${TWMD_URL:-http://127.0.0.1:8080}
key=${TWMD_API_KEY:-$(node -p "require('./data/demo.json').keys.pro")}
symbol=$1
folder=$2
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

field() { tr -d '\r' <"$work/headers" | sed -nE "s/^$1: //p"; }

# Every page is charged, so a larger limit costs less.
next="/v2/datasets/institutional-positioning?symbol=$symbol&limit=500&format=parquet"
page=0
while [ -n "$next" ]; do
  page=$((page + 1))
  curl -sS --fail-with-body -H "X-API-Key: $key" -D "$work/headers" -o "$work/body" "$url$next" || {
    # Error responses are JSON in every format.
    [ ! -e "$work/body" ] || { cat "$work/body" && echo; } | sed -nE 's/.*"error_message":"(([^"\\]|\\.)*)".*/\1/p' >&2
    exit 1
  }
  # One folder per release, so that pages of two releases are never mixed.
  kept=$folder/$symbol-$(field '[Xx]-[Rr]elease')
  mkdir -p "$kept"
  mv "$work/body" "$kept/$page.parquet"
  echo "$kept/$page.parquet: $(field '[Xx]-[Rr]ow-[Cc]ount') days"
  next=$(field '[Ll]ink' | sed -nE 's/^<([^>]+)>; rel="next".*/\1/p')
done
