"""Tries limits, predicate hints, timestamps and lists with the Delta Sharing client.

Uses one table with several versions. Prints the results as JSON.

    python sharing_options.py TABLE

TABLE is a JSON object: share, name, key, value (one value of the key), timestamp (of the first version).
"""

import json
import sys

import delta_sharing
from over_delta_sharing import PROFILE, hint, read

table = json.loads(sys.argv[1])
url = f"{PROFILE}#{table['share']}.twmd.{table['name']}"
hinted = read(table, jsonPredicateHints=hint(table["key"], table["value"]))
print(
    json.dumps(
        {
            "tables": sorted(f"{one.share}.{one.schema}.{one.name}" for one in delta_sharing.SharingClient(PROFILE).list_all_tables()),
            "version": delta_sharing.get_table_version(url),
            "since": delta_sharing.get_table_version(url, starting_timestamp=table["timestamp"]),
            "limited": len(read(table, limit=2)),
            "none": len(read(table, limit=0)),
            "hinted": sum(row[table["key"]] == table["value"] for row in hinted),
            "at": len(read(table, timestamp=table["timestamp"])),
            "unknown": len(read(table, jsonPredicateHints=hint(table["key"], "nothing"))),
        }
    )
)
