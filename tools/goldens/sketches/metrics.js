import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { JsonMetricsSerializer, ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { AggregationType, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';

/** @typedef {[lower: number, upper: number, count: number]} Slot */

const EXPOSITIONS = join(import.meta.dirname, '../../../packages/prometheus/test/fixtures/expositions');
const BOUNDS = [0.005, 0.1, 0.25, 0.5, 1, 2.5];
const LARGEST = Number.MAX_VALUE;

/** The values that the programs of tools/expositions observe in a route: each second one of theirs. @param {'a' | 'b'} [route] */
function listValues(route = 'a') {
  let state = 42n;
  return Array.from({ length: 2000 }, () => {
    state = (state * 1103515245n + 12345n) % 2147483648n;
    return Number((state / 65536n) % 5000n) / 1000;
  }).filter((_, at) => (at % 2 === 0) === (route === 'a'));
}

/** Each value and its count. @param {readonly number[]} values @returns {[value: number, count: number][]} */
function countValues(values) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a - b);
}

/** The values counted in slots. @param {readonly number[]} values @param {(value: number) => [number, number]} findBounds @returns {Slot[]} */
function countSlots(values, findBounds) {
  /** @type {Map<number, Slot>} */
  const slots = new Map();
  for (const value of values) {
    const [lower, upper] = findBounds(value);
    slots.set(lower, [lower, upper, (slots.get(lower)?.[2] ?? 0) + 1]);
  }
  return [...slots.values()].sort(([a], [b]) => a - b);
}

/** The bounds of a value between boundaries: the upper one is inclusive. @param {number} value @returns {[number, number]} */
function findClassic(value) {
  const at = BOUNDS.findIndex((bound) => value <= bound);
  return [(at === -1 ? BOUNDS.at(-1) : BOUNDS[at - 1]) ?? -LARGEST, BOUNDS[at] ?? LARGEST];
}

/** The bounds of a value in exponential buckets. @param {number} schema @param {number} zeroThreshold @returns {(value: number) => [number, number]} */
function findExponential(schema, zeroThreshold) {
  return (value) => {
    if (value <= zeroThreshold) return [-zeroThreshold, zeroThreshold];
    const index = Math.ceil(Math.log2(value) * 2 ** schema);
    return [2 ** ((index - 1) * 2 ** -schema), 2 ** (index * 2 ** -schema)];
  };
}

// Clients of Prometheus.

const SMALLEST_OF_JAVA = 2 ** -128;
/** Families of the files, and how their client counts: client_golang and prometheus-metrics choose the schema by the number of buckets. */
const FAMILIES = /** @type {const} */ ([
  ['go.text.txt', 'classic_seconds', 'client_golang 1.24.1', findClassic],
  ['go.openmetrics.txt', 'classic_seconds', 'client_golang 1.24.1', findClassic],
  ['go.protobuf.bin', 'classic_seconds', 'client_golang 1.24.1', findClassic],
  ['go.protobuf.bin', 'native_seconds', 'client_golang 1.24.1', findExponential(3, 0.001)],
  ['java.text.txt', 'classic_seconds', 'prometheus-metrics 1.10.0', findClassic],
  ['java.openmetrics2.txt', 'classic', 'prometheus-metrics 1.10.0', findClassic],
  ['java.openmetrics2.txt', 'native', 'prometheus-metrics 1.10.0', findExponential(3, SMALLEST_OF_JAVA)],
  ['java.openmetrics2.txt', 'few', 'prometheus-metrics 1.10.0', findExponential(-1, SMALLEST_OF_JAVA)],
  ['java.protobuf.bin', 'classic_seconds', 'prometheus-metrics 1.10.0', findClassic],
  ['java.protobuf.bin', 'native_seconds', 'prometheus-metrics 1.10.0', findExponential(3, SMALLEST_OF_JAVA)],
  ['python.text.txt', 'classic_seconds', 'prometheus_client 0.24.1', findClassic],
  ['rust.openmetrics.txt', 'classic_seconds', 'prometheus-client 0.24.0', findClassic],
]);

