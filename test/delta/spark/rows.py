"""Reads every version with Spark, for readers/compare.py."""

from session import session

spark = session()


def rows(table, version):
    reader = spark.read.format("delta")
    frame = (reader if version is None else reader.option("versionAsOf", version)).load(table["folder"])
    return [row.asDict() for row in frame.collect()]
