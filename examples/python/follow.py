"""Updates a copy of one company's institutional trades.

usage: python3 examples/python/follow.py 2330 copy.json
"""

import json
import os
import re
import sys
from urllib.parse import urlencode, urljoin
from urllib.request import Request, urlopen

URL = os.environ.get("TWMD_URL", "http://127.0.0.1:8080")
DATASET = "institutional-positioning"


def get(path, key=None, **params):
    """Returns a response, and the address of the next page, if any."""
    url = urljoin(URL, path) + ("?" + urlencode(params) if params else "")
    with urlopen(Request(url, headers={"X-API-Key": key} if key else {})) as response:
        following = re.match(r"<([^>]+)>", response.headers["Link"] or "")
        return json.load(response), following and following[1], response.headers["X-Release"]


def rows(key, symbol, **span):
    """Returns the rows of a period, and their release."""
    answer, following, release = get(f"/v2/datasets/{DATASET}", key, symbol=symbol, limit=1000, **span)
    found = answer["data"]
    while following:
        answer, following, _ = get(following, key)
        found += answer["data"]
    return found, release


def publications_since(release):
    """Returns the publications after a release, newest first. None if the release was withdrawn."""
    seen, cursor = [], {}
    while True:
        answer, _, _ = get("/v2/updates", published_since="2000-01-01", limit=100, **cursor)
        for update in answer["data"]:
            if update["dataset"] != DATASET:
                continue
            if update["release_version"] == release:
                return seen
            seen.append(update)
        if not answer["has_more"]:
            return None
        cursor = {"cursor": answer["next_cursor"]}


def main(symbol, file):
    key = os.environ.get("TWMD_API_KEY") or json.load(open("data/demo.json"))["keys"]["pro"]
    copy = json.load(open(file)) if os.path.exists(file) else {"release": None, "rows": {}}
    updates = publications_since(copy["release"]) if copy["release"] else None
    if updates is None or any(update["kind"] == "schema_change" for update in updates):
        found, copy["release"] = rows(key, symbol)
        copy["rows"] = {row["trade_date"]: row for row in found}
    elif updates:
        # Later days may be computed from the first changed day, so all of them are read.
        first = min((update["data_date_from"] for update in updates if update["data_date_from"]), default="9999-12-31")
        found, copy["release"] = rows(key, symbol, start_date=first)
        kept = {day: row for day, row in copy["rows"].items() if day < first}
        copy["rows"] = kept | {row["trade_date"]: row for row in found}
    json.dump(copy, open(file, "w"))
    print(f"{symbol}: {len(copy['rows'])} days of release {copy['release']}")


main(*sys.argv[1:3])
