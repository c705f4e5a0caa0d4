import { createReadStream, createWriteStream } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { HdrscopeError } from '@hdrscope/core';
import { type Files, remove, syncDirectory, writeError } from './files.ts';
import { COMPRESSED, PARTIAL, type RotatedLog, rotatedLogs } from './rotated-names.ts';

/** What becomes of rotated logs. */
export interface ArchiveOptions {
  readonly gzip: boolean;
  readonly keep: number;
}

/** Looks after the rotated logs of one path, in the background. */
export class Archive {
  readonly #path: string;
  readonly #options: ArchiveOptions;
  readonly #files: Files;
  readonly #onOutcome: (error: HdrscopeError | undefined) => void;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #isAskedAgain = false;

  /** @param onOutcome Told after each time, with what went wrong. */
  constructor(
    path: string,
    options: ArchiveOptions,
    files: Files,
    onOutcome: (error: HdrscopeError | undefined) => void,
  ) {
    this.#path = path;
    this.#options = options;
    this.#files = files;
    this.#onOutcome = onOutcome;
  }

  /** Compresses what is not yet compressed, such as what an earlier process has left, and removes what is too old. */
  tend(): void {
    this.#isAskedAgain = true;
    this.#running ??= this.#tendAll().finally(() => {
      this.#running = undefined;
    });
  }

  /** Ends when all is done. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Leaves a compression that is under way to whoever opens the log next. */
  async abandon(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #tendAll(): Promise<void> {
    while (this.#isAskedAgain && !this.#stopping.signal.aborted) {
      this.#isAskedAgain = false;
      try {
        const names = await this.#files.readdir(dirname(this.#path));
        await this.#tendEach(rotatedLogs(this.#path, names));
        this.#onOutcome(undefined);
      } catch (error) {
        if (!this.#stopping.signal.aborted) {
          this.#onOutcome(writeError('look after the rotated logs of', this.#path, error));
        }
      }
    }
  }

  async #tendEach(logs: readonly RotatedLog[]): Promise<void> {
    const keptFrom = logs.length - this.#options.keep;
    // First, as it makes room.
    for (const log of logs.slice(0, Math.max(0, keptFrom))) await this.#remove(log);
    for (const log of logs.slice(Math.max(0, keptFrom))) {
      if (log.isPlain && this.#options.gzip) {
        await compress(log.path, this.#files, this.#stopping.signal);
      } else if (log.isPartial) {
        await remove(this.#files, log.path + PARTIAL);
      }
    }
  }

  async #remove({ path, isPlain, isCompressed, isPartial }: RotatedLog): Promise<void> {
    if (isPartial) await remove(this.#files, path + PARTIAL);
    if (isCompressed) await remove(this.#files, path + COMPRESSED);
    if (isPlain) await remove(this.#files, path);
  }
}

/** A crash at any moment leaves the original, or all of the compressed one, or both; never less. */
async function compress(path: string, files: Files, signal: AbortSignal): Promise<void> {
  const partial = path + PARTIAL;
  const { mode } = await files.stat(path);
  try {
    const source = createReadStream(path, { highWaterMark: 2 ** 18 });
    await pipeline(source, createGzip(), createWriteStream(partial, { mode, flush: true }), { signal });
    await files.rename(partial, path + COMPRESSED);
  } catch (error) {
    await remove(files, partial).catch(() => {});
    throw error;
  }
  await syncDirectory(files, path);
  await files.unlink(path);
}
