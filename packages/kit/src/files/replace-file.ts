import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, rmSync, type Stats } from 'node:fs';
import { chmod, chown, realpath, rename, stat } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { isMissing } from './sync.ts';

/** The contents of a file, in parts. */
export type FileParts = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/**
 * Writes a file, which has another name until it is complete. A file that is there already is replaced, and keeps its mode and its
 * owner; of a symbolic link, the file that it leads to. A pipe or a device is written to directly.
 *
 * @throws the error of the file system, which may have the temporary name; that of the parts; the reason of the signal.
 */
export async function replaceFile(parts: FileParts, path: string, signal: AbortSignal): Promise<void> {
  await replaceFiles([{ path, parts }], signal);
}

/** A file that is to be written as a whole. */
export interface NewFile {
  /** Where it appears. A file that is there already is replaced. */
  readonly path: string;
  /** Its contents. */
  readonly parts: FileParts;
}

/**
 * Writes files as `replaceFile` does. None has its name before all are complete, so a full disk or a missing folder changes nothing.
 *
 * @throws as `replaceFile`.
 */
export async function replaceFiles(files: readonly NewFile[], signal: AbortSignal): Promise<void> {
  const prepared: PreparedFile[] = [];
  const removeAll = (): void => {
    for (const { unfinished } of prepared) rmSync(unfinished, { force: true });
  };
  // The process may end at a signal while the command still works.
  process.once('exit', removeAll);
  try {
    for (const { path, parts } of files) {
      const found = await stat(path).catch((error: unknown): undefined => {
        if (!isMissing(error)) throw error;
      });
      // Only a plain file can be replaced as a whole.
      if (found !== undefined && !found.isFile()) await writeParts(parts, path, 'w', signal);
      else {
        const target = found === undefined ? path : await realpath(path);
        const one = { target, unfinished: `${target}.${randomBytes(6).toString('hex')}.unfinished` };
        prepared.push(one);
        await prepare(parts, one, found, signal);
      }
    }
    for (const { unfinished, target } of prepared) await rename(unfinished, target);
  } catch (error) {
    removeAll();
    throw error;
  } finally {
    process.off('exit', removeAll);
  }
}

interface PreparedFile {
  readonly target: string;
  readonly unfinished: string;
}

/** @param found The file to replace; `undefined` when the path is free. */
async function prepare(
  parts: FileParts,
  { unfinished }: PreparedFile,
  found: Stats | undefined,
  signal: AbortSignal,
): Promise<void> {
  // Nobody else may have made a file of this name, or a link.
  await writeParts(parts, unfinished, 'wx', signal, found === undefined ? 0o666 : 0o600);
  if (found === undefined) return;
  // Only root can give a file to somebody else.
  await chown(unfinished, found.uid, found.gid).catch(() => {});
  await chmod(unfinished, found.mode & 0o777);
}

async function writeParts(
  parts: FileParts,
  path: string,
  flags: 'w' | 'wx',
  signal: AbortSignal,
  mode = 0o666,
): Promise<void> {
  const stream = createWriteStream(path, { flags, mode });
  // The loop finds an error of the stream by `errored`.
  stream.on('error', () => {});
  try {
    await once(stream, 'open', { signal });
    for await (const part of parts) {
      signal.throwIfAborted();
      if (stream.errored !== null) throw stream.errored;
      if (!stream.write(part)) await once(stream, 'drain', { signal });
    }
    stream.end();
    await finished(stream, { signal });
  } catch (error) {
    stream.destroy();
    throw error;
  }
}
