/** Reads the answers to scrapes of Prometheus. */

/** @import { Tally } from './instruments.js' */

const utf8 = new TextDecoder();

const bucketOfAll = /_bucket\{[^}]*le="\+Inf"[^}]*\} (\d+)$/gm;

/**
 * Reads the counts of all histograms.
 *
 * @param {Uint8Array} body text with classic buckets
 * @returns {Tally}
 */
export function tallyOfText(body) {
  const tally = { series: 0, values: 0 };
  for (const [, count] of utf8.decode(body).matchAll(bucketOfAll)) {
    tally.series++;
    tally.values += Number(count);
  }
  return tally;
}

// https://github.com/prometheus/client_model/blob/v0.6.2/io/prometheus/client/metrics.proto
const familyMetric = 4;
const metricLabel = 1;
const metricHistogram = 7;
const histogramZeroCount = 7;
const histogramPositiveDelta = 13;

/**
 * Reads the counts of all native buckets.
 *
 * @param {Uint8Array} body families as protobuf, each after its length
 * @returns {Tally}
 */
export function tallyOfProtobuf(body) {
  const tally = { series: 0, values: 0 };
  for (const { values } of seriesOfProtobuf(body)) {
    tally.series++;
    tally.values += values;
  }
  return tally;
}

/**
 * Reads the labels and the counts of all native histograms.
 *
 * @param {Uint8Array} body families as protobuf, each after its length
 * @returns {Generator<{ labels: Record<string, string>, values: number }>}
 */
export function* seriesOfProtobuf(body) {
  for (const family of delimited(body)) {
    for (const [field, metric] of fieldsOf(family)) {
      if (field !== familyMetric) continue;
      const fields = [...fieldsOf(bytes(metric))];
      const labels = fields
        .filter(([kind]) => kind === metricLabel)
        .map(([, label]) => labelOf(bytes(label)));
      for (const [kind, histogram] of fields) {
        if (kind !== metricHistogram) continue;
        yield { labels: Object.fromEntries(labels), values: valuesIn(bytes(histogram)) };
      }
    }
  }
}

/** @param {Uint8Array} pair */
function labelOf(pair) {
  const [name, value] = [...fieldsOf(pair)].map(([, text]) => utf8.decode(bytes(text)));
  return [name, value];
}

/** @param {Uint8Array} histogram */
function valuesIn(histogram) {
  let values = 0;
  for (const [field, content] of fieldsOf(histogram)) {
    if (field === histogramZeroCount) values += Number(content);
    if (field === histogramPositiveDelta) values += sumOfDeltas(bytes(content));
  }
  return values;
}

/** @param {Uint8Array} packed the first count, and for each later bucket the difference to the one before, in zigzag encoding */
function sumOfDeltas(packed) {
  const cursor = { bytes: packed, at: 0 };
  let count = 0;
  let sum = 0;
  while (cursor.at < packed.length) {
    const zigzag = varint(cursor);
    count += zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
    sum += count;
  }
  return sum;
}

/** @param {Uint8Array} body */
function* delimited(body) {
  const cursor = { bytes: body, at: 0 };
  while (cursor.at < body.length) yield take(cursor, varint(cursor));
}

/**
 * @param {Uint8Array} message
 * @returns {Generator<[field: number, content: Uint8Array | number]>}
 */
function* fieldsOf(message) {
  const cursor = { bytes: message, at: 0 };
  while (cursor.at < message.length) {
    const tag = varint(cursor);
    const wireType = tag & 7;
    yield [tag >> 3, wireType === 0 ? varint(cursor) : take(cursor, lengthOf(wireType, cursor))];
  }
}

/** @typedef {{ readonly bytes: Uint8Array, at: number }} Cursor */

/**
 * @param {number} wireType
 * @param {Cursor} cursor
 */
function lengthOf(wireType, cursor) {
  if (wireType === 2) return varint(cursor);
  return wireType === 1 ? 8 : 4;
}

/**
 * @param {Cursor} cursor
 * @param {number} length
 */
function take(cursor, length) {
  cursor.at += length;
  return cursor.bytes.subarray(cursor.at - length, cursor.at);
}

/** @param {Cursor} cursor */
function varint(cursor) {
  let value = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = /** @type {number} */ (cursor.bytes[cursor.at++]);
    value += (byte & 127) * scale;
    if (byte < 128) return value;
  }
}

/** @param {Uint8Array | number} content */
function bytes(content) {
  if (typeof content === 'number') throw new Error(`must be a message, is the number ${content}`);
  return content;
}
