import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, chown } from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { HdrscopeError } from '@hdrscope/core';
import { removeFile } from '@hdrscope/kit/files';
import { writeError } from '../errors.ts';
import { type Files, syncDirectory } from './files.ts';

/** Whether rotated logs are compressed, and how many are kept. */
interface ArchiveOptions {
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
        await removeFile(this.#files, log.path + PARTIAL);
      }
    }
  }

  async #remove({ path, isPlain, isCompressed, isPartial }: RotatedLog): Promise<void> {
    if (isPartial) await removeFile(this.#files, path + PARTIAL);
    if (isCompressed) await removeFile(this.#files, path + COMPRESSED);
    if (isPlain) await removeFile(this.#files, path);
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
    await removeFile(files, partial).catch(() => {});
    throw error;
  }
  await syncDirectory(files, path);
  await files.unlink(path);
}

/** A rotated log and the forms in which it exists: `app.20260102T030405Z.hlog`, or `app.20260102T030405Z_0001.hlog.gz`. */
interface RotatedLog {
  /** Path of the plain form. */
  readonly path: string;
  readonly isPlain: boolean;
  readonly isCompressed: boolean;
  /** Whether an interrupted compression has left a file. */
  readonly isPartial: boolean;
}

/** Suffix of a compressed log. */
export const COMPRESSED = '.gz';
/** Suffix of a file that is being compressed. */
export const PARTIAL = '.gz.part';

/** Yields the names of a log that is rotated at a time, the preferred one first. Sorted names are in the order of time. */
export function* rotatedNames(path: string, timeMs: number): Generator<string, never> {
  const { dir, name, ext } = parse(path);
  const stamp = new Date(timeMs).toISOString().replace(/[-:]|\.\d+/g, '');
  for (let counter = 0; ; counter++) {
    // "_" sorts after the "." of an extension, so names of the same second are in order too.
    const suffix = counter === 0 ? '' : `_${String(counter).padStart(4, '0')}`;
    yield join(dir, `${name}.${stamp}${suffix}${ext}`);
  }
}

/** Finds the rotated logs of a path among the names of its directory, oldest first. */
export function rotatedLogs(path: string, names: readonly string[]): RotatedLog[] {
  const { name, ext } = parse(basename(path));
  const pattern = new RegExp(
    `^(${escaped(name)}\\.(\\d{8}T\\d{6}Z)(?:_(\\d{4,}))?${escaped(ext)})(\\.gz|\\.gz\\.part)?$`,
  );
  const found = new Map<string, { order: [string, number]; forms: Set<string> }>();
  for (const [, stem = '', stamp = '', counter = '0', form = ''] of names.flatMap((one) => [
    pattern.exec(one) ?? [],
  ])) {
    if (stem === '') continue;
    const log = found.get(stem) ?? { order: [stamp, Number(counter)], forms: new Set() };
    log.forms.add(form);
    found.set(stem, log);
  }
  return [...found]
    .sort(([, { order: a }], [, { order: b }]) => (a[0] === b[0] ? a[1] - b[1] : a[0] < b[0] ? -1 : 1))
    .map(([stem, { forms }]) => ({
      path: join(dirname(path), stem),
      isPlain: forms.has(''),
      isCompressed: forms.has(COMPRESSED),
      isPartial: forms.has(PARTIAL),
    }));
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
