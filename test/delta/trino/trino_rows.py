"""Reads every version with Trino, for readers/compare.py. TRINO_PORT is the port of the server."""

import os
from functools import cache

import trino

connection = trino.dbapi.connect(
    host="127.0.0.1", port=int(os.environ["TRINO_PORT"]), user="twmd", catalog="delta", schema="compared", request_timeout=60
)


def execute(statement):
    cursor = connection.cursor()
    cursor.execute(statement)
    return cursor.fetchall(), cursor.description


@cache
def schema():
    execute("CREATE SCHEMA IF NOT EXISTS delta.compared")


@cache
def register(name, location):
    schema()
    execute(
        "CALL delta.system.register_table("
        f"schema_name => 'compared', table_name => '{name}', table_location => '{location}')"
    )


def rows(table, version):
    register(table["name"], table["folder"])
    of_version = "" if version is None else f" FOR VERSION AS OF {version}"
    found, description = execute(f'SELECT * FROM "{table["name"]}"{of_version}')
    return [dict(zip((column.name for column in description), row)) for row in found]


def count(table, where):
    return execute(f'SELECT count(*) FROM "{table["name"]}" WHERE {where}')[0][0][0]
