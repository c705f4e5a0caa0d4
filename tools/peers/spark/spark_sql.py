"""Runs statements of SQL with Spark, in this process or by the master of the first argument. Each line of the input is a statement as JSON, and each line of the output
is the list of its rows as JSON, or an object with the text of its error. JSON has no infinity: a number beyond all doubles is one."""

import json
import math
import sys

from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master(sys.argv[1] if len(sys.argv) > 1 else "local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.sql.shuffle.partitions", "1")
    # Compiling a statement takes longer than a few rows.
    .config("spark.sql.codegen.wholeStage", "false")
    .config("spark.sql.adaptive.enabled", "false")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("OFF")


def finite(value):
    return 10**309 if value == math.inf else value


for line in sys.stdin:
    try:
        rows = spark.sql(json.loads(line)).collect()
        answer = [{name: finite(value) for name, value in row.asDict().items()} for row in rows]
    except Exception as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
spark.stop()
