// Bodies that would become gigabytes or minutes: 16 MiB of them are 16 kB of gzip.

// The largest body that a receiver accepts by default, without the messages around the part that is repeated.
export const MOST_BYTES = 16 * 2 ** 20 - 256;

/** A field of protobuf that holds bytes. */
export function field(number: number, ...bytes: Uint8Array[]): Buffer {
  const body = Buffer.concat(bytes);
  return Buffer.concat([varint(number * 8 + 2), varint(body.length), body]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

/** The part again and again, at most `length` bytes. */
export function repeated(part: Buffer | string, length: number): Buffer {
  const size = Buffer.byteLength(part);
  return Buffer.alloc(Math.floor(length / size) * size, part);
}

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const inMetric = (...parts: Uint8Array[]): Buffer =>
  field(1, field(2, field(2, field(1, Buffer.from('m')), ...parts)));
const DELTA = hex('1001');

/** A request with explicit points of which nothing but their number matters. */
export function explicitPoints(points: Buffer): Buffer {
  return inMetric(field(9, DELTA, points));
}

const EMPTY = '0a00';

/** Makes a body whose repeated part has so many bytes. */
export type Attack = (bytes: number) => Buffer;

export const PROTOBUF_ATTACKS: Readonly<Record<string, Attack>> = {
  'empty resources': (bytes) => repeated(hex(EMPTY), bytes),
  'empty scopes': (bytes) => field(1, repeated(hex('1200'), bytes)),
  'empty metrics': (bytes) => field(1, field(2, repeated(hex('1200'), bytes))),
  'empty points': (bytes) => explicitPoints(repeated(hex(EMPTY), bytes)),
  'empty exponential points': (bytes) => inMetric(field(10, DELTA, repeated(hex(EMPTY), bytes))),
  'empty points of a gauge': (bytes) => inMetric(field(5, repeated(hex(EMPTY), bytes))),
  'empty attributes of a point of a gauge': (bytes) =>
    inMetric(field(5, field(1, repeated(hex('3a00'), bytes)))),
  'empty attributes of a resource': (bytes) => field(1, field(1, repeated(hex(EMPTY), bytes))),
  'empty attributes of a point': (bytes) => explicitPoints(field(1, repeated(hex('4a00'), bytes))),
  'empty items of an attribute': (bytes) =>
    explicitPoints(field(1, field(9, field(2, field(5, repeated(hex(EMPTY), bytes)))))),
  'names that come again': (bytes) => field(1, field(2, field(2, repeated(hex(EMPTY), bytes)))),
  'bounds one by one': (bytes) => explicitPoints(field(1, repeated(hex('390000000000000000'), bytes))),
  'counts one by one': (bytes) => inMetric(field(10, field(1, field(8, repeated(hex('1000'), bytes))))),
  'packed counts': (bytes) => inMetric(field(10, field(1, field(8, field(2, repeated(hex('00'), bytes)))))),
  'packed counts in pieces': (bytes) =>
    inMetric(field(10, field(1, field(8, repeated(hex('120100'), bytes))))),
  'unknown fields': (bytes) => repeated(hex('7800'), bytes),
  'an unknown group of many fields': (bytes) =>
    Buffer.concat([hex('7b'), repeated(hex('7800'), bytes), hex('7c')]),
  'groups within groups': (bytes) => repeated(hex('7b'), bytes),
};

function json(before: string, part: string, after: string): Attack {
  return (bytes) => Buffer.concat([Buffer.from(before), repeated(part, bytes), Buffer.from(after)]);
}

const BEFORE_METRICS = '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[';
const BEFORE_POINTS = `${BEFORE_METRICS}{"name":"m","histogram":{"aggregationTemporality":1,"dataPoints":[`;
const AFTER_POINTS = '{}]}}]}]}]}';

/** Counts of one point: as many as a body can hold. */
export const manyCounts: Attack = json(`${BEFORE_POINTS}{"bucketCounts":[`, '"1",', `"1"]},${AFTER_POINTS}`);

export const JSON_ATTACKS: Readonly<Record<string, Attack>> = {
  'empty resources': json('{"resourceMetrics":[', '{},', '{}]}'),
  'empty metrics': json(BEFORE_METRICS, '{},', '{}]}]}]}'),
  'empty points': json(BEFORE_POINTS, '{},', AFTER_POINTS),
  'points of one key': json(BEFORE_POINTS, '{"sum":0},', AFTER_POINTS),
  'empty attributes': json(`${BEFORE_POINTS}{"attributes":[`, '{},', `{}]},${AFTER_POINTS}`),
  numbers: json('{"a":[', '1,', '1]}'),
  'brackets that stay open': (bytes) => repeated('[', bytes),
  brackets: (bytes) => Buffer.concat([repeated('[', bytes / 2), repeated(']', bytes / 2)]),
  'keys that are all different': (bytes) => {
    const keys = Array.from({ length: Math.floor(bytes / 16) }, (_, i) => `"${i.toString(36)}":0`);
    return Buffer.from(`{${keys.join(',')}}`);
  },
};
