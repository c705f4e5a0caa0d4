import { type Counted, explicitLayout, type HdrLayout, type Layout } from '@hdrscope/core';
import {
  assertHdrCounted,
  assertLayout,
  assertOptions,
  mustBe,
  type OptionsOwner,
  text,
} from '@hdrscope/core/internal';
import type { CountedUnit } from '@hdrscope/registry';
import type { BarPlot, ObjectiveLine, PlotTitles } from '../plot.ts';
import { assertInteger } from './checks.ts';
import { OBJECTIVES, TITLES, UNIT } from './option-rules.ts';
import { rowCounts, spreadCounts, spreadSubtitle } from './spread.ts';

/** How bars are made. */
export interface BarsOptions extends PlotTitles {
  /** The unit of the values. @default 'none' */
  readonly unit?: CountedUnit;
  /** The name of the values, such as `latency`. @default 'value' */
  readonly name?: string;
  /** Objectives. @default no objectives */
  readonly slos?: readonly ObjectiveLine[];
}

/**
 * A bar for each slot of a layout, from the first slot that was hit to the last.
 *
 * @param counts One for each slot.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `layout` is not a layout, or an option does not exist; `ERR_INVALID_COUNT` when there
 *   are not as many counts as slots, or a count is negative or not finite.
 * @example
 * ```ts
 * import { integerLayout } from '@hdrscope/core/internal';
 * import { barsOf } from '@hdrscope/plot';
 *
 * const { slots, counts } = barsOf(integerLayout([0, 1, 4, 8], 0), [0, 7, 0, 2, 0]);
 * slots; //=> [{ lower: 1, upper: 1 }, { lower: 2, upper: 4 }, { lower: 5, upper: 8 }]
 * counts; //=> [7, 0, 2]
 * ```
 */
export function barsOf(layout: Layout, counts: ArrayLike<number>, options: BarsOptions = {}): BarPlot {
  assertLayout('layout', layout);
  assertOptions(options, BARS_OF);
  const { unit = 'none', ...rest } = options;
  const all = Array.from(counts);
  if (all.length !== layout.slotCount) {
    const allowed = `one for each of the ${layout.slotCount} slots`;
    throw mustBe('ERR_INVALID_COUNT', 'counts', allowed, all.length);
  }
  const wrong = all.findIndex((count) => !(count >= 0 && Number.isFinite(count)));
  if (wrong !== -1) {
    throw mustBe('ERR_INVALID_COUNT', `counts[${wrong}]`, 'a finite number of at least 0', all[wrong]);
  }
  const first = all.findIndex((count) => count > 0);
  const end = all.findLastIndex((count) => count > 0) + 1;
  const shown = first === -1 ? [] : all.slice(first, end);
  return {
    kind: 'bars',
    ...rest,
    unit,
    slots: shown.map((_, at) => ({ lower: layout.lower(first + at), upper: layout.upper(first + at) })),
    isInteger: layout.lowerInclusive && layout.upperInclusive,
    counts: shown,
  };
}

const BARS_OF: OptionsOwner<BarsOptions> = {
  name: 'barsOf',
  names: { unit: UNIT, name: text, slos: OBJECTIVES, ...TITLES },
  call: "barsOf(layout, counts, { unit: 'ms' })",
};

/**
 * A bar between each two neighbours of `edges`, from the first that was hit to the last. An edge belongs to the bar above it.
 * Values below all edges, and values from the last edge on, have an open bar of their own.
 *
 * @param edges Finite and ascending, in the unit of the values.
 * @param values Each value with its count, in any order.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the edges are not finite and ascending; `ERR_INVALID_COUNT` when a count
 *   is negative or not finite.
 * @example
 * ```ts
 * import { barsBetween } from '@hdrscope/plot';
 *
 * const { slots, counts } = barsBetween([0, 10, 20, 50], [[3, 7], [10, 1], [19.5, 4]], { unit: 'ms' });
 * slots; //=> [{ lower: 0, upper: 10 }, { lower: 10, upper: 20 }]
 * counts; //=> [7, 5]
 * ```
 */
export function barsBetween(
  edges: readonly number[],
  values: Iterable<readonly [value: number, count: number]>,
  options?: BarsOptions,
): BarPlot {
  const layout = explicitLayout(edges, 'lower');
  const counts = new Float64Array(layout.slotCount);
  for (const [value, count] of values) counts[layout.slotOf(value)]! += count;
  return barsOf(layout, counts, options);
}

/** How bars of a histogram are made. */
export interface HistogramBarsOptions extends BarsOptions {
  /** The largest number of bars, not counting the bar of zeros: an integer from 2 to 1000. @default 40 */
  readonly bars?: number;
}

/**
 * Bars of an HDR histogram, which has too many slots for a bar each. Every bar is wider than the bar before by one constant
 * factor. Counts that may lie in several bars are spread over them, as in a heat map.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { barsOfHistogram } from '@hdrscope/plot';
 *
 * const latencies = new Histogram({ highestTrackableValue: 1_000_000 });
 * for (let value = 1; value <= 1000; value++) latencies.record(value);
 *
 * barsOfHistogram(latencies, { bars: 4 }).counts; //=> [1, 15, 240, 744]
 * ```
 */
export function barsOfHistogram(histogram: Counted<HdrLayout>, options: HistogramBarsOptions = {}): BarPlot {
  assertHdrCounted('barsOfHistogram', histogram);
  assertOptions(options, BARS_OF_HISTOGRAM);
  const { bars = 40, unit = 'none', ...rest } = options;
  assertInteger('bars', bars, 2, 1000);
  const { layout, counts, placedFrom } = histogram;
  const content = rowCounts({ layout, counts, placedFrom, unitLayout: layout, wide: [] }, bars);
  const spread = spreadCounts([content], bars);
  const inBars = (rows: readonly (readonly number[])[]): number[] => rows.map(([count = 0]) => count);
  const { bounds } = spread;
  return {
    kind: 'bars',
    ...rest,
    ...(bounds && { subtitle: spreadSubtitle(rest.subtitle) }),
    unit,
    slots: spread.slots,
    counts: inBars(spread.counts),
    ...(bounds && { lower: inBars(bounds.lower), upper: inBars(bounds.upper) }),
  };
}

const BARS_OF_HISTOGRAM: OptionsOwner<HistogramBarsOptions> = {
  name: 'barsOfHistogram',
  names: { bars: true, ...BARS_OF.names },
  call: 'barsOfHistogram(histogram, { bars: 20 })',
};
