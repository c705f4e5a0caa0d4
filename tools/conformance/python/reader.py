"""Reads sketches with Python's standard library only, and answers the questions of tools/conformance/run.js.

It shares no code with hdrscope and none with the libraries that made the vectors.
"""

import base64
import json
import math
import re
import struct
import sys
import zlib

LARGEST = sys.float_info.max


# Protobuf.


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def zigzag(value):
    return (value >> 1) ^ -(value & 1)


def fields(data):
    """The fields of a message, as (number, value): integers, doubles or bytes."""
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = read_varint(data, at)
        elif kind == 1:
            (value,) = struct.unpack_from("<d", data, at)
            at += 8
        else:
            length, at = read_varint(data, at)
            value = data[at : at + length]
            at += length
        yield tag >> 3, value


# DDSketch.


def linear(x):
    return (x - math.floor(x) + 1) * 2.0 ** math.floor(x)


def quadratic(x):
    return (3 - math.sqrt(4 - 3 * (x - math.floor(x)))) * 2.0 ** math.floor(x)


def cubic(x):
    """Finds s in [0, 1] with 6/35 s³ - 3/5 s² + 10/7 s = x by halving: this polynomial rises."""
    wanted, low, high = x - math.floor(x), 0.0, 1.0
    for _ in range(80):
        s = (low + high) / 2
        if ((6 / 35 * s - 3 / 5) * s + 10 / 7) * s < wanted:
            low = s
        else:
            high = s
    return (1 + low) * 2.0 ** math.floor(x)


INTERPOLATED = [None, linear, quadratic, cubic]
CORRECTIONS = [1, 1 / math.log(2), 3 / (4 * math.log(2)), 7 / (10 * math.log(2))]


def ddsketch_bounds(gamma, offset, interpolation, writer):
    """Returns the function of the bounds of an index, and the bound of the zero count."""
    step = math.log(gamma)
    inverse = INTERPOLATED[interpolation]
    if writer in ("sketches-go", "sketches-java"):
        edge = (lambda i: math.exp(i * step)) if inverse is None else (lambda i: inverse(i * step / math.log(2)))
        zero = sys.float_info.min * gamma ** CORRECTIONS[interpolation]
        return lambda index: (edge(index - offset), edge(index + 1 - offset)), zero
    if inverse is None:
        edge = lambda i: math.exp(i * step)
    elif interpolation == 3:
        edge = lambda i: cubic(i * step * 10 / 7)
    else:
        edge = (lambda i: 2 ** (i * step)) if writer == "sketches-js" else (lambda i: linear(i * step))
    return lambda index: (edge(index - 1 - offset), edge(index - offset)), sys.float_info.min * gamma


def read_store(data):
    counts, contiguous, offset = {}, [], 0
    for number, value in fields(data):
        if number == 1:
            entry = dict(fields(value))
            counts[zigzag(entry.get(1, 0))] = entry.get(2, 0.0)
        elif number == 2:
            contiguous += [value] if isinstance(value, float) else struct.unpack(f"<{len(value) // 8}d", value)
        elif number == 3:
            offset = zigzag(value)
    for at, count in enumerate(contiguous):
        counts[offset + at] = counts.get(offset + at, 0) + count
    return counts


def read_ddsketch(text, writer):
    message = {}
    for number, value in fields(base64.b64decode(text)):
        message[number] = value
    mapping = dict(fields(message[1]))
    bounds, zero = ddsketch_bounds(mapping[1], mapping.get(2, 0.0), mapping.get(3, 0), writer)
    slots = []
    if message.get(4, 0) > 0:
        slots.append([-zero, zero, message[4]])
    for number, sign in ((2, 1), (3, -1)):
        for index, count in read_store(message.get(number, b"")).items():
            if count > 0:
                lower, upper = bounds(index)
                slots.append([lower, upper, count] if sign > 0 else [-upper, -lower, count])
    return sorted(slots)


# Other forms.


def read_elasticsearch(text, _):
    value = json.loads(text)
    base = 2.0 ** -value["scale"]
    zero = value.get("zero", {})
    slots = []
    if zero.get("count", 0) > 0:
        slots.append([-zero.get("threshold", 0.0), zero.get("threshold", 0.0), zero["count"]])
    for side, sign in (("positive", 1), ("negative", -1)):
        buckets = value.get(side, {"indices": [], "counts": []})
        for index, count in zip(buckets["indices"], buckets["counts"]):
            lower, upper = 2.0 ** (index * base), 2.0 ** ((index + 1) * base)
            slots.append([lower, upper, count] if sign > 0 else [-upper, -lower, count])
    return sorted(slots)


