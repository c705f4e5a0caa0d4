"""Sends values with the packages datadog and statsd. The protocol is that of tools/peers/README.md."""

import json
import sys

import datadog
import statsd

request = json.load(sys.stdin)
target = request["target"]
where = {"socket_path": target["path"]} if "path" in target else {"host": target["host"], "port": target["port"]}
client = datadog.DogStatsd(**where, disable_telemetry=True, disable_buffering=request["isPlain"])
tags = [f"{key}:{value}" for key, value in request["tags"].items()]
send = {"ms": client.timing, "h": client.histogram, "d": client.distribution}
for kind, values in request["values"].items():
    for value in values:
        send[kind](f"datadog.{kind}", value, tags=tags)
client.flush()

if "path" not in target:
    plain = statsd.StatsClient(target["host"], target["port"])
    with plain.pipeline() as pipe:
        for value in request["values"]["ms"]:
            pipe.timing("statsd.ms", value)
