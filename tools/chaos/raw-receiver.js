/**
 * A receiver of OTLP over HTTP that appends each request to a file before it answers: 4 bytes with the length, then the body.
 *
 * @typedef {object} RawReceiverSettings
 * @property {number} port
 * @property {string} file
 */
import { openSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';

/** @type {RawReceiverSettings} */
const { port, file } = JSON.parse(/** @type {string} */ (process.argv[2]));
const requests = openSync(file, 'a');

createServer(async (request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  writeSync(requests, Buffer.concat([length, body]));
  response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
}).listen(port, '127.0.0.1', () => console.log('ready'));
