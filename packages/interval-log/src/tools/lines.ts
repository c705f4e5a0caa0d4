import { HdrscopeError } from '@hdrscope/core';
import { type LogEntry, lineError } from '../reader/entry.ts';
import { type LogSource, textOf } from '../reader/input.ts';
import { LineSplitter } from '../reader/lines.ts';
import { LogParser } from '../reader/parser.ts';
import type { ReadOptions } from '../reader/read.ts';

/** A line as it stands in the log, and what it says. */
export interface LogLine {
  /** Without the newline; empty where the line was too long to be held, or is the broken end of a gzip stream. */
  readonly text: string;
  /** `undefined` where it is blank. */
  readonly entry: LogEntry | undefined;
}

const MAX_LINE_BYTES = 2 ** 24;

/** What `readEntries` reads, with the lines themselves: for tools that copy them. */
export async function* readLines(
  source: LogSource,
  { onBytes, ...options }: ReadOptions = {},
): AsyncGenerator<LogLine, void> {
  const splitter = new LineSplitter(options.maxLineBytes ?? MAX_LINE_BYTES);
  const parser = new LogParser(options);
  const encoder = new TextEncoder();
  const parsed = (line: ReturnType<LineSplitter['push']>[number]): LogLine => {
    const text = typeof line === 'string' ? line : '';
    const [entry] = parser.push(encoder.encode(`${text}\n`));
    if (typeof line === 'string') return { text, entry };
    const message = `a line of ${line.bytes} bytes is longer than allowed`;
    return { text, entry: malformed(parser.lineCount, message) };
  };
  try {
    for await (const chunk of textOf(source, onBytes)) {
      for (const line of splitter.push(chunk)) yield parsed(line);
    }
  } catch (error) {
    // The gzip stream is cut short: what could be had of it was had.
    if (!(error instanceof HdrscopeError) || error.code !== 'ERR_LOG_FORMAT') throw error;
    yield { text: '', entry: malformed(parser.lineCount + 1, error.message, error) };
  }
  for (const line of splitter.end()) yield parsed(line);
}

function malformed(lineNumber: number, message: string, cause?: Error): LogEntry {
  const error = lineError('ERR_LOG_FORMAT', lineNumber, message, cause && { cause });
  return { kind: 'malformed', lineNumber, error };
}
