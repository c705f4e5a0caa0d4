import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { type Io, Refusal } from './command.ts';

const BATCH_CHARACTERS = 2 ** 16;

/** The help of `-o`, for every command. */
export const OUTPUT_HELP =
  'where to write, instead of standard output; the file appears when it is complete, and may be one of the inputs';

/** Writes lines to standard output or to a file. A file has another name until it is complete. */
export async function writeLines(
  lines: AsyncIterable<string>,
  path: string | undefined,
  io: Io,
): Promise<void> {
  if (path === undefined || path === '-') {
    for await (const batch of batches(lines)) await io.stdout.write(batch);
  } else await writeWhole(batches(lines), path, io.signal);
}

/**
 * Writes a file, which has another name until it is complete.
 *
 * @throws Refusal when the file cannot be created.
 */
export async function writeWhole(
  parts: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const unfinished = `${path}.${process.pid}.unfinished`;
  const stream = createWriteStream(unfinished);
  try {
    await once(stream, 'open');
    for await (const part of parts) {
      signal.throwIfAborted();
      if (!stream.write(part)) await once(stream, 'drain');
    }
    stream.end();
    await finished(stream);
    await rename(unfinished, path);
  } catch (error) {
    stream.destroy();
    await rm(unfinished, { force: true });
    const { syscall, message } = error as NodeJS.ErrnoException;
    // The message has the name that the person gave, not the temporary one.
    throw syscall === 'open'
      ? new Refusal(`cannot write ${path}: ${message.split(',')[0]}`, { cause: error })
      : error;
  }
}

async function* batches(lines: AsyncIterable<string>): AsyncGenerator<string, void> {
  let batch = '';
  for await (const line of lines) {
    batch += line;
    if (batch.length < BATCH_CHARACTERS) continue;
    yield batch;
    batch = '';
  }
  if (batch !== '') yield batch;
}
