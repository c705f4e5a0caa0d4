"""Writes what Python's prometheus_client exposes for known values: expose.py FOLDER. See ../README.md."""

import sys
from pathlib import Path

from prometheus_client import CollectorRegistry, Histogram, Summary
from prometheus_client import exposition, openmetrics
import prometheus_client.openmetrics.exposition


def values():
    """The values of all programs, in thousandths from 0 to 4.999."""
    state = 42
    for _ in range(2000):
        state = (state * 1103515245 + 12345) % 2147483648
        yield (state // 65536 % 5000) / 1000


registry = CollectorRegistry()
classic = Histogram(
    "classic_seconds", "Known values", ["route"], registry=registry, buckets=[0.005, 0.1, 0.25, 0.5, 1, 2.5]
)
Histogram("empty_seconds", "No values", ["route"], registry=registry).labels("/none")
for i, value in enumerate(values()):
    route = ["/a", '/b "quoted"\\\n'][i % 2]
    classic.labels(route).observe(value, {"trace_id": "abc#1"} if i >= 1990 else None)
Summary("summary_seconds", "Left out", registry=registry).observe(1)

folder = Path(sys.argv[1])
(folder / "python.text.txt").write_bytes(exposition.generate_latest(registry))
(folder / "python.openmetrics.txt").write_bytes(openmetrics.exposition.generate_latest(registry))
