import type { Attributes } from '@hdrscope/registry';
import type { PerfHistogram } from '../histogram/perf-histogram.ts';
import type { ValueRange } from '../histogram/value-range.ts';

/** Classes of values of one axis, by which the series of other axes are told apart. */
export interface AxisClasses {
  /** The name of the axis, such as `Request size (bytes)`. Histograms without it are not cut up. */
  readonly axis: string;
  /** Where each class but the first begins, ascending: where slots of the axis do. */
  readonly bounds: readonly number[];
  /** The attribute that tells the class, such as `4096-65535`. @default 'size' */
  readonly attribute?: string;
}

/** A part of a histogram, and the attribute that tells it. */
export interface ClassPart {
  readonly label: Attributes;
  readonly where: readonly ValueRange[];
}

/** The parts in which an axis of a histogram is read: one for each class of another axis, or a single one of all. */
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
