import type { Layout } from '@hdrscope/core';
import {
  assertFollows,
  assertOptions,
  computeStrides,
  custom,
  integer,
  listOf,
  mustBe,
  number,
  type OptionsOwner,
  text,
} from '@hdrscope/core/internal';
import type { CountedUnit } from '@hdrscope/registry';
import type { HeatAxis, HeatMapPlot, PlotTitles } from '../plot.ts';
import { TITLES } from './option-rules.ts';

/** Counts over several axes: a `JointHistogram` of `@hdrscope/core/joint`, or a `PerfHistogram` of `@hdrscope/ceph`. */
export interface CellCounts {
  /** Names and units of the axes, in the order of `layouts`. */
  readonly axes: readonly {
    readonly name: string;
    /** The unit of the axis's values. @default 'none' */
    readonly unit?: CountedUnit;
  }[];
  /** The slots of each axis. */
  readonly layouts: readonly Layout[];
  /** A count for each combination of slots, row by row: the slot of the last axis changes fastest. */
  readonly cells: BigUint64Array;
}

/** Which axes are drawn, and how. */
export interface CellMapOptions extends PlotTitles {
  /** Index of the axis that goes from left to right. */
  readonly x: number;
  /** Index of the axis that goes from bottom to top. */
  readonly y: number;
  /** The name of the counts, such as `operations`. @default 'values' */
  readonly countName?: string;
}

/**
 * Two axes of cells as a heat map. Counts are summed over all other axes. A sum above 2^53 becomes the nearest double.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist, or `x` and `y` are not the places of two axes;
 *   `ERR_INVALID_COUNT` when there are not as many counts as combinations of slots.
 * @example
 * ```ts
 * import { explicitLayout } from '@hdrscope/core';
 * import { heatMapOfCells } from '@hdrscope/plot';
 *
 * const writes = {
 *   axes: [{ name: 'latency', unit: 'ms' as const }, { name: 'size', unit: 'bytes' as const }],
 *   layouts: [explicitLayout([1, 10]), explicitLayout([4096])],
 *   cells: BigUint64Array.of(7n, 0n, 2n, 5n, 0n, 1n),
 * };
 * const { x, y, counts } = heatMapOfCells(writes, { x: 1, y: 0 });
 * [x.name, y.name]; //=> ['size', 'latency']
 * counts; //=> [[7, 0], [2, 5], [0, 1]]
 * ```
 */
export function heatMapOfCells(given: CellCounts, options: CellMapOptions): HeatMapPlot {
  assertFollows('the cells', cellCounts, given);
  const { axes, layouts, cells } = given;
  assertOptions(options, HEAT_MAP_OF_CELLS);
  const { x, y, countName = 'values', ...titles } = options;
  const isPlace = (at: number): boolean => Number.isInteger(at) && at >= 0 && at < layouts.length;
  if (x === y || !isPlace(x) || !isPlace(y)) {
    const allowed = `two different integers from 0 to ${layouts.length - 1}`;
    throw mustBe('ERR_INVALID_OPTION', 'x and y', allowed, `${x} and ${y}`);
  }
  const cellCount = layouts.reduce((product, { slotCount }) => product * slotCount, 1);
  if (cells.length !== cellCount) {
    throw mustBe('ERR_INVALID_COUNT', 'cells', `one for each of the ${cellCount} cells`, cells.length);
  }
  const axisAt = (at: number): HeatAxis => heatAxis(axes[at]!, layouts[at]!);
  const counts = sumsOver(layouts, cells, x, y).map((row) => row.map(Number));
  return { kind: 'heat-map', ...titles, x: axisAt(x), y: axisAt(y), counts, countName };
}

const cellCounts = custom<CellCounts>('{ axes, layouts, cells }', (given) => {
  const { axes, layouts, cells } = given as CellCounts;
  return Array.isArray(axes) && Array.isArray(layouts) && typeof cells.length === 'number';
});

const PLACE = number();

