"""A Spark session that reads Delta tables.

`SPARK_MASTER` is the address of its cluster. Default: two workers in separate processes on this
machine.
"""

import os

import pyspark
from pyspark.sql import SparkSession

# The workers of a local cluster are started from this folder.
os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
os.environ["PYSPARK_PYTHON"] = os.environ.get("PYSPARK_PYTHON", os.sys.executable)


def session():
    settings = {
        "spark.jars.packages": "io.delta:delta-spark_2.13:4.0.0",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.databricks.delta.snapshotPartitions": "2",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    builder = SparkSession.builder.master(os.environ.get("SPARK_MASTER", "local-cluster[2,1,1024]")).appName("twmd")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
