import {
  assertFollows,
  listOf,
  mustBe,
  object,
  oneOf,
  optional,
  type RulesFor,
  text,
  withDefault,
} from '@hdrscope/core/internal';
import type { PerfHistogram } from '../histogram/perf-histogram.ts';

/**
 * The release of Ceph whose dumps are written. `'next'` is a proposal for a future release: it allows one dimension and
 * explicit axes, and adds units and sums. The other releases have equal dumps; their tools read two dimensions only.
 */
export type CephRelease = 'pacific' | 'quincy' | 'reef' | 'squid' | 'tentacle' | 'next';

/** All values of `CephRelease`, oldest first. */
export const CEPH_RELEASES: readonly CephRelease[] = [
  'pacific',
  'quincy',
  'reef',
  'squid',
  'tentacle',
  'next',
];

/** The option `release` of all that writes dumps and schemas. */
export const RELEASE_RULES: RulesFor<{ readonly release?: CephRelease }> = {
  release: withDefault(oneOf(CEPH_RELEASES), 'tentacle'),
};

/** The error of counts that were moved to the slots of an axis from other slots. */
export interface AxisFit {
  /** Whether every value is certainly in the right cell. */
  readonly exact: boolean;
  /** At most so many values are on the wrong side of an edge. */
  readonly maxMisplaced: number;
}

/** A histogram with its description in Ceph's schema. */
export interface HistogramCounter {
  /** Ceph's name for the counter, such as `op_w_latency_in_bytes_histogram`. */
  readonly name: string;
  /** The counts, as they are when a dump is made. */
  readonly histogram: PerfHistogram;
  /** A sentence for people. @default '' */
  readonly description?: string;
  /** A short name, for tables with narrow columns. @default '' */
  readonly nick?: string;
  /** From 0 to 10. Ceph's exporter leaves out counters below 5. @default 5 */
  readonly priority?: number;
  /** The unit of the counter, not of its axes. @default 'none' */
  readonly units?: 'none' | 'bytes';
  /** What ceph-exporter takes it for. @default 'counter' */
  readonly metricType?: 'counter' | 'gauge';
  /**
   * The sum of the values of each axis. Only dumps of the release `'next'` have sums.
   * @default those of the histogram, when it has recorded all of its values
   */
  readonly sums?: readonly bigint[];
  /** The error of counts that were moved to these axes; absent for counts that were recorded on them. */
  readonly fit?: AxisFit;
}

/** A group of counters, by Ceph's name for it: a subsystem, or one instance of a subsystem. */
export interface HistogramLogger {
  /** Name of the logger, such as `osd` or `bluestore`. */
  readonly name: string;
  /** In the order of the dump. A logger without histograms appears in dumps too. */
  readonly counters: readonly HistogramCounter[];
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` unless a value is an array of objects. */
export function assertLoggers(loggers: readonly HistogramLogger[]): void {
  assertFollows('loggers', listOf<HistogramLogger>(object(), 'loggers'), loggers);
}

/** Selects histograms by exact names. */
export interface PerfFilter {
  /** Only this logger. @default all loggers */
  readonly logger?: string | undefined;
  /** Only the counters of this name, in every selected logger. @default all counters */
  readonly counter?: string | undefined;
}

/** The rules of `PerfFilter`. */
export const FILTER_RULES: RulesFor<PerfFilter, 'logger' | 'counter'> = {
  logger: optional(text),
  counter: optional(text),
};

/** The selected loggers, ordered by the bytes of their names, each with its selected counters. */
export function selectLoggers(
  loggers: readonly HistogramLogger[],
  { logger, counter }: PerfFilter,
): HistogramLogger[] {
  assertUnique(
    loggers.map(({ name }) => name),
    'loggers',
  );
  return loggers
    .filter(({ name }) => logger === undefined || name === logger)
    .map(({ name, counters }) => {
      assertUnique(
        counters.map((one) => one.name),
        `counters of "${name}"`,
      );
      return { name, counters: counters.filter((one) => counter === undefined || one.name === counter) };
    })
    .sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
}

function assertUnique(names: readonly string[], what: string): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (typeof name !== 'string' || name === '') {
      throw mustBe('ERR_INVALID_OPTION', `the names of ${what}`, 'non-empty strings', name);
    }
    if (seen.has(name)) throw mustBe('ERR_INVALID_OPTION', `the names of ${what}`, 'all different', name);
    seen.add(name);
  }
}
