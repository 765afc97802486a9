"""Runs the SQL of a guide with DuckDB or chDB. Prints the rows of each statement as JSON.

Statements without rows print nothing.

    python statements.py duckdb|chdb SQL

DuckDB loads extensions from the files of their packages, so `INSTALL` does nothing.
"""

import importlib
import json
import re
import sys
from pathlib import Path


def with_duckdb(statements):
    import duckdb

    connection = duckdb.connect()
    for statement in statements:
        verb, name = statement.split()[:2]
        if verb == "INSTALL":
            continue
        if verb == "LOAD":
            package = importlib.import_module(f"duckdb_extension_{name}")
            statement = f"LOAD '{next(Path(package.__path__[0]).rglob('*.duckdb_extension'))}'"
        result = connection.execute(statement)
        if verb not in ("LOAD", "CREATE"):
            yield result.fetchall()


def with_chdb(statements):
    import chdb

    for statement in statements:
        text = str(chdb.query(statement, "JSONCompactEachRow"))
        yield [json.loads(row) for row in text.splitlines()]


engine, text = sys.argv[1:]
statements = [statement for statement in re.split(r";\s*", text) if statement]
print(json.dumps(list({"duckdb": with_duckdb, "chdb": with_chdb}[engine](statements)), default=str))