/** Histograms as the clients of Prometheus expose them: what tools/expositions has written. The slots are those of the first route. */
export function makeExpositions() {
  return FAMILIES.map(([file, family, madeBy, findBounds]) => {
    const bytes = readFileSync(join(EXPOSITIONS, file));
    const isText = file.endsWith('.txt');
    const input = isText ? cutText(bytes.toString(), family) : cutProtobuf(bytes, family).toString('base64');
    const values = listValues(/^[^#][^\n]*route="\/b/.test(input.replace(/^(?:#.*\n)*/, '')) ? 'b' : 'a');
    return {
      form: isText ? 'prometheus' : 'prometheus-protobuf',
      madeBy,
      name: `${family} of ${file}`,
      input,
      values: countValues(values),
      slots: countSlots(values, findBounds),
    };
  });
}

/** The lines of a family. @param {string} text @param {string} family */
function cutText(text, family) {
  const ofFamily = new RegExp(`^(?:# (?:HELP|TYPE|UNIT) )?${family}(?:_bucket|_sum|_count|_created)?[ {]`);
  const lines = text.split('\n').filter((line) => ofFamily.test(line) || line === '# EOF');
  return `${lines.join('\n')}\n`;
}

/** The message of a family, with its length before it. @param {Buffer} bytes @param {string} family */
function cutProtobuf(bytes, family) {
  for (let at = 0; at < bytes.length; ) {
    let [length, shift, start] = [0, 0, at];
    for (; ; shift += 7) {
      const byte = /** @type {number} */ (bytes[start++]);
      length += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    // The name is the first field.
    if (bytes.toString('utf8', start + 2, start + 2 + family.length) === family)
      return bytes.subarray(at, start + length);
    at = start + length;
  }
  throw new Error(`there is no family ${family}`);
}

// OpenTelemetry.

class Reader extends MetricReader {
  async onShutdown() {}
  async onForceFlush() {}
}

/** Histograms as the SDK of OpenTelemetry counts and serialises them. */
export async function makeOtlp() {
  const values = listValues();
  const kinds = /** @type {const} */ ([
    [
      'explicit',
      { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options: { boundaries: BOUNDS } },
      findClassic,
    ],
    // 160 buckets from 0.001 to 5 have scale 3.
    ['exponential', { type: AggregationType.EXPONENTIAL_HISTOGRAM }, findExponential(3, 0)],
  ]);
  const madeBy = '@opentelemetry/sdk-metrics 2.12.1 with @opentelemetry/otlp-transformer 0.223.0';
  const vectors = [];
  for (const [name, aggregation, findBounds] of kinds) {
    const reader = new Reader();
    const provider = new MeterProvider({ readers: [reader], views: [{ instrumentName: '*', aggregation }] });
    const histogram = provider.getMeter('vectors').createHistogram('durations', { unit: 's' });
    for (const value of values) histogram.record(value);
    const { resourceMetrics } = await reader.collect();
    // The same bytes in each run.
    for (const { metrics } of resourceMetrics.scopeMetrics)
      for (const { dataPoints } of metrics)
        for (const point of dataPoints)
          Object.assign(point, { startTime: [1_795_380_000, 0], endTime: [1_795_380_060, 0] });
    Object.assign(resourceMetrics, { resource: { attributes: {}, asyncAttributesPending: false } });
    const facts = { madeBy, name, values: countValues(values), slots: countSlots(values, findBounds) };
    const json = Buffer.from(
      /** @type {Uint8Array} */ (JsonMetricsSerializer.serializeRequest(resourceMetrics)),
    );
    const protobuf = Buffer.from(
      /** @type {Uint8Array} */ (ProtobufMetricsSerializer.serializeRequest(resourceMetrics)),
    );
    vectors.push({ form: 'otlp', ...facts, input: json.toString() });
    vectors.push({ form: 'otlp-protobuf', ...facts, input: protobuf.toString('base64') });
    await provider.shutdown();
  }
  return vectors;
}
