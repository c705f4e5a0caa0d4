import { readOptions, Stretches } from '@hdrscope/core/internal';
import type { LogInterval } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { INTERVAL_RULES, type OperationOptions, selectIntervals } from '../reader/read.ts';
import type { Selection } from '../reader/selection.ts';
import { addInterval, decodeOrReport, type LogHistogram, LogTotal } from './totals.ts';

/** The values of a log that one run of a program has written. */
export interface LoggedRun {
  readonly values: LogHistogram;
  /** The same values by stretches of time, in their order: an interval each, or several where there are many. */
  readonly stretches: readonly LogHistogram[];
}

/**
 * Adds up all selected intervals of any tag, as `sumLogs` does, and keeps what belongs to a time apart. Returns `undefined` if no
 * interval is selected.
 *
 * @throws HdrscopeError as `sumLogs`.
 */
export async function readRun(
  source: LogSource,
  options: Selection & OperationOptions = {},
): Promise<LoggedRun | undefined> {
  const settings = readOptions(options, READ_RUN);
  let total: LogTotal | undefined;
  let stretches: Stretches<LogTotal> | undefined;
  for await (const interval of selectIntervals(source, () => settings)) {
    decodeOrReport(interval, source, settings, () => {
      total = addInterval(total, interval);
      stretches ??= stretchesLike(interval);
      stretches.at(interval.startSec).add(interval);
    });
  }
  const values = total?.toHistogram();
  return values && { values, stretches: stretches!.inOrder().map((stretch) => stretch.toHistogram()) };
}

const READ_RUN = {
  name: 'readRun',
  rules: INTERVAL_RULES,
  call: "readRun('service.hlog', { tags: ['read'] })",
};

/** Stretches as long as an interval. */
function stretchesLike(interval: LogInterval): Stretches<LogTotal> {
  return new Stretches(Math.max(interval.endSec - interval.startSec, SHORTEST_SEC), {
    create: () => new LogTotal(interval, 'sparse'),
    merge: (into, from) => into.sum.add(from.sum),
  });
}

// Of intervals that have no length.
const SHORTEST_SEC = 0.001;
