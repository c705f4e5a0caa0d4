import { HdrscopeError } from '@hdrscope/core';
import { type LogErrorCode, writeError } from '../errors.ts';
import type { LogEntry } from '../reader/entry.ts';
import { LogParser } from '../reader/parser.ts';
import { FORMAT_VERSION_LINE } from '../writer/format.ts';
import { type Access, type FileHandle, type Files, makeLike, statusOf } from './files.ts';

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

const NEWLINE = 0x0a;
const CHUNK_BYTES = 2 ** 16;

// A crash may leave a new log that holds only NULs. A larger file of NULs may be the image of a disk, and is refused.
const MOST_NULS = 2 ** 20;

/**
 * Repairs the end of a log after a crash, so that it can be appended to: cuts off a torn last line and NULs. Whole lines
 * stay. A last interval that lacks only its newline gets it. Returns the length of the file.
 *
 * @throws HdrscopeError `ERR_LOG_WRITE` when the file is not an interval log. The file is unchanged.
 */
export async function repairLog(handle: FileHandle, path: string): Promise<number> {
  const { size } = await handle.stat();
  if (size === 0) return 0;
  const head = await readAt(handle, 0, Math.min(size, CHUNK_BYTES));
  const textEnd = await endOfText(handle, size);
  if (!(await beginsLog(head, textEnd, size))) {
    const message = `${path} must be an interval log, and has other content: choose another path`;
    throw new HdrscopeError<LogErrorCode>('ERR_LOG_WRITE', message, { details: { path } });
  }
  const linesEnd = await endOfLines(handle, textEnd);
  if (linesEnd < textEnd && isWholeInterval(await readAt(handle, linesEnd, textEnd - linesEnd))) {
    if (textEnd < size) await handle.truncate(textEnd);
    // This appends, because the file is open for appending.
    await handle.write('\n');
    return textEnd + 1;
  }
  if (linesEnd < size) await handle.truncate(linesEnd);
  return linesEnd;
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** Returns the position of the NULs at the end, or the size. */
function endOfText(handle: FileHandle, size: number): Promise<number> {
  return endOfLast(handle, size, (byte) => byte !== 0);
}

/** Returns the end of the last whole line before `end`. */
function endOfLines(handle: FileHandle, end: number): Promise<number> {
  return endOfLast(handle, end, (byte) => byte === NEWLINE);
}

/** Returns the position after the last wanted byte before `end`, or 0. */
async function endOfLast(
  handle: FileHandle,
  end: number,
  isWanted: (byte: number) => boolean,
): Promise<number> {
  for (let chunkEnd = end; chunkEnd > 0; chunkEnd -= CHUNK_BYTES) {
    const start = Math.max(0, chunkEnd - CHUNK_BYTES);
    const at = (await readAt(handle, start, chunkEnd - start)).findLastIndex(isWanted);
    if (at >= 0) return start + at + 1;
  }
  return 0;
}

async function beginsLog(head: Uint8Array, textEnd: number, size: number): Promise<boolean> {
  if (textEnd === 0) return size <= MOST_NULS;
  const text = head.subarray(0, textEnd);
  const linesEnd = text.lastIndexOf(NEWLINE) + 1;
  if (linesEnd > 0) return isLog(entriesOf(text.subarray(0, linesEnd)));
  // No line yet, or a first one that is long: torn from the beginning of a log, or an interval.
  const torn = new TextDecoder().decode(text);
  return FORMAT_VERSION_LINE.startsWith(torn) || isWholeInterval(text);
}

/** Whether the first entry that is not an ordinary comment belongs in a log. Blank lines alone are a log: a probe may leave them. */
function isLog(entries: readonly LogEntry[]): boolean {
  if (entries.length === 0) return true;
  const decisive = entries.find((entry) => entry.kind !== 'comment' || FORMAT_VERSION.test(entry.text));
  return decisive !== undefined && !isOther(decisive);
}

const FORMAT_VERSION = /^\[Histogram log format version/;

/** Whether an entry may come from another kind of file. A CSV file may have quoted columns, or three numbers and a text. */
function isOther(entry: LogEntry): boolean {
  if (entry.kind === 'legend') return entry.columns[0] !== 'StartTimestamp';
  if (entry.kind === 'interval') return !/^D?HIST/.test(entry.encoded);
  return entry.kind === 'malformed';
}

function isWholeInterval(line: Uint8Array): boolean {
  const [entry, ...others] = entriesOf(line);
  if (entry?.kind !== 'interval' || others.length > 0) return false;
  // Some readers need the padding of base64.
  if (entry.encoded.length % 4 !== 0) return false;
  try {
    // Decoding compares the checksum at the end, so the interval is whole.
    entry.histogram();
    return true;
  } catch {
    return false;
  }
}

function entriesOf(bytes: Uint8Array): LogEntry[] {
  const parser = new LogParser({
    time: 'java',
    maxLineBytes: Number.MAX_SAFE_INTEGER,
    maxMalformed: Number.POSITIVE_INFINITY,
  });
  return [...parser.push(bytes), ...parser.end()];
}
