import { readOptions, Stretches } from '@hdrscope/core/internal';
import type { LogInterval } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { INTERVAL_RULES, type OperationOptions, selectIntervals } from '../reader/read.ts';
import type { Selection } from '../reader/selection.ts';
import { decodeOrReport, type LogHistogram, LogTotal } from './totals.ts';

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
  let run: RunTotal | undefined;
  for await (const interval of selectIntervals(source, () => settings)) {
    decodeOrReport(interval, source, settings, () => {
      run ??= new RunTotal(interval);
      run.add(interval);
    });
  }
  return run?.toRun();
}

/** The sum of a run, and its stretches. */
class RunTotal {
  readonly #like: LogInterval;
  readonly #all: LogTotal;
  readonly #stretches: Stretches<LogTotal>;
  /** The stretch of the last interval. */
  #stretch: LogTotal;
  /** What the stretch and the sum have yet to get: a dense sum is faster to add to than those that many are kept of. */
  #pending: LogTotal | undefined;

  constructor(first: LogInterval) {
    this.#like = first;
    this.#all = new LogTotal(first);
    this.#stretches = new Stretches(Math.max(first.endSec - first.startSec, SHORTEST_SEC), {
      create: () => new LogTotal(first, 'sparse'),
      merge: (into, from) => into.addTotal(from),
    });
    this.#stretch = this.#stretches.at(first.startSec);
  }

  /** @throws HdrscopeError as `LogInterval.addTo`; the sum stays as it is. */
  add(interval: LogInterval): void {
    if (this.#stretches.find(interval.startSec) !== this.#stretch) {
      this.#flush();
      this.#stretch = this.#stretches.at(interval.startSec);
    }
    this.#pending ??= new LogTotal(this.#like);
    this.#pending.add(interval);
  }

  toRun(): LoggedRun {
    this.#flush();
    const stretches = this.#stretches.inOrder().map((stretch) => stretch.toHistogram());
    return { values: this.#all.toHistogram(), stretches };
  }

  #flush(): void {
    if (this.#pending === undefined) return;
    this.#stretch.addTotal(this.#pending);
    this.#all.addTotal(this.#pending);
    this.#pending = undefined;
  }
}

const READ_RUN = {
  name: 'readRun',
  rules: INTERVAL_RULES,
  call: "readRun('service.hlog', { tags: ['read'] })",
};

// Some intervals have no length.
const SHORTEST_SEC = 0.001;
