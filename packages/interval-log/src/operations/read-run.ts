import { readOptions, Stretches } from '@hdrscope/core/internal';
import type { LogInterval } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { INTERVAL_RULES, type OperationOptions, selectIntervals } from '../reader/read.ts';
import type { Selection } from '../reader/selection.ts';
import {
  byTag,
  decodeOrReport,
  type LogHistogram,
  LogTotal,
  ownTag,
  TAG_RULES,
  TagLimits,
  type TagOptions,
} from './totals.ts';

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

/** The values of a tag of a log. */
export interface TaggedRun extends LoggedRun {
  /** `undefined` for intervals without a tag. */
  readonly tag: string | undefined;
}

/** The values of each tag of a log. */
export interface TaggedRuns {
  /** Intervals without a tag first, then by name. */
  readonly runs: readonly TaggedRun[];
  /** Whether the stretches of all tags took too much memory, so that no run has any. */
  readonly areUntimed: boolean;
}

const MOST_STRETCH_BYTES = 2 ** 28;

/**
 * Adds up the selected intervals of each tag, as `summarizeLogs` does, and keeps what belongs to a time apart.
 *
 * @param mostStretchBytes The most memory that the stretches of all tags take.
 * @throws HdrscopeError as `summarizeLogs`.
 */
export async function readRunsByTag(
  source: LogSource,
  options: Selection & OperationOptions & TagOptions = {},
  mostStretchBytes: number = MOST_STRETCH_BYTES,
): Promise<TaggedRuns> {
  const settings = readOptions(options, READ_RUNS_BY_TAG);
  const limits = new TagLimits(settings.maxTags);
  const runs = new Map<string | undefined, RunTotal>();
  let stretchBytes = 0;
  let areUntimed = false;
  for await (const interval of selectIntervals(source, () => settings)) {
    decodeOrReport(interval, source, settings, () => {
      const known = runs.get(interval.tag);
      const run = known ?? new RunTotal(interval, limits.storage);
      const [valueBytes, timeBytes] = [run.valueBytes, run.stretchBytes];
      run.add(interval);
      if (known === undefined) {
        limits.addTag();
        if (areUntimed) run.forgetStretches();
        runs.set(ownTag(interval.tag), run);
      }
      limits.addBytes(run.valueBytes - valueBytes);
      stretchBytes += run.stretchBytes - timeBytes;
    });
    if (!areUntimed && stretchBytes > mostStretchBytes) {
      areUntimed = true;
      for (const run of runs.values()) run.forgetStretches();
    }
  }
  return { runs: [...runs].map(([tag, run]) => ({ tag, ...run.toRun() })).sort(byTag), areUntimed };
}

/** The sum of a run, and its stretches. */
class RunTotal {
  readonly #like: LogInterval;
  readonly #all: LogTotal;
  readonly #storage: 'dense' | 'sparse';
  /** `undefined` when they are not kept. */
  #stretches: Stretches<LogTotal> | undefined;
  /** The stretch of the last interval. */
  #stretch: LogTotal;
  /** What the stretch and the sum have yet to get: a dense sum is faster to add to than those that many are kept of. */
  #pending: LogTotal | undefined;
  #stretchBytes = 0;

  constructor(first: LogInterval, storage: 'dense' | 'sparse' = 'dense') {
    this.#like = first;
    this.#storage = storage;
    this.#all = new LogTotal(first, storage);
    this.#stretches = new Stretches(Math.max(first.endSec - first.startSec, SHORTEST_SEC), {
      create: () => new LogTotal(first, 'sparse'),
      merge: (into, from) => into.addTotal(from),
    });
    this.#stretch = this.#stretches.at(first.startSec);
  }

  /** The memory of the sum, with what it has yet to get. */
  get valueBytes(): number {
    return this.#all.byteLength + (this.#pending?.byteLength ?? 0);
  }

  /** The memory of the stretches, and of those that have joined others. */
  get stretchBytes(): number {
    return this.#stretchBytes;
  }

  /** @throws HdrscopeError as `LogInterval.addTo`; the sum stays as it is. */
  add(interval: LogInterval): void {
    if (this.#stretches !== undefined && this.#stretches.find(interval.startSec) !== this.#stretch) {
      this.#flush();
      this.#stretch = this.#stretches.at(interval.startSec);
    }
    this.#pending ??= new LogTotal(this.#like, this.#storage);
    this.#pending.add(interval);
  }

  forgetStretches(): void {
    this.#stretches = undefined;
    this.#stretchBytes = 0;
  }

  toRun(): LoggedRun {
    this.#flush();
    const stretches = this.#stretches?.inOrder().map((stretch) => stretch.toHistogram()) ?? [];
    return { values: this.#all.toHistogram(), stretches };
  }

  #flush(): void {
    if (this.#pending === undefined) return;
    if (this.#stretches !== undefined) {
      const before = this.#stretch.byteLength;
      this.#stretch.addTotal(this.#pending);
      this.#stretchBytes += this.#stretch.byteLength - before;
    }
    this.#all.addTotal(this.#pending);
    this.#pending = undefined;
  }
}

const READ_RUN = {
  name: 'readRun',
  rules: INTERVAL_RULES,
  call: "readRun('service.hlog', { tags: ['read'] })",
};

const READ_RUNS_BY_TAG = { ...READ_RUN, name: 'readRunsByTag', rules: { ...INTERVAL_RULES, ...TAG_RULES } };

// Some intervals have no length.
const SHORTEST_SEC = 0.001;
