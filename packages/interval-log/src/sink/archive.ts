import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, chown } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { HdrscopeError } from '@hdrscope/core';
import { writeError } from '../errors.ts';
import { type Files, remove, syncDirectory } from './files.ts';
import { COMPRESSED, PARTIAL, type RotatedLog, rotatedLogs } from './rotated-names.ts';

/** Whether rotated logs are compressed, and how many are kept. */
export interface ArchiveOptions {
  readonly gzip: boolean;
  readonly keep: number;
}

/** Compresses and removes the rotated logs of one path, in the background. */
export class Archive {
  readonly #path: string;
  readonly #options: ArchiveOptions;
  readonly #files: Files;
  readonly #onOutcome: (error: HdrscopeError | undefined) => void;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #isRequested = false;

  /** @param onOutcome Called after each run, with the error if it failed. */
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

  /** Starts a run: it compresses rotated logs, including those of earlier processes, and removes the oldest. */
  maintain(): void {
    this.#isRequested = true;
    this.#running ??= this.#maintainAll().finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when nothing is left to do. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Aborts a running compression. The next process that opens the log takes it up. */
  async abandon(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #maintainAll(): Promise<void> {
    while (this.#isRequested && !this.#stopping.signal.aborted) {
      this.#isRequested = false;
      try {
        const names = await this.#files.readdir(dirname(this.#path));
        await this.#maintainEach(rotatedLogs(this.#path, names));
        this.#onOutcome(undefined);
      } catch (error) {
        if (!this.#stopping.signal.aborted) {
          this.#onOutcome(writeError('maintain the rotated logs of', this.#path, error));
        }
      }
    }
  }

  async #maintainEach(logs: readonly RotatedLog[]): Promise<void> {
    const keptFrom = Math.max(0, logs.length - this.#options.keep);
    // Removing comes first, because it makes room.
    for (const log of logs.slice(0, keptFrom)) await this.#remove(log);
    for (const log of logs.slice(keptFrom)) {
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

/** Compresses a log. A crash at any moment leaves the original, the whole compressed file, or both. */
async function compress(path: string, files: Files, signal: AbortSignal): Promise<void> {
  const partial = path + PARTIAL;
  const { mode, uid, gid } = await files.stat(path);
  try {
    const source = createReadStream(path, { highWaterMark: 2 ** 18 });
    await pipeline(source, createGzip(), createWriteStream(partial, { mode, flush: true }), { signal });
    // Fails for a process without the right to it.
    await chown(partial, uid, gid).catch(() => {});
    // The mask of the process took its bits from the mode.
    await chmod(partial, mode).catch(() => {});
    await files.rename(partial, path + COMPRESSED);
  } catch (error) {
    await remove(files, partial).catch(() => {});
    throw error;
  }
  await syncDirectory(files, path);
  await files.unlink(path);
}