def read_circllhist(text, _):
    for stat in json.loads(text)["stats"]:
        for histogram in stat.get("histograms", {}).get("details", []):
            bins = histogram["totals"]
            return [[one["lower_bound"], one["lower_bound"] + one["width"], one["count"]] for one in bins]


def read_vmrange(text, _):
    slots = []
    for lower, upper, count in re.findall(r'vmrange="(.*?)\.\.\.(.*?)"\} (\d+)', text):
        slots.append([float(lower), min(float(upper), LARGEST), int(count)])
    return slots


def read_base64(text, _):
    data = base64.b64decode(text)
    (length,) = struct.unpack_from(">i", data, 4)
    # A writer may flush the stream in place of ending it.
    payload = zlib.decompressobj().decompress(data[8 : 8 + length])
    _, size, _, digits, lowest, _, _ = struct.unpack_from(">iiiiqqd", payload)
    unit = int(math.log2(max(lowest, 1)))
    half_bits = math.ceil(math.log2(2 * 10**digits)) - 1
    half = 1 << half_bits
    slots, slot, at = [], 0, 0
    words = payload[40 : 40 + size]
    while at < len(words):
        value, at = read_zigzag(words, at)
        if value < 0:
            slot -= value
            continue
        if value > 0:
            bucket = max((slot >> half_bits) - 1, 0)
            sub_bucket = slot - bucket * half
            lower = sub_bucket << (bucket + unit)
            slots.append([lower, lower + (1 << (bucket + unit)) - 1, value])
        slot += 1
    return slots


def read_zigzag(data, at):
    """A varint of HdrHistogram has at most 9 bytes, and its last one has 8 bits."""
    value = 0
    for place in range(9):
        byte = data[at]
        at += 1
        value |= (byte if place == 8 else byte & 0x7F) << (7 * place)
        if byte < 0x80:
            break
    return zigzag(value), at


# Metrics.


def classic(bounds, counts):
    """Slots between bounds, of which the upper one is inclusive."""
    edges = [-LARGEST, *bounds, LARGEST]
    return [[edges[at], edges[at + 1], count] for at, count in enumerate(counts) if count > 0]


def exponential(scale, zero_threshold, zero_count, sides):
    """Slots of buckets by their indexes: bucket i reaches from base^i, exclusive, to base^(i+1)."""
    edge = lambda index: 2.0 ** (index * 2.0**-scale)
    slots = [[-zero_threshold, zero_threshold, zero_count]] if zero_count > 0 else []
    for sign, buckets in sides:
        for index, count in buckets.items():
            lower, upper = edge(index), edge(index + 1)
            if count > 0:
                slots.append([lower, upper, count] if sign > 0 else [-upper, -lower, count])
    return sorted(slots)


def spanned(spans, counts):
    """Counts by index, as in OpenTelemetry: a bucket of Prometheus with the index i ends at base^i."""
    buckets, index, counts = {}, 0, iter(counts)
    for offset, length in spans:
        index += offset
        for _ in range(length):
            buckets[index - 1] = next(counts)
            index += 1
    return buckets


def summed(deltas):
    total = 0
    for delta in deltas:
        total += delta
        yield total


def read_composite(text):
    """A value of OpenMetrics 2: {count:3,bucket:[1.0:2,+Inf:3]} or {schema:3,positive_spans:[0:2],positive_buckets:[1,2]}."""
    facts = {}
    for key, items, plain in re.findall(r"(\w+):(?:\[(.*?)\]|([^,}]+))", text):
        pairs = [one.split(":") for one in items.split(",")] if items else []
        facts[key] = float(plain) if plain else pairs
    if "bucket" in facts:
        totals = [int(total) for _, total in facts["bucket"]]
        bounds = [float(bound) for bound, _ in facts["bucket"]][:-1]
        return classic(bounds, [after - before for before, after in zip([0, *totals], totals)])
    sides = []
    for sign, side in ((1, "positive"), (-1, "negative")):
        spans = [(int(offset), int(length)) for offset, length in facts.get(side + "_spans", [])]
        sides.append((sign, spanned(spans, [int(count) for (count,) in facts.get(side + "_buckets", [])])))
    return exponential(int(facts["schema"]), facts["zero_threshold"], int(facts["zero_count"]), sides)


