"""Tries to delete from a table with delta-rs, and prints the outcome of each operation.

    python writers.py FOLDER
"""

import json
import os
import sys
import time
from glob import glob

from deltalake import DeltaTable
from deltalake.exceptions import CommitFailedError

folder = sys.argv[1]


def outcome(act):
    try:
        return "nothing to delete" if act(DeltaTable(folder)) == [] else "done"
    except CommitFailedError as error:
        return "refused" if "twmdManaged" in str(error) else str(error)


outcomes = {
    "vacuum": outcome(lambda table: table.vacuum(dry_run=False)),
    "vacuum without a retention check": outcome(
        lambda table: table.vacuum(dry_run=False, retention_hours=0, enforce_retention_duration=False)
    ),
    "full vacuum without a retention check": outcome(
        lambda table: table.vacuum(dry_run=False, full=True, retention_hours=0, enforce_retention_duration=False)
    ),
    "delete": outcome(lambda table: table.delete()),
}
DeltaTable(folder).create_checkpoint()
# Makes the commits a year old. The default retention of 30 days then deletes them.
for commit in glob(f"{folder}/_delta_log/*"):
    os.utime(commit, (time.time() - 31_536_000,) * 2)
outcomes["cleanup_metadata"] = outcome(lambda table: table.cleanup_metadata())
print(json.dumps(outcomes))
