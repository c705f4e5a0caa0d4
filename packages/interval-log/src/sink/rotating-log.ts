import { dirname } from 'node:path';
import type { Clock } from '@hdrscope/registry';
import { writeError } from '../errors.ts';
import { type Archive, COMPRESSED, PARTIAL, rotatedLogs, rotatedNames } from './archive.ts';
import type { Block } from './block.ts';
import { type Access, type Files, statusOf, syncDirectory } from './files.ts';
import type { SinkDuties } from './health.ts';
import { LogFile } from './log-file.ts';
import type { IntervalLogSettings } from './options.ts';

/** The collaborators of a rotating log. */
export interface RotatingLogParts {
  readonly path: string;
  readonly settings: Pick<IntervalLogSettings, 'rotation' | 'fsync'>;
  /** Makes the header of a block in a file that does not state the block's base time yet. */
  readonly headerOf: (block: Block) => string;
  readonly files: Files;
  readonly clock: Clock;
  readonly duties: SinkDuties;
  readonly archive: Archive;
}

/** The part of the current file that this sink has written. */
interface Contents {
  /** The latest base time; `undefined` before the first header of this sink. */
  baseMs: number | undefined;
  /** Keys of the families whose comment is in the file. */
  readonly families: Set<string>;
  /** Start of the file's first interval, in milliseconds since 1970; `undefined` while the file is empty. */
  sinceMs: number | undefined;
}

/** The file at a path. It is opened again if another process moves it away, and it is rotated. */
export class RotatingLog {
  readonly #parts: RotatingLogParts;
  #file: LogFile | undefined;
  /** The access of the file before this one. A new log gets it. */
  #access: Access | undefined;
  #contents: Contents = { baseMs: undefined, families: new Set(), sinceMs: undefined };
  #rotationCount = 0;
  /** Whether a requested rotation is still to be done. */
  #isRotationRequested = false;

  constructor(parts: RotatingLogParts) {
    this.#parts = parts;
  }

  /** Size of the current file. */
  get sizeBytes(): number {
    return this.#file?.sizeBytes ?? 0;
  }

  get rotationCount(): number {
    return this.#rotationCount;
  }

  /**
   * Opens the file at the path, unless it is open already.
   *
   * @throws HdrscopeError `ERR_LOG_WRITE`
   */
  async open(): Promise<LogFile> {
    if (this.#file !== undefined) {
      if (await this.#file.isUntouched()) return this.#file;
      await this.close();
    }
    const { path, files, settings } = this.#parts;
    this.#access ??= await this.#accessOfLatest();
    const file = await LogFile.open(path, files, this.#access);
    this.#file = file;
    this.#contents = { baseMs: undefined, families: new Set(), sinceMs: file.foundFromMs };
    if (settings.fsync !== 'never' && file.sizeBytes === 0) await syncDirectory(files, path);
    return file;
  }

  /**
   * Appends a block and the lines that a reader needs before it. Returns the number of bytes.
   *
   * @throws HdrscopeError `ERR_LOG_WRITE` when it fails; the file has no part of the block.
   */
  async write(block: Block): Promise<number> {
    let file = await this.open();
    let bytes = this.#bytesOf(block);
    if (file.sizeBytes + bytes.length > this.#parts.settings.rotation.sizeBytes && (await this.rotate())) {
      file = await this.open();
      bytes = this.#bytesOf(block);
    }
    await file.append(bytes, { sync: this.#syncsIntervals });
    this.#contents.baseMs = block.baseMs;
    this.#contents.sinceMs ??= block.startMs;
    for (const family of block.notes.keys()) this.#contents.families.add(family);
    return bytes.length;
  }

  /**
   * Checks whether this many bytes can be written.
   *
   * @throws HdrscopeError `ERR_LOG_WRITE`
   */
  async probe(sizeBytes: number): Promise<void> {
    await (await this.open()).probe(sizeBytes, { sync: this.#syncsIntervals });
  }

  /** Makes a rotation due until it succeeds. */
  requestRotation(): void {
    this.#isRotationRequested = true;
  }

  /** Whether counts of this time belong in another file. */
  isRotationDue(timeMs: number): boolean {
    const { everyMs } = this.#parts.settings.rotation;
    const { sinceMs } = this.#contents;
    const isPeriodOver =
      sinceMs !== undefined && Math.floor(sinceMs / everyMs) !== Math.floor(timeMs / everyMs);
    return this.#isRotationRequested || isPeriodOver;
  }

  /** Renames the file, unless it is empty. Resolves to whether it did. Never rejects. */
  async rotate(): Promise<boolean> {
    const { duties, archive, path } = this.#parts;
    this.#isRotationRequested = true;
    try {
      const isRotated = await this.#moveAway();
      this.#isRotationRequested = false;
      duties.succeeded('rotate');
      if (isRotated) {
        this.#rotationCount++;
        archive.maintain();
      }
      return isRotated;
    } catch (error) {
      duties.failed('rotate', writeError('rotate', path, error));
      return false;
    }
  }

  async #moveAway(): Promise<boolean> {
    const { path, files, settings, clock } = this.#parts;
    const file = await this.open();
    if (file.sizeBytes === 0) return false;
    if (settings.fsync !== 'never') await file.sync();
    await files.rename(path, await this.#freeName(clock.nowMs()));
    await this.close();
    if (settings.fsync !== 'never') await syncDirectory(files, path);
    return true;
  }

  /** Finds the access of the latest rotated log: an earlier process may have rotated it and ended. */
  async #accessOfLatest(): Promise<Access | undefined> {
    const { path, files } = this.#parts;
    const names = await files.readdir(dirname(path)).catch(() => []);
    const latest = rotatedLogs(path, names).at(-1);
    if (latest === undefined) return undefined;
    return statusOf(files, latest.isPlain ? latest.path : latest.path + COMPRESSED).catch(() => undefined);
  }

  /** Closes the file. Never rejects, because the system has every whole block already. */
  async close(): Promise<void> {
    const file = this.#file;
    this.#access = (await file?.access()) ?? this.#access;
    this.#file = undefined;
    this.#contents = { baseMs: undefined, families: new Set(), sinceMs: undefined };
    try {
      if (this.#parts.settings.fsync !== 'never') await file?.sync();
    } catch (error) {
      this.#parts.duties.failed('write', writeError('write', this.#parts.path, error));
    }
    await file?.close().catch(() => {});
  }

  get #syncsIntervals(): boolean {
    return this.#parts.settings.fsync === 'interval';
  }

  #bytesOf(block: Block): Uint8Array {
    const { baseMs, families } = this.#contents;
    const header = baseMs === block.baseMs ? '' : this.#parts.headerOf(block);
    const notes = [...block.notes].filter(([family]) => !families.has(family)).map(([, note]) => note);
    return Buffer.from(header + notes.join('') + block.text);
  }

  async #freeName(timeMs: number): Promise<string> {
    const { path, files } = this.#parts;
    for (const name of rotatedNames(path, timeMs)) {
      const forms = [name, name + COMPRESSED, name + PARTIAL];
      const found = await Promise.all(forms.map((form) => statusOf(files, form)));
      if (found.every((status) => status === undefined)) return name;
    }
    throw new Error('rotatedNames must not end');
  }
}
