import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { HdrscopeError, mustBe } from '@hdrscope/core';
import type { LogEntry } from '../reader/entry.ts';
import { LogParser, type ParserOptions } from '../reader/parser.ts';

/** How a growing log is followed. */
export interface FollowOptions extends ParserOptions {
  /** Ends the following, without an error. */
  readonly signal?: AbortSignal;
  /** How often the file is looked at, in milliseconds. Above 0. @default 250 */
  readonly pollMs?: number;
}

/** What happened to the file. */
export interface FollowNote {
  /**
   * - `'missing'`: there is none (yet); it is waited for.
   * - `'caught-up'`: all that is there was read. Said once; only new lines follow.
   * - `'truncated'`: it has become shorter, and is read from its start.
   * - `'replaced'`: another file has its name now. The old one was read to its end, the new one is from its start.
   */
  readonly kind: 'missing' | 'caught-up' | 'truncated' | 'replaced';
}

const CHUNK_BYTES = 2 ** 16;
const GZIP_MAGIC = 0x8b1f;

/**
 * Reads a log entry by entry and goes on as it grows, until it is told to end. A line counts when its newline is there:
 * a writer may be about to write the rest. Whether it has grown is asked of the file system again and again, which works
 * on every one of them.
 *
 * A file that is truncated and has grown beyond its former length before it is looked at again cannot be told from
 * one that has grown.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`; `ERR_LOG_FORMAT` when the file is compressed. What the file system throws,
 *   unless it is that there is no such file.
 */
export async function* followLog(
  path: string,
  { signal, pollMs = 250, ...options }: FollowOptions = {},
): AsyncGenerator<LogEntry | FollowNote, void> {
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
        if (handle !== undefined) file = new FollowedFile(handle, path, options);
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
          // What was written between the last look and the change.
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

/** A file that is open, and how far it was read. */
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

  /** What is there and was not read. */
  async *grown(isAborted: () => boolean): AsyncGenerator<LogEntry, void> {
    while (!isAborted()) {
      const { bytesRead } = await this.handle.read(this.#buffer, 0, CHUNK_BYTES, this.#position);
      if (bytesRead === 0) return;
      const chunk = this.#buffer.subarray(0, bytesRead);
      if (this.#position === 0 && chunk[0]! + 256 * (chunk[1] ?? 0) === GZIP_MAGIC) {
        throw new HdrscopeError('ERR_LOG_FORMAT', `${this.#path} is compressed, and cannot be followed`);
      }
      this.#position += bytesRead;
      yield* this.parser.push(chunk);
    }
  }

  /** Whether it is not the file any more that was read. A file that has lost its name is read until another has it. */
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
