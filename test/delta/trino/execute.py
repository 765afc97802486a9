"""Runs statements with Trino, one per argument, and prints the rows or the error of each as JSON.

    python execute.py STATEMENT...

TRINO_PORT is the port of the server.
"""

import json
import sys

import trino
from trino_rows import execute


def result(statement):
    try:
        return {"rows": execute(statement)[0], "error": None}
    except trino.exceptions.TrinoQueryError as error:
        return {"rows": [], "error": error.message}


print(json.dumps([result(statement) for statement in sys.argv[1:]], default=str))
