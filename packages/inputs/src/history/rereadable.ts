import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { mustBe } from '@hdrscope/core/internal';
import type { LogSource } from '@hdrscope/interval-log';

/** Keeps a stream in a temporary file, so that it can be read several times. Files and bytes stay as they are. */
export async function withRereadable<T>(
  source: LogSource,
  use: (source: string | URL | Uint8Array) => Promise<T>,
): Promise<T> {
  if (source instanceof Uint8Array) return use(source);
  const isPath = typeof source === 'string' || source instanceof URL;
  if (isPath && (await stat(source)).isFile()) return use(source);
  const folder = await mkdtemp(join(tmpdir(), 'hdrscope-import-'));
  try {
    const path = join(folder, 'stream');
    const chunks = isPath ? createReadStream(source) : chunksOf(source);
    await pipeline(Readable.from(chunks, { objectMode: false }), createWriteStream(path, { mode: 0o600 }));
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
async function* chunksOf(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const isStream =
    typeof source === 'object' &&
    source !== null &&
    (Symbol.asyncIterator in source || Symbol.iterator in source);
  if (!isStream) throw mustBe('ERR_INVALID_OPTION', 'source', 'a path, bytes or a stream of bytes', source);
  for await (const chunk of source) {
    if (!(chunk instanceof Uint8Array)) {
      throw mustBe('ERR_INVALID_OPTION', 'source', 'a stream of bytes', chunk);
    }
    yield chunk;
  }
}
