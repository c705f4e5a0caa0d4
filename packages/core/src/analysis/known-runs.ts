import { type Counted, countIndependent } from '../counted.ts';
import { HdrscopeError, mustBe } from '../errors.ts';
import { DoubleHistogram } from '../histogram/double-histogram.ts';
import type { Histogram } from '../histogram/histogram.ts';
import { assertFollows, custom } from '../options.ts';
import { type BoundedHistogram, LEAST_BEYOND } from './run-percentile.ts';

/** One run of the measured program. */
export interface Run {
  /** All its values. */
  readonly values: Histogram | DoubleHistogram | BoundedHistogram;
  /**
   * The same values by stretches of time, in their order: what shows how dependent they are. At least {@link LEAST_PIECES} are of use.
   * @default the order of the values is not known
   */
  readonly stretches?: readonly (Histogram | DoubleHistogram)[];
}

/** A run with its values within bounds. */
export interface KnownRun extends BoundedHistogram {
  readonly stretches: readonly Counted[];
  readonly isWide: boolean;
}

/** Runs of one program. At least one. */
export type Side = readonly KnownRun[];

/**
 * @param caller The function, for messages.
 * @param noun What the runs are of, as in `side`, and its name.
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when there is no run, or an empty one; `ERR_INVALID_OPTION` for other values.
 */
export function readSide(runs: readonly Run[], caller: string, noun: 'side' | 'build', name: string): Side {
  if (!Array.isArray(runs) || runs.length === 0) {
    throw mustBe('ERR_INCOMPATIBLE', `${caller}: the ${noun} '${name}'`, 'at least one run', runs);
  }
  return runs.map((run: Run, at): KnownRun => {
    assertFollows(`${caller}: run ${at + 1} of '${name}'`, comparedRun, run);
    const { values, stretches = [] } = run;
    const bounded = 'lowest' in values ? values : { histogram: values, lowest: values, highest: values };
    if (bounded.histogram.totalCount === 0) {
      throw new HdrscopeError(
        'ERR_INCOMPATIBLE',
        `${caller}: run ${at + 1} of '${name}' must have values, and is empty`,
        { details: { [noun]: name, run: at + 1 } },
      );
    }
    const { histogram, lowest, highest } = bounded;
    const isWide = 'lowest' in values || histogram.placedFrom.length > 0;
    return { histogram, lowest, highest, stretches, isWide };
  });
}

const comparedRun = /* @__PURE__ */ custom<Run>('{ values: a histogram }', (run) => {
  const { values, stretches = [] } = (run ?? {}) as Partial<Run>;
  const parts =
    values !== undefined && 'lowest' in values ? [values.histogram, values.lowest, values.highest] : [values];
  return Array.isArray(stretches) && [...parts, ...stretches].every((one) => one?.counts !== undefined);
});

/** @throws HdrscopeError `ERR_INCOMPATIBLE` when integers meet doubles. */
export function assertOneKind(runs: readonly KnownRun[]): void {
  const kinds = new Set(runs.map(({ histogram }) => histogram instanceof DoubleHistogram));
  if (kinds.size > 1) throw new HdrscopeError('ERR_INCOMPATIBLE', 'integers cannot be compared with doubles');
}

/** Whether a side has {@link LEAST_BEYOND} values beyond a percentile, and each run a quarter of them. Values of a sample count once. */
export function hasEnoughBeyond(side: Side, percentile: number): boolean {
  const part = Math.min(percentile, 100 - percentile) / 100;
  const beyond = side.map(({ histogram }) => countIndependent(histogram) * part * (1 + 1e-9));
  const sum = beyond.reduce((total, count) => total + count, 0);
  return sum >= LEAST_BEYOND && beyond.every((count) => count >= LEAST_BEYOND / 4);
}
