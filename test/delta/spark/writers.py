"""Tries to write to a table with Spark, which the table must refuse.

Prints for each statement whether it was refused.

    python writers.py FOLDER
"""

import json
import sys

from session import session

spark = session()
spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
table = f"delta.`{sys.argv[1]}`"
refused = {}
for statement in ("DELETE FROM", "VACUUM", "INSERT INTO"):
    rest = {"VACUUM": " RETAIN 0 HOURS", "INSERT INTO": f" SELECT * FROM {table} LIMIT 1"}.get(statement, "")
    try:
        spark.sql(f"{statement} {table}{rest}").collect()
        refused[statement] = False
    except Exception as error:
        refused[statement] = "twmdManaged" in str(error) or str(error)[:200]
print(json.dumps(refused))
