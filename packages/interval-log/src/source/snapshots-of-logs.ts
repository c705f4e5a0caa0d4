import {
  assertFollows,
  custom,
  integer,
  listOf,
  type OptionRules,
  object,
  optional,
  readOptions,
} from '@hdrscope/core/internal';
import { TimeoutError, within } from '@hdrscope/kit';
import { createRegistry, type FamilyOptions, type Registry, type Snapshot } from '@hdrscope/registry';
import { defaultResolution } from '@hdrscope/registry/internal';
import type { LogEntry, LogInterval } from '../reader/entry.ts';
import {
  createLogIntake,
  type IngestLogOptions,
  type LoggedSeries,
  type LogIngestion,
  type LogIntake,
} from './ingest-log.ts';

/** A log for `snapshotsOfLogs`. */
export interface RecordedLog extends IngestLogOptions {
  /** The entries of the log, as `readEntries` and `followLog` yield them. Intervals come in the order of their starts. */
  readonly entries: AsyncIterable<LogEntry>;
  /** Gets the result at the end of the log. @default not called */
  readonly onEnd?: (result: LogIngestion['result']) => void;
}

/** When `snapshotsOfLogs` yields a snapshot. */
export interface SnapshotsOptions {
  /**
   * For logs that grow: when no entry has come for so many milliseconds, the interval that was read last counts as complete. Above 0.
   * @default an interval is complete when the next one begins
   */
  readonly idleMs?: number;
  /**
   * About how many snapshots are wanted: an integer of at least 2. After so many, neighbouring intervals share a snapshot. Each time the
   * log turns out to be twice as long, twice as many intervals share one. @default a snapshot for each interval
   */
  readonly maxSnapshots?: number;
}

/**
 * Yields the snapshots that a registry would have given at the end of each interval, had it counted the values of the logs. A page
 * shows them as a record, and two snapshots show what was counted between them. Intervals of all logs that start at one moment are in one
 * snapshot. The first snapshot is that of the first start, without counts.
 *
 * Times never go back: an interval that ends before the last snapshot is in the next one, a millisecond later.
 *
 * A family has the most digits and the finest resolution that it has in the first intervals of the logs. Counts of fewer digits, or of
 * coarser steps, have the slots that their values may lie in: see `SeriesSnapshot.reaches`.
 *
 * @throws HdrscopeError `ERR_ALREADY_REGISTERED`, which names both units, when two logs have a family with different units;
 *   `ERR_INVALID_OPTION` when an option does not exist. The error of a source is thrown unchanged.
 * @example
 * ```ts
 * import { readEntries, snapshotsOfLogs } from '@hdrscope/interval-log';
 *
 * const line = (second: number) =>
 *   `${second}.000,1.000,0.000,HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe\n`;
 * const log = new TextEncoder().encode(`#[BaseTime: 1000 (seconds since epoch)]\n${line(1)}${line(2)}`);
 * const family = { name: 'latency', unit: 's', resolution: 1e-9, significantDigits: 3 };
 * const entries = readEntries(log);
 * const seen: (readonly [second: number, count: number])[] = [];
 * for await (const { timeMs, families } of snapshotsOfLogs([{ entries, seriesOf: () => ({ family, attributes: {} }) }])) {
 *   seen.push([timeMs / 1000, families[0]?.series[0]?.counts.total ?? 0]);
 * }
 * seen; //=> [[1001, 0], [1002, 1], [1003, 2]]
 * ```
 */
export function snapshotsOfLogs(
  logs: readonly RecordedLog[],
  options: SnapshotsOptions = {},
): AsyncGenerator<Snapshot, void> {
  return snapshotsWithin({}, logs, options);
}

/** As `snapshotsOfLogs`, of families that may have other numbers of series than those of a service. */
export async function* snapshotsWithin(
  limits: Pick<FamilyOptions, 'cardinalityLimit'>,
  logs: readonly RecordedLog[],
  options: SnapshotsOptions = {},
): AsyncGenerator<Snapshot, void> {
  assertFollows('logs', listOf<RecordedLog>(object(), 'logs'), logs);
  const { idleMs, maxSnapshots } = readOptions(options, SNAPSHOTS_OF_LOGS);
  const pace = new Pace(maxSnapshots);
  let nowMs = 0;
  const registry = createRegistry({ clock: { nowMs: () => nowMs, monotonicMs: () => nowMs } });
  const readers = logs.map(
    (log) => new LogReader(statingResolutions(log), (options) => createLogIntake(registry, options, limits)),
  );
  /** The step that is being read: intervals that start at one moment. */
  let step: { readonly startMs: number; endMs: number } | undefined;
  let isFirst = true;
  const snapshotAt = (timeMs: number): Promise<Snapshot> => {
    nowMs = isFirst ? timeMs : Math.max(timeMs, nowMs + 1);
    isFirst = false;
    pace.passed(nowMs);
    return registry.gather();
  };
  try {
    for (;;) {
      const reader = await findEarliest(readers, step === undefined ? undefined : idleMs);
      if (reader === undefined) break;
      // The first wait is for all logs.
      if (isFirst) addFinestFamilies(registry, readers);
      const next = reader === 'idle' ? undefined : reader.head!;
      const startMs = next && toStartMs(next);
      if (step !== undefined && (startMs === undefined || !pace.joins(step.startMs, startMs))) {
        yield await snapshotAt(step.endMs);
        step = undefined;
      }
      if (next === undefined || startMs === undefined || reader === 'idle') continue;
      // Time between two intervals is an interval of its own, in which nothing was counted.
      if (step === undefined && (isFirst || startMs > nowMs)) yield await snapshotAt(startMs);
      step ??= { startMs, endMs: startMs };
      step.endMs = Math.max(step.endMs, startMs + Math.round(next.lengthSec * 1000));
      reader.take();
    }
    if (step !== undefined) yield await snapshotAt(step.endMs);
  } finally {
    for (const reader of readers) reader.close();
  }
}

