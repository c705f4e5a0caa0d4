import type { ValueRange } from '@hdrscope/core/joint';
import type { Attributes } from '@hdrscope/registry';
import type { PerfHistogram } from '../histogram/perf-histogram.ts';

/** Classes of the values of one axis. The other axes have one series for each class. */
export interface AxisClasses {
  /** The name of the axis, such as `Request size (bytes)`. A histogram without this axis is not divided. */
  readonly axis: string;
  /** The lower bounds of all classes but the first, ascending. Each must be the lower bound of a slot. */
  readonly bounds: readonly number[];
  /** The attribute that names the class, such as `4096-65535`. @default 'size' */
  readonly attribute?: string;
}

/** A part of a histogram. */
export interface ClassPart {
  /** The attribute that names the part; empty for the whole histogram. */
  readonly label: Attributes;
  readonly where: readonly ValueRange[];
}

/** The parts in which an axis is read: one for each class of another axis, or the whole histogram as one part. */
export function classesOf(
  histogram: PerfHistogram,
  at: number,
  classes: AxisClasses | undefined,
): readonly ClassPart[] {
  const divided = classes === undefined ? -1 : histogram.axes.findIndex(({ name }) => name === classes.axis);
  if (classes === undefined || divided < 0 || divided === at) return [{ label: {}, where: [] }];
  const { bounds, attribute = 'size' } = classes;
  return Array.from({ length: bounds.length + 1 }, (_, i) => {
    const [from, to] = [bounds[i - 1], bounds[i]];
    return {
      label: { [attribute]: labelOf(from, to) },
      where: [{ axis: divided, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }],
    };
  });
}

function labelOf(from: number | undefined, to: number | undefined): string {
  if (from === undefined) return to === undefined ? 'all' : `0-${to - 1}`;
  return to === undefined ? `${from}-` : `${from}-${to - 1}`;
}
