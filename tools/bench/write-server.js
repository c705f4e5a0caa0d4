/**
 * A thread that takes what is written or exported. To a remote write it says that it has as many histograms as the main thread, and of an
 * export over OTLP it counts the points.
 */
import { createServer } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';

/** @type {{ histograms?: number, points?: Int32Array }} */
const { histograms = 0, points } = workerData;

const server = createServer((request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  if (points !== undefined) Atomics.store(points, 0, 0);
  request.on('data', (chunk) => points !== undefined && chunks.push(chunk));
  request.on('end', () => {
    const status = points === undefined ? 204 : 200;
    response.writeHead(status, { 'x-prometheus-remote-write-histograms-written': String(histograms) }).end();
    if (points === undefined) return;
    const body = Buffer.concat(chunks);
    const isGzip = request.headers['content-encoding'] === 'gzip';
    // After the answer, for which the main thread waits.
    setImmediate(() => {
      Atomics.store(points, 0, countFields(isGzip ? gunzipSync(body) : body, PATH_TO_POINTS));
      Atomics.notify(points, 0);
    });
  });
}).listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  parentPort?.postMessage(port);
});

/** The fields from an `ExportMetricsServiceRequest` to the points of its histograms: a resource, a scope, a metric, its kind, a point. */
const PATH_TO_POINTS = [[1], [2], [2], [9, 10], [1]];

/** The kind of a field that has a length. */
const MESSAGE = 2;

/**
 * Counts the messages at the end of a path of fields.
 *
 * @param {Uint8Array} bytes
 * @param {readonly (readonly number[])[]} path
 * @returns {number}
 */
function countFields(bytes, [fields, ...rest]) {
  if (fields === undefined) return 1;
  let count = 0;
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const kind = tag & 7;
    if (kind !== MESSAGE) {
      if (kind === 0) varint();
      else at += kind === 1 ? 8 : 4;
      continue;
    }
    const length = varint();
    if (fields.includes(tag >> 3)) count += countFields(bytes.subarray(at, at + length), rest);
    at += length;
  }
  return count;
}
