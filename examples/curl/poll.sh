#!/bin/sh
# Saves the newest 50 days of a company as JSON. Repeated requests send the entity tag. If nothing
# changed, the service responds with 304, without a body and free of charge.
# usage: sh examples/curl/poll.sh 2330 newest.json
set -eu

url=${TWMD_URL:-http://127.0.0.1:8080}
key=${TWMD_API_KEY:-$(node -p "require('./data/demo.json').keys.pro")}
symbol=$1
file=$2
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# The tag is sent only if the file exists.
: >"$work/etag"
[ ! -e "$file" ] || [ ! -e "$file.etag" ] || cp "$file.etag" "$work/etag"

status=$(
  curl -sS -G -H "X-API-Key: $key" "$url/v2/datasets/institutional-positioning" -d "symbol=$symbol" -d limit=50 \
    --etag-compare "$work/etag" --etag-save "$work/etag.new" -o "$work/body" -w '%{http_code}'
)
case $status in
200)
  mv "$work/body" "$file"
  mv "$work/etag.new" "$file.etag"
  echo "$file: changed"
  ;;
304)
  echo "$file: unchanged, nothing charged"
  ;;
*)
  # Error responses state what is wrong, and what to do.
  { cat "$work/body" && echo; } | sed -nE 's/.*"error_message":"(([^"\\]|\\.)*)".*/\1/p' >&2
  exit 1
  ;;
esac
