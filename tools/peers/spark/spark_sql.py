"""Runs statements of SQL with Spark, in this process. Each line of the input is a statement as JSON, and each line of the output
is the list of its rows as JSON, or an object with the text of its error."""

import json
import sys

from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.sql.shuffle.partitions", "1")
    # Compiling a statement takes longer than a few rows.
    .config("spark.sql.codegen.wholeStage", "false")
    .config("spark.sql.adaptive.enabled", "false")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("OFF")
for line in sys.stdin:
    try:
        answer = [row.asDict() for row in spark.sql(json.loads(line)).collect()]
    except Exception as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
spark.stop()
