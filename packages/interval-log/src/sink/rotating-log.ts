import type { Clock } from '@hdrscope/registry';
import type { Archive } from './archive.ts';
import type { Block } from './block.ts';
import { type Files, statusOf, syncDirectory, writeError } from './files.ts';
import type { Health } from './health.ts';
import { LogFile } from './log-file.ts';
import type { SinkSettings } from './options.ts';
import { COMPRESSED, PARTIAL, rotatedNames } from './rotated-names.ts';

/** What a rotating log works with. */
export interface RotatingLogParts {
  readonly path: string;
  readonly settings: Pick<SinkSettings, 'rotation' | 'fsync'>;
  /** What stands above the first line of a block in a file that does not tell its times yet. */
  readonly headerOf: (block: Block) => string;
  readonly files: Files;
  readonly clock: Clock;
  readonly health: Health;
  readonly archive: Archive;
}

/** What this sink has told in a file. */
interface Contents {
  baseMs: number | undefined;
  readonly families: Set<string>;
  /** Since when the file has been written, in milliseconds since 1970; `undefined` while it is empty. */
  sinceMs: number | undefined;
}

/** The file that a name leads to, whoever moves it away: opened as often as need be, and rotated. */
export class RotatingLog {
  readonly #parts: RotatingLogParts;
  #file: LogFile | undefined;
  #contents: Contents = { baseMs: undefined, families: new Set(), sinceMs: undefined };
  #rotationCount = 0;
  /** Whether a rotation was asked for that has not been made. */
  #isRotationAsked = false;

  constructor(parts: RotatingLogParts) {
    this.#parts = parts;
  }

  /** Of the file that is written. */
  get sizeBytes(): number {
    return this.#file?.sizeBytes ?? 0;
  }

  get rotationCount(): number {
    return this.#rotationCount;
  }

  /**
   * Makes sure that the file is open, and that it is the one which the name leads to.
   *
   * @throws HdrscopeError `ERR_LOG_WRITE`
   */
  async open(): Promise<LogFile> {
    if (this.#file !== undefined) {
      if (await this.#file.isAsLeft()) return this.#file;
      await this.close();
    }
    const { path, files, settings } = this.#parts;
    const file = await LogFile.open(path, files);
    this.#file = file;
    this.#contents = { baseMs: undefined, families: new Set(), sinceMs: file.foundFromMs };
    if (settings.fsync !== 'never' && file.sizeBytes === 0) await syncDirectory(files, path);
    return file;
  }

  /**
   * Appends a block, and what a reader has to know before; returns how many bytes that took.
   *
   * @throws HdrscopeError `ERR_LOG_WRITE`; nothing of it is in the file then.
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
   * Tries whether so many bytes could be written.
   *
   * @throws HdrscopeError `ERR_LOG_WRITE`
   */
  async probe(sizeBytes: number): Promise<void> {
    await (await this.open()).probe(sizeBytes, { sync: this.#syncsIntervals });
  }

  /** Has the file rotated as soon as that can be done. */
  askForRotation(): void {
    this.#isRotationAsked = true;
  }

  /** Whether what comes at this time belongs in another file. */
  isRotationDue(timeMs: number): boolean {
    const { everyMs } = this.#parts.settings.rotation;
    const { sinceMs } = this.#contents;
    const isPeriodOver =
      sinceMs !== undefined && Math.floor(sinceMs / everyMs) !== Math.floor(timeMs / everyMs);
    return this.#isRotationAsked || isPeriodOver;
  }

  /** Gives the file a name of its own, unless it is empty; returns whether it did. Never rejects. */
  async rotate(): Promise<boolean> {
    const { health, archive, path } = this.#parts;
    this.#isRotationAsked = true;
    try {
      const isRotated = await this.#moveAway();
      this.#isRotationAsked = false;
      health.worked('rotate');
      if (isRotated) {
        this.#rotationCount++;
        archive.tend();
      }
      return isRotated;
    } catch (error) {
      health.failed('rotate', writeError('rotate', path, error));
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

  /** Never rejects: whole blocks are with the system already. */
  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    this.#contents = { baseMs: undefined, families: new Set(), sinceMs: undefined };
    try {
      if (this.#parts.settings.fsync !== 'never') await file?.sync();
    } catch (error) {
      this.#parts.health.failed('write', writeError('write', this.#parts.path, error));
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
    throw new Error('there is always another name');
  }
}
