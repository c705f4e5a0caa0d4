import { type Layout, mustBe } from '@hdrscope/core';
import type { CountedUnit } from '@hdrscope/registry';
import type { HeatAxis, HeatMapPlot, PlotTitles } from '../plot.ts';

/** Counts of the combinations of slots of several axes, as a `PerfHistogram` of `@hdrscope/ceph` has them. */
export interface CellCounts {
  readonly axes: readonly {
    readonly name: string;
    /** What the values of the axis are in. @default 'none' */
    readonly unit?: CountedUnit;
  }[];
  /** The slots of each axis. */
  readonly layouts: readonly Layout[];
  /** A count for each combination of slots, row by row: the last axis runs fastest. */
  readonly cells: BigUint64Array;
}

/** Which axes are drawn, by their places from 0. */
export interface DrawnAxes {
  /** From left to right. */
  readonly x: number;
  /** From bottom to top. */
  readonly y: number;
}

/** How cells are drawn. */
export interface CellMapOptions extends DrawnAxes, PlotTitles {
  /** What the counts are, such as `operations`. @default 'values' */
  readonly countName?: string;
}

/**
 * Two axes of cells as a heat map, whatever the others are: their slots are added up. A count above 2^53 is the nearest
 * double.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `x` and `y` are not the places of two axes; `ERR_INVALID_COUNT` when
 *   there are not as many counts as combinations of slots.
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
export function heatMapOfCells(
  { axes, layouts, cells }: CellCounts,
  { x, y, countName = 'values', ...titles }: CellMapOptions,
): HeatMapPlot {
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

function sumsOver(layouts: readonly Layout[], cells: BigUint64Array, x: number, y: number): bigint[][] {
  const strides = layouts.map((_, at) =>
    layouts.slice(at + 1).reduce((product, { slotCount }) => product * slotCount, 1),
  );
  const slotAt = (cell: number, at: number): number =>
    Math.floor(cell / strides[at]!) % layouts[at]!.slotCount;
  // A cell's own 64 bits may have no room for the sum of many.
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
 * The places of axes that tell anything: not those of a single slot, unless there are no others.
 *
 * @example
 * ```ts
 * import { explicitLayout } from '@hdrscope/core';
 * import { tellingAxes } from '@hdrscope/plot';
 *
 * tellingAxes([explicitLayout([1, 10]), explicitLayout([]), explicitLayout([4096])]); //=> [0, 2]
 * ```
 */
export function tellingAxes(layouts: readonly Pick<Layout, 'slotCount'>[]): number[] {
  const all = [...layouts.keys()];
  const telling = all.filter((at) => layouts[at]!.slotCount > 1);
  return telling.length === 0 ? all : telling;
}

/**
 * Which axes a heat map has where nobody, or not all, are asked for: the first that tells anything goes up, the next goes
 * to the right. No `x` where there is only one that tells anything.
 *
 * @param asked Places from 0, which are taken as they are.
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
  const telling = tellingAxes(layouts);
  const y =
    asked.y ?? telling.find((at) => at !== asked.x) ?? [...layouts.keys()].find((at) => at !== asked.x) ?? 0;
  return { x: asked.x ?? telling.find((at) => at !== y), y };
}
