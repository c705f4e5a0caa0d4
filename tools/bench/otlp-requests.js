/** Requests of OTLP with exponential histograms in protobuf, in which only the times change from one run to the next. */

/** @typedef {object} OtlpRequest @property {Buffer} body @property {readonly number[]} times Where each point has its two times. */

const BUCKETS = 160;

const SCALE = 5;
const FIRST_BUCKET = -200;
const DELTA = 1;

/** @param {number} value An integer from 0 on. @returns {number[]} */
function varint(value) {
  const bytes = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return [...bytes, value];
}

/** @type {(field: number, bytes: Uint8Array) => Buffer} */
const message = (field, bytes) =>
  Buffer.concat([Buffer.from([...varint(field * 8 + 2), ...varint(bytes.length)]), bytes]);

/** @type {(field: number, text: string) => Buffer} */
const text = (field, text) => message(field, Buffer.from(text));

/** @type {(field: number, value: number) => Buffer} */
const number = (field, value) => Buffer.from([...varint(field * 8), ...varint(value)]);

/** @type {(field: number, value: bigint) => Buffer} */
function fixed64(field, value) {
  const bytes = Buffer.alloc(9);
  bytes[0] = field * 8 + 1;
  bytes.writeBigUInt64LE(value, 1);
  return bytes;
}

/** @type {(field: number, value: number) => Buffer} */
function double(field, value) {
  const bytes = Buffer.alloc(9);
  bytes[0] = field * 8 + 1;
  bytes.writeDoubleLE(value, 1);
  return bytes;
}

/** @type {(key: string, value: string) => Buffer} */
const attribute = (key, value) => Buffer.concat([text(1, key), message(2, text(1, value))]);

/** @type {(value: number) => number} */
const zigzag = (value) => (value < 0 ? -2 * value - 1 : 2 * value);

/** @param {number} id The buckets of a series begin at one of seven places, as those of services do. @returns {Buffer} */
function point(id) {
  const first = FIRST_BUCKET + (id % 7);
  const counts = Array.from({ length: BUCKETS }, (_, i) => 1 + ((7 * i + id) % 5));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const [least, most] = [2 ** (first / 2 ** SCALE), 2 ** ((first + BUCKETS) / 2 ** SCALE)];
  return Buffer.concat([
    fixed64(2, 0n),
    fixed64(3, 0n),
    message(1, attribute('http.route', `/things/${id % 50}`)),
    message(1, attribute('k8s.pod.name', `pod-${id}`)),
    fixed64(4, BigInt(total)),
    double(5, total * 0.3),
    number(6, zigzag(SCALE)),
    message(8, Buffer.concat([number(1, zigzag(first)), message(2, Buffer.from(counts))])),
    double(12, least * 1.001),
    double(13, most * 0.999),
  ]);
}

/**
 * A request of a delta counter, by a service.
 *
 * @param {number} from The first series.
 * @param {number} series How many there are.
 * @returns {OtlpRequest}
 */
export function otlpRequest(from, series) {
  const points = Array.from({ length: series }, (_, i) => message(1, point(from + i)));
  const data = Buffer.concat([...points, number(2, DELTA)]);
  const metric = Buffer.concat([text(1, 'http.server.request.duration'), text(3, 's'), message(10, data)]);
  const scope = message(2, Buffer.concat([message(1, text(1, 'bench')), message(2, metric)]));
  const resource = message(1, message(1, attribute('service.name', 'shop')));
  const body = message(1, Buffer.concat([resource, scope]));
  const start = body.indexOf(/** @type {Buffer} */ (points[0]));
  /** @type {number[]} */
  const times = [];
  let at = start;
  for (const each of points) {
    at += each.length;
    times.push(at - point(from + times.length).length);
  }
  return { body, times };
}

/** @param {OtlpRequest} request @param {bigint} startNs @param {bigint} timeNs Nanoseconds since 1970. */
export function setTimes({ body, times }, startNs, timeNs) {
  for (const at of times) {
    body.writeBigUInt64LE(startNs, at + 1);
    body.writeBigUInt64LE(timeNs, at + 10);
  }
}
