"""Asks DuckDB for the Iceberg table of a metadata file, as the view `history`. The input is a statement, the output its rows as JSON."""

import glob
import json
import math
import os
import sys

import duckdb
import duckdb_extension_iceberg

connection = duckdb.connect()
packages = os.path.dirname(os.path.dirname(duckdb_extension_iceberg.__file__))
for name in ("avro", "iceberg"):
    [extension] = glob.glob(f"{packages}/duckdb_extension_{name}/extensions/*/{name}.duckdb_extension")
    connection.execute(f"LOAD '{extension}'")
connection.execute(f"CREATE VIEW history AS SELECT * FROM iceberg_scan('{sys.argv[1]}')")
answer = connection.execute(sys.stdin.read())
names = [column[0] for column in answer.description]
rows = [dict(zip(names, row)) for row in answer.fetchall()]
print(json.dumps([{name: 10**309 if value == math.inf else value for name, value in row.items()} for row in rows]))
