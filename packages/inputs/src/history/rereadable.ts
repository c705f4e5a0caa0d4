import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { LogSource } from '@hdrscope/interval-log';
import { readChunks } from '@hdrscope/interval-log/internal';

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
    await pipeline(
      Readable.from(readChunks(source), { objectMode: false }),
      createWriteStream(path, { mode: 0o600 }),
    );
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