const SNAPSHOTS_OF_LOGS = {
  name: 'snapshotsOfLogs',
  rules: {
    idleMs: optional(custom<number>('above 0', (ms) => typeof ms === 'number' && ms > 0)),
    maxSnapshots: optional(integer({ from: 2 })),
  } satisfies OptionRules<SnapshotsOptions>,
  call: 'snapshotsOfLogs([{ entries }], { idleMs: 500 })',
};

/** A log whose ticks do not depend on what other logs say of a family: a resolution that is not stated is the default one of the unit. */
function statingResolutions(log: RecordedLog): RecordedLog {
  const { seriesOf } = log;
  if (typeof seriesOf !== 'function') return log;
  return {
    ...log,
    seriesOf(interval) {
      const series = seriesOf(interval);
      if (series === undefined) return undefined;
      const { resolution = defaultResolution(series.family.unit ?? ''), ...family } = series.family;
      return { ...series, family: { ...family, resolution } };
    },
  };
}

/**
 * Makes the families of the intervals that come next, each with the most digits and the finest resolution that it has in them. A family
 * whose digits are not stated is made by its first interval.
 */
function addFinestFamilies(registry: Registry, readers: readonly LogReader[]): void {
  const finest = new Map<string, FamilyOptions>();
  for (const { family } of readers.flatMap((reader) => reader.nextSeries ?? [])) {
    const { name, scope, unit = '', significantDigits, resolution } = family;
    if (significantDigits === undefined || resolution === undefined) continue;
    const key = JSON.stringify([name, scope, unit]);
    const known = finest.get(key);
    finest.set(key, {
      ...(known ?? family),
      significantDigits: Math.max(significantDigits, known?.significantDigits ?? 0),
      resolution: Math.min(resolution, known?.resolution ?? resolution),
    });
  }
  // A family has one unit: intervals of a second one are refused when they are counted.
  for (const family of finest.values()) if (registry.family(family) === undefined) registry.histogram(family);
}

function toStartMs({ startSec }: LogInterval): number {
  return Math.round(startSec * 1000);
}

/** How far apart snapshots are. */
class Pace {
  readonly #most: number;
  /** Intervals that start within so many milliseconds share a snapshot. At 0 only those that start together share one. */
  #stepMs = 0;
  #count = 0;
  #firstMs: number | undefined;

  constructor(most: number = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  /** Whether an interval shares the snapshot of one that started earlier. */
  joins(firstMs: number, startMs: number): boolean {
    return startMs === firstMs || startMs - firstMs < this.#stepMs;
  }

  passed(timeMs: number): void {
    this.#firstMs ??= timeMs;
    if (++this.#count < this.#most) return;
    this.#stepMs = (2 * (timeMs - this.#firstMs)) / this.#most;
    // At this pace there would have been half as many.
    this.#count = Math.floor(this.#most / 2);
  }
}

/** Reads one log, an interval ahead. */
class LogReader {
  /** The interval that comes next; `undefined` at the end, and before `advance`. */
  head: LogInterval | undefined;
  isAtEnd = false;
  readonly #entries: AsyncIterator<LogEntry>;
  readonly #into: LogIntake;
  readonly #onEnd: RecordedLog['onEnd'];
  #advancing: Promise<void> | undefined;

  constructor(
    { entries, onEnd, ...options }: RecordedLog,
    intoRegistry: (options: IngestLogOptions) => LogIntake,
  ) {
    this.#entries = entries[Symbol.asyncIterator]();
    this.#into = intoRegistry(options);
    this.#onEnd = onEnd;
  }

  /** Reads up to the next interval. An error that comes while nobody waits is thrown by the next call. */
  advance(): Promise<void> {
    if (this.head !== undefined || this.isAtEnd) return Promise.resolve();
    this.#advancing ??= this.#advance().then(() => {
      this.#advancing = undefined;
    });
    return this.#advancing;
  }

  async #advance(): Promise<void> {
    while (this.head === undefined && !this.isAtEnd) {
      const { value, done } = await this.#entries.next();
      if (done === true) {
        this.isAtEnd = true;
        this.#onEnd?.(this.#into.result);
      } else if (value.kind === 'interval') this.head = value;
      else this.#into.take(value);
    }
  }

  /** The series of the next interval; `undefined` at the end, or when neither a comment nor `seriesOf` names it. */
  get nextSeries(): LoggedSeries | undefined {
    return this.head && this.#into.seriesOf(this.head);
  }

  /** Counts the next interval. */
  take(): void {
    const { head } = this;
    this.head = undefined;
    if (head !== undefined) this.#into.take(head);
  }

  /** Ends the reading. A source that waits for its next entry ends after it. */
  close(): void {
    // Nobody wants the entries any more, nor the errors.
    Promise.resolve(this.#entries.return?.()).catch(() => {});
  }
}

/** The reader whose next interval starts first; `undefined` at the end of all logs, `'idle'` when none comes in time. */
async function findEarliest(
  readers: readonly LogReader[],
  idleMs: number | undefined,
): Promise<LogReader | 'idle' | undefined> {
  const all = Promise.all(readers.map((reader) => reader.advance()));
  try {
    await (idleMs === undefined ? all : within(all, idleMs, { unref: false }));
  } catch (error) {
    if (error instanceof TimeoutError) return 'idle';
    throw error;
  }
  let first: LogReader | undefined;
  for (const reader of readers) {
    if (reader.head === undefined) continue;
    if (first?.head === undefined || reader.head.startSec < first.head.startSec) first = reader;
  }
  return first;
}