const HEAT_MAP_OF_CELLS: OptionsOwner<CellMapOptions> = {
  name: 'heatMapOfCells',
  names: { x: PLACE, y: PLACE, countName: text, ...TITLES },
  call: 'heatMapOfCells(counts, { x: 0, y: 1 })',
};

function sumsOver(layouts: readonly Layout[], cells: BigUint64Array, x: number, y: number): bigint[][] {
  const strides = computeStrides(layouts.map(({ slotCount }) => slotCount));
  const slotAt = (cell: number, at: number): number =>
    Math.floor(cell / strides[at]!) % layouts[at]!.slotCount;
  // A sum of cells may exceed the 64 bits of one cell.
  const sums = Array.from({ length: layouts[y]!.slotCount }, () =>
    new Array<bigint>(layouts[x]!.slotCount).fill(0n),
  );
  for (const [cell, count] of cells.entries()) {
    if (count > 0n) sums[slotAt(cell, y)]![slotAt(cell, x)]! += count;
  }
  return sums;
}

function heatAxis({ name, unit = 'none' }: CellCounts['axes'][number], layout: Layout): HeatAxis {
  const slots = Array.from({ length: layout.slotCount }, (_, slot) => ({
    lower: layout.lower(slot),
    upper: layout.upper(slot),
  }));
  return { name, unit, slots };
}

/**
 * The places, from 0, of the axes with more than one slot; all places when every axis has a single slot.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `layouts` is not an array of layouts.
 * @example
 * ```ts
 * import { explicitLayout } from '@hdrscope/core';
 * import { informativeAxes } from '@hdrscope/plot';
 *
 * informativeAxes([explicitLayout([1, 10]), explicitLayout([]), explicitLayout([4096])]); //=> [0, 2]
 * ```
 */
export function informativeAxes(layouts: readonly Pick<Layout, 'slotCount'>[]): number[] {
  assertLayouts(layouts);
  const all = [...layouts.keys()];
  const informative = all.filter((at) => layouts[at]!.slotCount > 1);
  return informative.length === 0 ? all : informative;
}

/**
 * Chooses the axes of a heat map. The first informative axis goes up and the next one goes to the right; `x` is `undefined`
 * when only one axis is informative.
 *
 * @param asked Places, from 0, that are already chosen. They are not checked.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist.
 * @example
 * ```ts
 * import { explicitLayout } from '@hdrscope/core';
 * import { axesToDraw } from '@hdrscope/plot';
 *
 * const [latency, queue, size] = [explicitLayout([1, 10]), explicitLayout([]), explicitLayout([4096])];
 * axesToDraw([latency, queue, size]); //=> { x: 2, y: 0 }
 * axesToDraw([latency, queue, size], { x: 0 }); //=> { x: 0, y: 2 }
 * axesToDraw([latency, queue]); //=> { x: undefined, y: 0 }
 * ```
 */
export function axesToDraw(
  layouts: readonly Pick<Layout, 'slotCount'>[],
  asked: { readonly x?: number | undefined; readonly y?: number | undefined } = {},
): { readonly x: number | undefined; readonly y: number } {
  assertLayouts(layouts);
  assertOptions(asked, AXES_TO_DRAW);
  const isFree = (at: number): boolean => at !== asked.x;
  const informative = informativeAxes(layouts);
  const y = asked.y ?? informative.find(isFree) ?? [...layouts.keys()].find(isFree) ?? 0;
  return { x: asked.x ?? informative.find((at) => at !== y), y };
}

const AXES_TO_DRAW: OptionsOwner<{ readonly x?: number | undefined; readonly y?: number | undefined }> = {
  name: 'axesToDraw',
  names: { x: PLACE, y: PLACE },
  call: 'axesToDraw(layouts, { x: 1 })',
};

function assertLayouts(layouts: readonly Pick<Layout, 'slotCount'>[]): void {
  const hasSlots = (layout: unknown): boolean => integer().accepts((layout as Layout).slotCount);
  assertFollows('layouts', listOf(custom('a layout', hasSlots), 'layouts'), layouts);
}