def read_prometheus(text, _):
    """The first histogram of a text."""
    bounds, totals, first = [], [], None
    for line in text.splitlines():
        composite = re.match(r"[^#].*? (\{count:.*?\})( |$)", line)
        if composite:
            return read_composite(composite[1])
        bucket = re.match(r'\w+_bucket\{(.*)\} (\d+)', line)
        if bucket is None:
            continue
        (le,) = re.findall(r'(?:^|,)le="([^"]*)"', bucket[1])
        others = re.sub(r'(?:^|,)le="[^"]*"', "", bucket[1])
        first = others if first is None else first
        if others == first:
            bounds.append(float(le))
            totals.append(int(bucket[2]))
    return classic(bounds[:-1], [after - before for before, after in zip([0, *totals], totals)])


def read_prometheus_protobuf(text, _):
    """The first histogram of a family: MetricFamily.metric[0].histogram."""
    data = base64.b64decode(text)
    length, at = read_varint(data, 0)
    metric = next(value for number, value in fields(data[at : at + length]) if number == 4)
    histogram = next(value for number, value in fields(metric) if number == 7)
    facts, bounds, totals = {}, [], []
    spans, deltas = {9: [], 12: []}, {10: [], 13: []}
    for number, value in fields(histogram):
        if number == 3:
            bucket = dict(fields(value))
            bounds.append(bucket[2])
            totals.append(bucket.get(1, 0))
        elif number in spans:
            span = dict(fields(value))
            spans[number].append((zigzag(span.get(1, 0)), span.get(2, 0)))
        elif number in deltas:
            deltas[number] += [zigzag(one) for one in (varints(value) if isinstance(value, bytes) else [value])]
        else:
            facts[number] = value
    if not spans[9] and not spans[12]:
        totals.append(facts[1])
        return classic([one for one in bounds if one < math.inf], [b - a for a, b in zip([0, *totals], totals)])
    sides = [(1, spanned(spans[12], summed(deltas[13]))), (-1, spanned(spans[9], summed(deltas[10])))]
    return exponential(zigzag(facts.get(5, 0)), facts.get(6, 0.0), facts.get(7, 0), sides)


def varints(data):
    at = 0
    while at < len(data):
        value, at = read_varint(data, at)
        yield value


def read_otlp(text, _):
    """The first point of the first metric."""
    metric = json.loads(text)["resourceMetrics"][0]["scopeMetrics"][0]["metrics"][0]
    if "histogram" in metric:
        (point,) = metric["histogram"]["dataPoints"]
        return classic(point["explicitBounds"], [int(count) for count in point["bucketCounts"]])
    (point,) = metric["exponentialHistogram"]["dataPoints"]
    sides = []
    for sign, side in ((1, point.get("positive", {})), (-1, point.get("negative", {}))):
        counts = [int(count) for count in side.get("bucketCounts", [])]
        sides.append((sign, dict(enumerate(counts, side.get("offset", 0)))))
    return exponential(point["scale"], point.get("zeroThreshold", 0.0), int(point.get("zeroCount", 0)), sides)


def read_otlp_protobuf(text, _):
    data = base64.b64decode(text)
    # The request, its resource, its scope.
    for wanted in (1, 2, 2):
        data = next(value for number, value in fields(data) if number == wanted)
    kind, histogram = next((number, value) for number, value in fields(data) if number in (9, 10))
    point = dict(fields(next(value for number, value in fields(histogram) if number == 1)))
    if kind == 9:
        counts = struct.unpack(f"<{len(point[6]) // 8}Q", point[6])
        return classic(struct.unpack(f"<{len(point[7]) // 8}d", point[7]), counts)
    sides = []
    for sign, number in ((1, 8), (-1, 9)):
        side = dict(fields(point.get(number, b"")))
        sides.append((sign, dict(enumerate(varints(side.get(2, b"")), zigzag(side.get(1, 0))))))
    zeros = point.get(7, 0)
    # Of a fixed64, the reader of fields takes a double.
    zero_count = struct.unpack("<Q", struct.pack("<d", zeros))[0] if isinstance(zeros, float) else zeros
    return exponential(zigzag(point.get(6, 0)), point.get(14, 0.0), zero_count, sides)


READERS = {
    "base64": read_base64,
    "circllhist": read_circllhist,
    "ddsketch": read_ddsketch,
    "elasticsearch": read_elasticsearch,
    "otlp": read_otlp,
    "otlp-protobuf": read_otlp_protobuf,
    "prometheus": read_prometheus,
    "prometheus-protobuf": read_prometheus_protobuf,
    "vmrange": read_vmrange,
}

for line in sys.stdin:
    question = json.loads(line)
    reader = READERS.get(question["form"])
    if reader is None:
        print(json.dumps({"id": question["id"], "unsupported": True}))
    else:
        print(json.dumps({"id": question["id"], "slots": reader(question["input"], question.get("writer"))}))
