import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { HdrscopeError } from '@hdrscope/core';
import { assertOptions, mustBe, type OptionsOwner } from '@hdrscope/core/internal';
import type { LogErrorCode } from '../errors.ts';
import type { LogEntry } from '../reader/entry.ts';
import { LogParser, PARSER_NAMES, type ParserOptions } from '../reader/parser.ts';

/** Options of `followLog`. */
export interface FollowOptions extends ParserOptions {
  /** Ends the iteration, without an error. @default it ends when the consumer stops */
  readonly signal?: AbortSignal;
  /** Time between two looks at the file, in milliseconds. Above 0. @default 250 */
  readonly pollMs?: number;
}

/** An event of the followed file. */
export interface FollowNote {
  /**
   * - `'missing'`: the file does not exist (yet), and `followLog` waits for it.
   * - `'caught-up'`: every whole line was read. It comes once; only new lines follow.
   * - `'truncated'`: the file has become shorter, and is read from its start.
   * - `'replaced'`: another file has the path now. The old file was read to its end, and the new one is read from its start.
   */
  readonly kind: 'missing' | 'caught-up' | 'truncated' | 'replaced';
}

const CHUNK_BYTES = 2 ** 16;
const GZIP_MAGIC = 0x8b1f;

/**
 * Reads a log entry by entry and continues as it grows, until `signal` aborts or the consumer stops. A line without its
 * newline waits, because its writer may be about to write the rest. `followLog` polls, which works on every file system.
 *
 * A file that is truncated and grows beyond its former length between two looks is indistinguishable from one that
 * only grew, so its first lines are lost. Errors of the file system are thrown unchanged, except that a missing file is
 * waited for.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range; `ERR_LOG_FORMAT` when the
 *   file is compressed.
 */
export async function* followLog(
  path: string,
  options: FollowOptions = {},
): AsyncGenerator<LogEntry | FollowNote, void> {
  assertOptions(options, FOLLOW_LOG);
  const { signal, pollMs = 250, ...parsing } = options;
  if (!(pollMs > 0 && Number.isFinite(pollMs))) {
    throw mustBe('ERR_INVALID_OPTION', 'pollMs', 'a finite number above 0', pollMs);
  }
  const isAborted = (): boolean => signal?.aborted === true;
  let isKnownMissing = false;
  let hasCaughtUp = false;
  let file: FollowedFile | undefined;
  try {
    while (!isAborted()) {
      if (file === undefined) {
        const handle = await openIfThere(path);
        if (handle !== undefined) file = new FollowedFile(handle, path, parsing);
        else if (!isKnownMissing) yield { kind: 'missing' };
        isKnownMissing = handle === undefined;
      }
      if (file !== undefined) {
        yield* file.grown(isAborted);
        if (isAborted()) return;
        if (!hasCaughtUp) yield { kind: 'caught-up' };
        hasCaughtUp = true;
        const change = await file.change();
        if (change !== undefined) {
          // Reads what was written between the last look and the change.
          yield* file.grown(isAborted);
          if (change === 'replaced') yield* file.parser.end();
          await file.handle.close();
          file = undefined;
          yield { kind: change };
          continue;
        }
      }
      await pause(pollMs, signal);
    }
  } finally {
    await file?.handle.close();
  }
}

const FOLLOW_LOG: OptionsOwner<FollowOptions> = {
  name: 'followLog',
  names: { ...PARSER_NAMES, signal: true, pollMs: true },
  call: "followLog('service.hlog', { pollMs: 250 })",
};

/** An open file, and the position up to which it was read. */
class FollowedFile {
  readonly handle: FileHandle;
  readonly parser: LogParser;
  readonly #path: string;
  readonly #buffer = new Uint8Array(CHUNK_BYTES);
  #position = 0;

  constructor(handle: FileHandle, path: string, options: ParserOptions) {
    this.handle = handle;
    this.parser = new LogParser(options);
    this.#path = path;
  }

  /** Reads the entries after the last position. */
  async *grown(isAborted: () => boolean): AsyncGenerator<LogEntry, void> {
    while (!isAborted()) {
      const { bytesRead } = await this.handle.read(this.#buffer, 0, CHUNK_BYTES, this.#position);
      if (bytesRead === 0) return;
      const chunk = this.#buffer.subarray(0, bytesRead);
      if (this.#position === 0 && chunk[0]! + 256 * (chunk[1] ?? 0) === GZIP_MAGIC) {
        const message = `a followed log must be plain text, and ${this.#path} is compressed: read it with readEntries`;
        throw new HdrscopeError<LogErrorCode>('ERR_LOG_FORMAT', message, { details: { path: this.#path } });
      }
      this.#position += bytesRead;
      yield* this.parser.push(chunk);
    }
  }

  /** Compares the open file with the one at the path. A file whose path is gone is read on until another file has it. */
  async change(): Promise<'truncated' | 'replaced' | undefined> {
    const [ours, theirs] = await Promise.all([this.handle.stat(), statIfThere(this.#path)]);
    if (theirs !== undefined && (theirs.ino !== ours.ino || theirs.dev !== ours.dev)) return 'replaced';
    return ours.size < this.#position ? 'truncated' : undefined;
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, signal && { signal }).catch((error: Error) => {
    if (error.name !== 'AbortError') throw error;
  });
}

function openIfThere(path: string): Promise<FileHandle | undefined> {
  return open(path, 'r').catch(ifMissing);
}

function statIfThere(path: string): Promise<Awaited<ReturnType<typeof stat>> | undefined> {
  return stat(path).catch(ifMissing);
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
