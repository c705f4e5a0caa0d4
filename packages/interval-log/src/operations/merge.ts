import { HdrscopeError } from '@hdrscope/core';
import {
  assertFollows,
  callback,
  custom,
  type OptionRules,
  optional,
  readOptions,
  type SettingsOf,
} from '@hdrscope/core/internal';
import type { LogErrorCode } from '../errors.ts';
import type { LogInterval } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { OPERATION_RULES, type OperationOptions, readLines, reportMalformed } from '../reader/read.ts';
import { toMicros, YEAR_SEC } from '../reader/time.ts';
import { formatHeader, formatLine } from '../writer/format.ts';

/** Options of `mergeLogs`. */
export interface MergeOptions extends OperationOptions {
  /**
   * Receives an interval that starts before the one above it in its own log. The merged log has it, out of order.
   *
   * @default not called
   */
  readonly onOutOfOrder?: (interval: LogInterval, source: LogSource) => void;
}

/**
 * Merges logs into one, ordered by the starts of the intervals, and yields its lines. No histogram is decoded. Each input
 * must be in the order of time, as writers make it. Memory holds one line of each input. If intervals start at the same
 * time, those of the first log come first.
 *
 * If the timestamps of all logs count from the same base time, lines are copied unchanged. Otherwise timestamps of the
 * merged log count from its start. Comments are left out.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist; `ERR_LOG_TIME` when only some logs have absolute
 *   times, so that the order of their intervals is unknown; `ERR_LOG_FORMAT` or `ERR_LOG_TIME` at a malformed line, unless
 *   `onMalformed` takes it.
 */
export async function* mergeLogs(
  sources: readonly LogSource[],
  options: MergeOptions = {},
): AsyncGenerator<string, void> {
  assertFollows('sources', custom<typeof sources>('an array of logs', Array.isArray), sources);
  const settings = readOptions(options, MERGE_LOGS);
  const cursors = sources.map((source, at) => new Cursor(source, at, settings));
  try {
    for (const cursor of cursors) await cursor.advance();
    const heads = cursors.filter(({ current }) => current !== undefined);
    const { startSec, baseSec, isShared } = findTimes(heads);
    yield formatHeader(startSec, baseSec);
    for (let next = findEarliest(heads); next?.current !== undefined; next = findEarliest(heads)) {
      const { interval, text } = next.current;
      const timestampSec = interval.startSec - baseSec;
      // A log may change its base time.
      const isUnchanged = isShared && Math.abs(interval.timestampSec - timestampSec) < 1e-6;
      yield isUnchanged ? `${text}\n` : formatLine({ ...interval, timestampSec });
      await next.advance();
    }
  } finally {
    for (const cursor of cursors) await cursor.close();
  }
}

const RULES = {
  ...OPERATION_RULES,
  onOutOfOrder: optional(callback<(interval: LogInterval, source: LogSource) => void>()),
} satisfies OptionRules<MergeOptions>;

const MERGE_LOGS = {
  name: 'mergeLogs',
  rules: RULES,
  call: "mergeLogs(['a.hlog', 'b.hlog'], { time: 'java' })",
};

interface Current {
  readonly interval: LogInterval;
  readonly text: string;
}

/** The reading position in one log. */
class Cursor {
  /** The name of the log in messages. */
  readonly name: string;
  current: Current | undefined;
  readonly #lines: ReturnType<typeof readLines>;
  readonly #source: LogSource;
  readonly #settings: SettingsOf<MergeOptions, typeof RULES>;

  constructor(source: LogSource, at: number, settings: SettingsOf<MergeOptions, typeof RULES>) {
    this.name = typeof source === 'string' ? source : `log ${at + 1}`;
    this.#source = source;
    this.#settings = settings;
    this.#lines = readLines(source, settings);
  }

  /** Moves to the next interval. */
  async advance(): Promise<void> {
    const before = this.current?.interval.startSec ?? Number.NEGATIVE_INFINITY;
    this.current = undefined;
    while (this.current === undefined) {
      const { done, value } = await this.#lines.next();
      if (done === true) return;
      const { text, entry } = value;
      if (entry?.kind === 'malformed') {
        reportMalformed(this.#settings, entry, this.#source);
      } else if (entry?.kind === 'interval') {
        if (entry.startSec < before) this.#settings.onOutOfOrder?.(entry, this.#source);
        this.current = { interval: entry, text };
      }
    }
  }

  async close(): Promise<void> {
    await this.#lines.return();
  }
}

function findEarliest(cursors: readonly Cursor[]): Cursor | undefined {
  let first: Cursor | undefined;
  for (const cursor of cursors) {
    const startSec = cursor.current?.interval.startSec ?? Number.POSITIVE_INFINITY;
    if (startSec < (first?.current?.interval.startSec ?? Number.POSITIVE_INFINITY)) first = cursor;
  }
  return first;
}

/** There may be more logs than arguments of a call. */
function findLowest(numbers: readonly number[]): number {
  return numbers.reduce((lowest, x) => Math.min(lowest, x), Number.POSITIVE_INFINITY);
}

interface MergedTimes {
  readonly startSec: number | undefined;
  readonly baseSec: number;
  /** Whether the timestamps of all logs count from that base already. */
  readonly isShared: boolean;
}

function findTimes(heads: readonly Cursor[]): MergedTimes {
  const firsts = heads.flatMap(({ name, current }) => (current ? [{ name, ...current.interval }] : []));
  const [first, ...others] = firsts;
  if (first === undefined) return { startSec: undefined, baseSec: 0, isShared: true };
  // As in HdrHistogram's reader, a start within a year of 1970 is relative.
  const isAbsolute = ({ startSec }: { startSec: number }): boolean => startSec >= YEAR_SEC;
  const odd = others.find((other) => isAbsolute(other) !== isAbsolute(first));
  if (odd !== undefined) {
    const [dated, undated] = isAbsolute(first) ? [first.name, odd.name] : [odd.name, first.name];
    throw new HdrscopeError<LogErrorCode>(
      'ERR_LOG_TIME',
      `merged logs must all have absolute times or all lack them: ${dated} has them, and ${undated} does not. ` +
        `Add a line "#[StartTime: SECONDS (seconds since epoch)]" to ${undated}`,
      { details: { dated, undated } },
    );
  }
  const bases = firsts.map(({ startSec, timestampSec }) => toMicros(startSec - timestampSec));
  const starts = firsts.map(({ startSec, offsetSec }) => toMicros(startSec - offsetSec));
  const firstStartSec = findLowest(starts);
  const startSec = isAbsolute(first) ? firstStartSec : undefined;
  const [baseSec = 0] = bases;
  // A base time is written in milliseconds.
  const isShared = bases.every((base) => base === baseSec) && Number.isInteger(toMicros(baseSec * 1000));
  if (isShared) return { startSec, baseSec, isShared };
  // An interval may start before its log, and its timestamp must not become negative.
  const earliestSec = Math.min(firstStartSec, findLowest(firsts.map((interval) => interval.startSec)));
  return { startSec, baseSec: Math.floor(earliestSec * 1000) / 1000, isShared: false };
}
