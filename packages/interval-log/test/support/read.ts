import {
  type LogEntry,
  type LogInterval,
  type LogSource,
  readEntries,
  readIntervals,
} from '../../src/index.ts';
import { parseLog } from '../../src/parser.ts';
import { LogParser, type ParseLogOptions } from '../../src/reader/parser.ts';
import type { ReadOptions } from '../../src/reader/read.ts';

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Cuts bytes into chunks of a size. */
export function inChunks(whole: Uint8Array, size: number): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < whole.length; at += size) chunks.push(whole.subarray(at, at + size));
  return chunks;
}

/** The entries of a text. */
export function entriesOf(text: string, options?: ParseLogOptions): LogEntry[] {
  return [...parseLog(text, options)];
}

/** A parser with the default options. */
export function newParser(): LogParser {
  return new LogParser({ time: 'java', maxLineBytes: 2 ** 24, maxMalformed: 1_000_000 });
}

export function read(source: LogSource, options?: ReadOptions): Promise<LogEntry[]> {
  return all(readEntries(source, options));
}

/** All intervals of a log. Throws at a malformed line. */
export function intervalsOf(source: LogSource): Promise<LogInterval[]> {
  return all(readIntervals(source));
}

/** An entry in a few words. */
export function brief(entry: LogEntry): string {
  const { kind, lineNumber } = entry;
  switch (kind) {
    case 'interval':
      return `${lineNumber} interval ${entry.tag ?? '-'} ${entry.timestampSec} ${entry.lengthSec} ${entry.writtenMax} ${entry.encoded}`;
    case 'comment':
      return `${lineNumber} comment ${entry.text}`;
    case 'legend':
      return `${lineNumber} legend ${entry.columns.join('|')}`;
    case 'malformed':
      return `${lineNumber} ${entry.error.code}`;
    default:
      return `${lineNumber} ${kind} ${entry.seconds}`;
  }
}
