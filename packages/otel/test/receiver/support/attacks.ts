// Bodies of 16 MiB, the largest that a receiver accepts by default, which would become gigabytes or minutes. Each is 16 kB of gzip.

const MEBIBYTES_16 = 16 * 2 ** 20;
// The messages around the part that is repeated.
const ROOM = 256;

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
export function repeated(part: Buffer | string, length: number = MEBIBYTES_16 - ROOM): Buffer {
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

export const PROTOBUF_ATTACKS: Readonly<Record<string, () => Buffer>> = {
  'empty resources': () => repeated(hex(EMPTY)),
  'empty scopes': () => field(1, repeated(hex('1200'))),
  'empty metrics': () => field(1, field(2, repeated(hex('1200')))),
  'empty points': () => explicitPoints(repeated(hex(EMPTY))),
  'empty exponential points': () => inMetric(field(10, DELTA, repeated(hex(EMPTY)))),
  'empty points of a gauge': () => inMetric(field(5, repeated(hex(EMPTY)))),
  'empty attributes of a point of a gauge': () => inMetric(field(5, field(1, repeated(hex('3a00'))))),
  'empty attributes of a resource': () => field(1, field(1, repeated(hex(EMPTY)))),
  'empty attributes of a point': () => explicitPoints(field(1, repeated(hex('4a00')))),
  'empty items of an attribute': () =>
    explicitPoints(field(1, field(9, field(2, field(5, repeated(hex(EMPTY))))))),
  'names that come again': () => field(1, field(2, field(2, repeated(hex(EMPTY))))),
  'bounds one by one': () => explicitPoints(field(1, repeated(hex('390000000000000000')))),
  'counts one by one': () => inMetric(field(10, field(1, field(8, repeated(hex('1000')))))),
  'packed counts': () => inMetric(field(10, field(1, field(8, field(2, repeated(hex('00'))))))),
  'packed counts in pieces': () => inMetric(field(10, field(1, field(8, repeated(hex('120100')))))),
  'unknown fields': () => repeated(hex('7800')),
  'an unknown group of many fields': () => Buffer.concat([hex('7b'), repeated(hex('7800')), hex('7c')]),
  'groups within groups': () => repeated(hex('7b')),
};

function json(before: string, part: string, after: string): () => Buffer {
  return () => Buffer.concat([Buffer.from(before), repeated(part), Buffer.from(after)]);
}

const BEFORE_METRICS = '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[';
const BEFORE_POINTS = `${BEFORE_METRICS}{"name":"m","histogram":{"aggregationTemporality":1,"dataPoints":[`;
const AFTER_POINTS = '{}]}}]}]}]}';

/** Counts of one point: as many as a body can hold. */
export const manyCounts: () => Buffer = json(
  `${BEFORE_POINTS}{"bucketCounts":[`,
  '"1",',
  `"1"]},${AFTER_POINTS}`,
);

export const JSON_ATTACKS: Readonly<Record<string, () => Buffer>> = {
  'empty resources': json('{"resourceMetrics":[', '{},', '{}]}'),
  'empty metrics': json(BEFORE_METRICS, '{},', '{}]}]}]}'),
  'empty points': json(BEFORE_POINTS, '{},', AFTER_POINTS),
  'points of one key': json(BEFORE_POINTS, '{"sum":0},', AFTER_POINTS),
  'empty attributes': json(`${BEFORE_POINTS}{"attributes":[`, '{},', `{}]},${AFTER_POINTS}`),
  numbers: json('{"a":[', '1,', '1]}'),
  'brackets that stay open': () => repeated('['),
  brackets: () => Buffer.concat([repeated('[', MEBIBYTES_16 / 2), repeated(']', MEBIBYTES_16 / 2)]),
  'keys that are all different': () => {
    const keys = Array.from({ length: 1_100_000 }, (_, i) => `"${i.toString(36)}":0`);
    return Buffer.from(`{${keys.join(',')}}`);
  },
};
