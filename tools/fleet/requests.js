/** Requests of OTLP with exponential histograms in protobuf, by an encoder of its own. */

/**
 * @typedef {object} Point
 * @property {string} route
 * @property {bigint} startNs
 * @property {bigint} timeNs
 * @property {number} count
 * @property {number} sum
 * @property {number} min
 * @property {number} max
 * @property {number} scale
 * @property {number} offset
 * @property {readonly number[]} counts
 */

export const METRIC = 'http.server.request.duration';

const DELTA = 1;
const CUMULATIVE = 2;
const [VARINT, FIXED64, LEN] = [0, 1, 2];

/** Bytes that grow. A message is written after its length, so its content is written first, elsewhere. */
class Writer {
  #bytes = Buffer.alloc(2 ** 16);
  #end = 0;

  /** @param {number} more */
  #reserve(more) {
    if (this.#end + more <= this.#bytes.length) return;
    const larger = Buffer.alloc(2 * (this.#end + more));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }

  /** @param {number} value An integer from 0 on. */
  varint(value) {
    this.#reserve(10);
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[this.#end++] = (rest % 128) | 128;
    this.#bytes[this.#end++] = rest;
    return this;
  }

  /** @param {number} field @param {number} value */
  number(field, value) {
    return this.varint(field * 8 + VARINT).varint(value);
  }

  /** @param {number} field @param {number} value */
  signed(field, value) {
    return this.number(field, value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** @param {number} field @param {bigint} value */
  fixed64(field, value) {
    this.varint(field * 8 + FIXED64).#reserve(8);
    this.#end = this.#bytes.writeBigUInt64LE(value, this.#end);
    return this;
  }

  /** @param {number} field @param {number} value */
  double(field, value) {
    this.varint(field * 8 + FIXED64).#reserve(8);
    this.#end = this.#bytes.writeDoubleLE(value, this.#end);
    return this;
  }

  /** @param {number} field @param {Uint8Array} content */
  message(field, content) {
    this.varint(field * 8 + LEN)
      .varint(content.length)
      .#reserve(content.length);
    this.#bytes.set(content, this.#end);
    this.#end += content.length;
    return this;
  }

  /** @param {number} field @param {string} text */
  text(field, text) {
    return this.message(field, Buffer.from(text));
  }

  /** A copy of the bytes. The writer is empty afterwards. */
  take() {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#end));
    this.#end = 0;
    return taken;
  }
}

const writer = new Writer();

/** @param {string} key @param {string} value */
const attribute = (key, value) => {
  const content = writer.text(1, value).take();
  return writer.text(1, key).message(2, content).take();
};

/** @type {Map<string, Buffer>} */
const routes = new Map();

/** @param {Point} point */
function encodePoint({ route, startNs, timeNs, count, sum, min, max, scale, offset, counts }) {
  const attributes = routes.get(route) ?? attribute('http.route', route);
  routes.set(route, attributes);
  for (const one of counts) writer.varint(one);
  const packed = writer.take();
  const buckets = writer.signed(1, offset).message(2, packed).take();
  writer.message(1, attributes).fixed64(2, startNs).fixed64(3, timeNs).fixed64(4, BigInt(count));
  writer.double(5, sum).signed(6, scale).message(8, buckets).double(12, min).double(13, max);
  return writer.take();
}

/**
 * A request of one process: a histogram with a point for each route.
 *
 * @param {{ host: string, isCumulative: boolean, points: readonly Point[] }} request
 * @returns {Buffer}
 */
export function encodeRequest({ host, isCumulative, points }) {
  const encoded = points.map(encodePoint);
  for (const point of encoded) writer.message(1, point);
  const data = writer.number(2, isCumulative ? CUMULATIVE : DELTA).take();
  const metric = writer.text(1, METRIC).text(3, 's').message(10, data).take();
  const metrics = writer.message(2, metric).take();
  const [service, name] = [attribute('service.name', 'shop'), attribute('host.name', host)];
  const resource = writer.message(1, service).message(1, name).take();
  const content = writer.message(1, resource).message(2, metrics).take();
  return writer.message(1, content).take();
}
