import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Refused } from './refused.ts';

const unzipped = promisify(gunzip);

/**
 * Reads the body of a request, as it is without its compression.
 *
 * @param maxBytes How long it may be, on the wire and unzipped.
 * @throws Refused
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding !== 'gzip' && encoding !== 'identity') {
    throw new Refused(415, `content-encoding must be gzip or identity, got ${JSON.stringify(encoding)}`);
  }
  const body = await received(request, maxBytes);
  return encoding === 'gzip' ? inflated(body, maxBytes) : body;
}

async function inflated(body: Buffer, maxBytes: number): Promise<Uint8Array> {
  try {
    return await unzipped(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new Refused(400, `the body is no gzip: ${(error as Error).message}`);
  }
}

/** What is too long is read a while longer, so that its sender gets to the answer. */
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
    request.on('close', () => reject(new Refused(400, 'the request broke off')));
  });
}

function tooLarge(maxBytes: number): Refused {
  return new Refused(413, `a body may have ${maxBytes} bytes, also once it is unzipped`);
}
