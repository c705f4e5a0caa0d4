import { HdrscopeError } from '@hdrscope/core';
import { type FileHandle, type Files, statusOf, writeError } from './files.ts';
import { repairLog } from './repair.ts';

/** A file that is open for appending: what goes in is there as a whole, or not at all. */
export class LogFile {
  readonly path: string;
  /** The last change that was made by somebody else, in milliseconds since 1970; `undefined` where it was empty. */
  readonly foundFromMs: number | undefined;
  readonly #handle: FileHandle;
  readonly #files: Files;
  readonly #identity: string;
  /** Up to where it holds whole blocks. */
  #sizeBytes: number;
  /** Whether part of a block may stand behind them. */
  #isTorn = false;

  private constructor(
    path: string,
    handle: FileHandle,
    files: Files,
    identity: string,
    sizeBytes: number,
    foundFromMs: number,
  ) {
    this.path = path;
    this.#handle = handle;
    this.#files = files;
    this.#identity = identity;
    this.#sizeBytes = sizeBytes;
    this.foundFromMs = sizeBytes > 0 ? foundFromMs : undefined;
  }

  /**
   * Opens a log, makes it if need be, and repairs it.
   *
   * @throws HdrscopeError `ERR_LOG_WRITE`
   */
  static async open(path: string, files: Files): Promise<LogFile> {
    try {
      // To open a pipe would wait for its reader.
      const found = await statusOf(files, path);
      if (found !== undefined && !found.isFile()) throw new Error('it must be a regular file');
      const handle = await files.open(path, 'a+');
      try {
        const { dev, ino, mtimeMs } = await handle.stat();
        return new LogFile(path, handle, files, `${dev} ${ino}`, await repairLog(handle, path), mtimeMs);
      } catch (error) {
        await handle.close();
        throw error;
      }
    } catch (error) {
      throw writeError('open', path, error);
    }
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /**
   * Whether the name still leads to this file, as it was left. It does not where a tool has moved, removed or truncated
   * the file, nor where somebody else has appended to it.
   *
   * @throws HdrscopeError `ERR_LOG_WRITE` when a part of a block stands in the file and cannot be cut off.
   */
  async isAsLeft(): Promise<boolean> {
    try {
      if (this.#isTorn) await this.#cutOff();
      const found = await statusOf(this.#files, this.path);
      if (found === undefined) return false;
      return `${found.dev} ${found.ino}` === this.#identity && found.size === this.#sizeBytes;
    } catch (error) {
      throw writeError('write', this.path, error);
    }
  }

  /**
   * Appends all, or nothing.
   *
   * @throws HdrscopeError `ERR_LOG_WRITE`
   */
  async append(bytes: Uint8Array, { sync }: { readonly sync: boolean }): Promise<void> {
    try {
      this.#isTorn = true;
      await this.#writeAll(bytes);
      if (sync) await this.#handle.datasync();
      this.#isTorn = false;
      this.#sizeBytes += bytes.length;
    } catch (error) {
      // What cannot be cut off now is cut off before the next write.
      await this.#cutOff().catch(() => {});
      throw writeError('write', this.path, error);
    }
  }

  /**
   * Tries whether so many bytes would be taken.
   *
   * @throws HdrscopeError `ERR_LOG_WRITE`
   */
  async probe(sizeBytes: number, { sync }: { readonly sync: boolean }): Promise<void> {
    // Empty lines: whatever reads the file at this moment, or after a crash, takes no notice.
    const bytes = new Uint8Array(sizeBytes).fill(0x0a);
    await this.append(bytes, { sync });
    this.#sizeBytes -= bytes.length;
    this.#isTorn = true;
    await this.#cutOff().catch((error: unknown) => {
      throw writeError('write', this.path, error);
    });
  }

  async sync(): Promise<void> {
    await this.#handle.datasync();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(bytes, written, bytes.length - written);
      if (bytesWritten === 0)
        throw new HdrscopeError('ERR_LOG_WRITE', `cannot write ${this.path}: nothing is taken`);
      written += bytesWritten;
    }
  }

  async #cutOff(): Promise<void> {
    // A file that somebody has truncated meanwhile would be filled up with NULs.
    const { size } = await this.#handle.stat();
    if (size > this.#sizeBytes) await this.#handle.truncate(this.#sizeBytes);
    this.#isTorn = false;
  }
}
