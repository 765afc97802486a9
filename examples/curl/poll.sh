#!/bin/sh
# Keeps the newest 50 days of a company in a JSON file. Asked again with the file's tag, the service answers 304 until something
# changed: without a body and without a charge. Run it as often as you like.
# usage: sh examples/curl/poll.sh 2330 newest.json
set -eu

url=${TWMD_URL:-http://127.0.0.1:8080}
key=${TWMD_API_KEY:-$(node -p "require('./data/demo.json').keys.pro")}
symbol=$1
file=$2
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# A tag without its file would be answered that nothing changed.
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
  # A refusal says what was wrong and what to do next.
  { cat "$work/body" && echo; } | sed -nE 's/.*"error_message":"(([^"\\]|\\.)*)".*/\1/p' >&2
  exit 1
  ;;
esac
