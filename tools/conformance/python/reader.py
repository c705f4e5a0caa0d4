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


READERS = {
    "base64": read_base64,
    "circllhist": read_circllhist,
    "ddsketch": read_ddsketch,
    "elasticsearch": read_elasticsearch,
    "vmrange": read_vmrange,
}

for line in sys.stdin:
    question = json.loads(line)
    reader = READERS.get(question["form"])
    if reader is None:
        print(json.dumps({"id": question["id"], "unsupported": True}))
    else:
        print(json.dumps({"id": question["id"], "slots": reader(question["input"], question.get("writer"))}))
