import { writeError } from '../errors.ts';
import { type Access, type FileHandle, type Files, makeLike, statusOf } from './files.ts';
import { repairLog } from './repair.ts';

/** A file that is open for appending. A block is appended as a whole or not at all. */
export class LogFile {
  readonly path: string;
  /** Modification time before this sink wrote, in milliseconds since 1970; `undefined` if the file was empty. */
  readonly foundFromMs: number | undefined;
  readonly #handle: FileHandle;
  readonly #files: Files;
  readonly #identity: string;
  /** End of the last whole block. */
  #sizeBytes: number;
  /** Whether a part of a block may follow the last whole one. */
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
   * Opens a log and repairs it. A file that does not exist is made.
   *
   * @param like The access of a new file. @default that of any new file of the process
   *
   * @throws HdrscopeError `ERR_LOG_WRITE`
   */
  static async open(path: string, files: Files, like?: Access): Promise<LogFile> {
    try {
      // Opening a pipe would wait for its reader.
      const found = await statusOf(files, path);
      if (found !== undefined && !found.isFile()) throw new Error('it must be a regular file');
      const made = found === undefined && like ? await makeLike(files, path, like) : undefined;
      const handle = made ?? (await files.open(path, 'a+'));
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
   * Whether the path still leads to this file and nobody else has changed it. The answer is no if another process has
   * moved, removed or truncated the file or has appended to it.
   *
   * @throws HdrscopeError `ERR_LOG_WRITE` when the file has a part of a block that cannot be cut off.
   */
  async isUntouched(): Promise<boolean> {
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
   * Appends all bytes or no byte.
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
      // If this fails, the part is cut off before the next write.
      await this.#cutOff().catch(() => {});
      throw writeError('write', this.path, error);
    }
  }

  /**
   * Checks whether this many bytes can be written.
   *
   * @throws HdrscopeError `ERR_LOG_WRITE`
   */
  async probe(sizeBytes: number, { sync }: { readonly sync: boolean }): Promise<void> {
    // Empty lines, which readers ignore: now, and after a crash.
    const bytes = new Uint8Array(sizeBytes).fill(0x0a);
    await this.append(bytes, { sync });
    this.#sizeBytes -= bytes.length;
    this.#isTorn = true;
    await this.#cutOff().catch((error: unknown) => {
      throw writeError('write', this.path, error);
    });
  }

  /** Who may use the file, also when it has another name by now; `undefined` if the system does not say. */
  async access(): Promise<Access | undefined> {
    return await this.#handle.stat().catch(() => undefined);
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
      if (bytesWritten === 0) throw new Error('the system takes no bytes');
      written += bytesWritten;
    }
  }

  async #cutOff(): Promise<void> {
    // `truncate` would fill a file with NULs that another process has truncated meanwhile.
    const { size } = await this.#handle.stat();
    if (size > this.#sizeBytes) await this.#handle.truncate(this.#sizeBytes);
    this.#isTorn = false;
  }
}
