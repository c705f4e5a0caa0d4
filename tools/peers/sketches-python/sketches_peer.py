"""Makes and reads DDSketches with the ddsketch package. The protocol is that of tools/peers/sketches-go."""

import base64
import json
import sys

from ddsketch.ddsketch import BaseDDSketch
from ddsketch.mapping import CubicallyInterpolatedMapping, LinearlyInterpolatedMapping, LogarithmicMapping
from ddsketch.pb.ddsketch_pb2 import DDSketch as Message
from ddsketch.pb.proto import DDSketchProto
from ddsketch.store import CollapsingLowestDenseStore, DenseStore

MAPPINGS = {"NONE": LogarithmicMapping, "LINEAR": LinearlyInterpolatedMapping, "CUBIC": CubicallyInterpolatedMapping}


def make_store(name):
    return CollapsingLowestDenseStore(64) if name == "collapsing" else DenseStore()


def make_sketch(request):
    if request["do"] == "read":
        message = Message()
        message.ParseFromString(base64.b64decode(request["bytes"]))
        return DDSketchProto.from_proto(message)
    mapping = MAPPINGS[request["mapping"]](request["accuracy"])
    sketch = BaseDDSketch(mapping, make_store(request["store"]), make_store(request["store"]), 0.0)
    for value, count in request["values"]:
        sketch.add(value, count)
    return sketch


def slots_of(sketch):
    mapping = sketch._mapping
    slots = []
    if sketch._zero_count > 0:
        slots.append([-mapping.min_possible, mapping.min_possible, sketch._zero_count])
    for store, sign in ((sketch._store, 1), (sketch._negative_store, -1)):
        for at, count in enumerate(store.bins):
            if count == 0:
                continue
            key = store.offset + at - mapping._offset
            lower, upper = mapping._pow_gamma(key - 1), mapping._pow_gamma(key)
            slots.append([lower, upper, count] if sign == 1 else [-upper, -lower, count])
    return sorted(slots)


def reply(request):
    sketch = make_sketch(request)
    return {
        "bytes": base64.b64encode(DDSketchProto.to_proto(sketch).SerializeToString(deterministic=True)).decode(),
        "slots": slots_of(sketch),
        "quantiles": [sketch.get_quantile_value(quantile) for quantile in request["quantiles"]],
    }


for line in sys.stdin:
    print(json.dumps(reply(json.loads(line))), flush=True)
