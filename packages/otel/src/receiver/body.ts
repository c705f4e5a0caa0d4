import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { HttpRefusal } from './http-refusal.ts';

const unzipped = promisify(gunzip);

/**
 * Reads the body of a request and decompresses it.
 *
 * @param maxBytes The largest size, both on the wire and decompressed.
 * @throws HttpRefusal 413 when the body is too large, 415 when its encoding is unknown, 400 when it cannot be read.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding !== 'gzip' && encoding !== 'identity') {
    throw new HttpRefusal(415, `content-encoding must be gzip or identity, got ${JSON.stringify(encoding)}`);
  }
  const body = await received(request, maxBytes);
  return encoding === 'gzip' ? inflated(body, maxBytes) : body;
}

async function inflated(body: Buffer, maxBytes: number): Promise<Uint8Array> {
  try {
    return await unzipped(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new HttpRefusal(400, `the body is not gzip: ${(error as Error).message}`);
  }
}

/** Reads a body. Past the limit it reads on for as much again, so that the sender comes to read the answer. */
function received(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        if (length > 2 * maxBytes) reject(tooLarge(maxBytes));
      }
    });
    request.on('end', () => {
      if (length > maxBytes) reject(tooLarge(maxBytes));
      else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    });
    request.on('error', reject);
    request.on('close', () => reject(new HttpRefusal(400, 'the request ended before its body was complete')));
  });
}

function tooLarge(maxBytes: number): HttpRefusal {
  return new HttpRefusal(413, `the body exceeds ${maxBytes} bytes, the limit on the wire and decompressed`);
}
