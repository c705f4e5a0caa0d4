import type { Command } from 'commander';
import { UsageError } from '../command.ts';
import { parsePastTime } from '../inputs/past-time.ts';

/** The options that choose a time of a history, in milliseconds since 1970. */
export interface SpanOptions {
  readonly since?: number;
  readonly until?: number;
}

/** Adds `--since` and `--until` to a command. @param whose Whose intervals they choose, for the help. */
export function addSpan(parser: Command, whose = ''): Command {
  return parser
    .option(
      '--since <time>',
      `${whose}only intervals that start then or later: so long ago (7d, 12h), a date (2026-03-01, 2026-03-01T12:00:00Z) or seconds since 1970`,
      (text) => parseTime(text, '--since'),
    )
    .option('--until <time>', `${whose}only intervals that start before then`, (text) =>
      parseTime(text, '--until'),
    );
}

/** @throws UsageError */
function parseTime(text: string, name: string): number {
  const found = parsePastTime(text, name);
  return 'agoMs' in found ? Math.max(0, Date.now() - found.agoMs) : found.timeMs;
}

/** The time that the options choose, as a question has it. @throws UsageError when it is empty. */
export function spanOf({ since, until }: SpanOptions): {
  readonly sinceMs?: number;
  readonly untilMs?: number;
} {
  if (since !== undefined && until !== undefined && since >= until) {
    throw new UsageError('--since must be before --until');
  }
  return {
    ...(since !== undefined && { sinceMs: since }),
    ...(until !== undefined && { untilMs: until }),
  };
}
