import { mustBe } from '@hdrscope/core';
import type { PerfHistogram } from '../histogram/perf-histogram.ts';

/** How well counts of other slots fit the axis that they are shown on. */
export interface AxisFit {
  /** Whether no value can lie in a cell that it is not in. */
  readonly exact: boolean;
  /** How many of the counts may lie on the wrong side of an edge, at most. */
  readonly maxMisplaced: number;
}

/** A histogram as Ceph's schema describes it. */
export interface HistogramCounter {
  readonly name: string;
  readonly histogram: PerfHistogram;
  /** @default '' */
  readonly description?: string;
  /** A short name for tables of narrow columns. @default '' */
  readonly nick?: string;
  /** From 0 to 10; Ceph's exporter leaves out what is below 5. @default 5 */
  readonly priority?: number;
  /** Of the counter, not of its axes. @default 'none' */
  readonly units?: 'none' | 'bytes';
  /** @default 'counter' */
  readonly metricType?: 'counter' | 'gauge';
  /** The sum of the values of each axis, where known. Shown in the profile `'next'` only. */
  readonly sums?: readonly bigint[];
  /** For counts that were moved to these axes. */
  readonly fit?: AxisFit;
}

/** Ceph's name for a group of counters: a subsystem, or an instance of one. */
export interface HistogramLogger {
  readonly name: string;
  /** In the order of their dumps. Loggers without histograms show in dumps too. */
  readonly counters: readonly HistogramCounter[];
}

/** Which histograms are shown. */
export interface PerfFilter {
  /** Only the logger of this name. @default all */
  readonly logger?: string | undefined;
  /** Only counters of this name, in every logger shown. @default all */
  readonly counter?: string | undefined;
}

/** Loggers by name, as bytes are ordered, and of each the counters that are asked for. */
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
      throw mustBe('ERR_INVALID_OPTION', `the names of ${what}`, 'texts, not empty', name);
    }
    if (seen.has(name)) throw mustBe('ERR_INVALID_OPTION', `the names of ${what}`, 'all different', name);
    seen.add(name);
  }
}
