import { HdrscopeError } from '@hdrscope/core';
import { Slices } from '@hdrscope/kit';
import { brokenEnd, type LogEntry } from '../reader/entry.ts';
import { type LogSource, textOf } from '../reader/input.ts';
import { type DroppedLine, LineSplitter } from '../reader/lines.ts';
import { DEFAULT_MAX_LINE_BYTES, LogParser } from '../reader/parser.ts';
import { pause, type ReadOptions } from '../reader/read.ts';

/** A line of a log and its entry. */
export interface LogLine {
  /** The line without its newline; empty for a dropped line and for the broken end of a gzip stream. */
  readonly text: string;
  /** `undefined` for a blank line. */
  readonly entry: LogEntry | undefined;
}

/** Reads entries as `readEntries` does, together with their lines: for operations that copy lines. */
export async function* readLines(
  source: LogSource,
  { onBytes, maxInflatedBytes, ...options }: ReadOptions = {},
): AsyncGenerator<LogLine, void> {
  const parser = new LogParser(options);
  const splitter = new LineSplitter(options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES);
  const parsed = (line: string | DroppedLine): LogLine => ({
    text: typeof line === 'string' ? line : '',
    entry: parser.pushLine(line),
  });
  let broken: HdrscopeError | undefined;
  const slices = new Slices();
  try {
    for await (const chunk of textOf(source, onBytes, maxInflatedBytes)) {
      for (const line of splitter.push(chunk)) {
        yield parsed(line);
        if (slices.isOver()) await pause(slices, onBytes);
      }
    }
  } catch (error) {
    // The gzip stream is cut short, and all its readable lines were yielded.
    if (!(error instanceof HdrscopeError) || error.code !== 'ERR_LOG_FORMAT') throw error;
    broken = error;
  }
  for (const line of splitter.end()) yield parsed(line);
  if (broken !== undefined) yield { text: '', entry: brokenEnd(broken, parser.lineCount + 1) };
}
