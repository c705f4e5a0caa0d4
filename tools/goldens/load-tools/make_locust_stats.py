"""Writes locust-2.47.0_stats.csv and locust-2.47.0.json into the current folder: known durations, as Locust's own code writes them."""
import csv
import json
import math

from locust.stats import PERCENTILES_TO_REPORT, RequestStats, StatsCSV

stats = RequestStats()
state = 1
for i in range(5000):
    state = (state * 48271) % 2147483647
    ms = math.exp(9.9 * state / 2147483647)
    stats.log_request("GET", "/a" if i % 3 else "/b, or", ms, 10)
    if i % 100 == 0:
        stats.log_error("GET", "/a" if i % 3 else "/b, or", "503")


class Environment:
    def __init__(self):
        self.stats = stats


with open("locust-2.47.0_stats.csv", "w", newline="") as out:
    writer = StatsCSV(Environment(), PERCENTILES_TO_REPORT)
    rows = csv.writer(out)
    rows.writerow(writer.requests_csv_columns)
    writer._requests_data_rows(rows)

# As locust --json prints it.
with open("locust-2.47.0.json", "w") as out:
    json.dump(stats.serialize_stats(), out, indent=4)
    out.write("\n")
