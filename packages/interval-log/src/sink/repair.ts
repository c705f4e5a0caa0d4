import { HdrscopeError } from '@hdrscope/core';
import type { LogEntry } from '../reader/entry.ts';
import { LogParser } from '../reader/parser.ts';
import { FORMAT_VERSION_LINE } from '../writer/format.ts';
import type { FileHandle } from './files.ts';

const NEWLINE = 0x0a;
const CHUNK_BYTES = 2 ** 16;

// A file of nothing but NULs is what a crash leaves of a new log, unless it is large: then it may be a disk of somebody.
const MOST_NULS = 2 ** 20;

/**
 * Makes a file one that can be appended to: cuts off a last line that a crash has torn, and NULs after it. Whole lines
 * stay as they are, and so does a last interval that lacks nothing but its newline. Returns how long the file is then.
 *
 * @throws HdrscopeError `ERR_LOG_WRITE` when it is no interval log; it is unchanged then.
 */
export async function repairLog(handle: FileHandle, path: string): Promise<number> {
  const { size } = await handle.stat();
  if (size === 0) return 0;
  const head = await readAt(handle, 0, Math.min(size, CHUNK_BYTES));
  const textEnd = await endOfText(handle, size);
  if (!(await beginsLog(head, textEnd, size))) {
    throw new HdrscopeError('ERR_LOG_WRITE', `${path} must be an interval log, and is something else`);
  }
  const linesEnd = await endOfLines(handle, textEnd);
  if (linesEnd < textEnd && isWholeInterval(await readAt(handle, linesEnd, textEnd - linesEnd))) {
    if (textEnd < size) await handle.truncate(textEnd);
    // The file is open for appending.
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

/** Where the NULs at the end begin. */
function endOfText(handle: FileHandle, size: number): Promise<number> {
  return endOfLast(handle, size, (byte) => byte !== 0);
}

/** Where the last whole line ends. */
function endOfLines(handle: FileHandle, end: number): Promise<number> {
  return endOfLast(handle, end, (byte) => byte === NEWLINE);
}

/** The position after the last such byte before `end`, or 0. */
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

/** Whether something only a log has comes before anything that no log has; or nothing, which a probe may leave. */
function isLog(entries: readonly LogEntry[]): boolean {
  if (entries.length === 0) return true;
  const telling = entries.find((entry) => entry.kind !== 'comment' || FORMAT_VERSION.test(entry.text));
  return telling !== undefined && !isOther(telling);
}

const FORMAT_VERSION = /^\[Histogram log format version/;

/** Any file may hold what is no log's; and any CSV file quoted columns, or four of which three are numbers. */
function isOther(entry: LogEntry): boolean {
  if (entry.kind === 'legend') return entry.columns[0] !== 'StartTimestamp';
  if (entry.kind === 'interval') return !/^D?HIST/.test(entry.encoded);
  return entry.kind === 'malformed';
}

function isWholeInterval(line: Uint8Array): boolean {
  const [entry, ...others] = entriesOf(line);
  if (entry?.kind !== 'interval' || others.length > 0) return false;
  // Not every reader does without the padding.
  if (entry.encoded.length % 4 !== 0) return false;
  try {
    // Its checksum, which stands at its end, is that of what it holds.
    entry.histogram();
    return true;
  } catch {
    return false;
  }
}

function entriesOf(bytes: Uint8Array): LogEntry[] {
  const parser = new LogParser({ maxLineBytes: Number.MAX_SAFE_INTEGER });
  return [...parser.push(bytes), ...parser.end()];
}
