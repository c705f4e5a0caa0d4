import type { EdgeLayout } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import { JointBase, type JointIncrease } from '@hdrscope/core/joint';
import { type Axis, axisDifference, axisLayout } from './axis.ts';

/** The counts between two readings of one histogram. */
export type PerfIncrease = JointIncrease<PerfHistogram>;

/**
 * A histogram of one or more dimensions, as Ceph's daemons keep it: a count of 64 bits for every combination of slots, row
 * by row. Its axes are those of Ceph: linear or log2, with an underflow and an overflow. Values in Ceph are integers; a fraction has
 * the slot of the integer below it. It has the methods of a `JointHistogram` of `@hdrscope/core/joint`, but it is another class: the axes
 * of a `JointHistogram` have any layout, which Ceph's dumps cannot describe.
 *
 * @example
 * ```ts
 * import { PerfHistogram } from '@hdrscope/ceph';
 *
 * const writes = new PerfHistogram([
 *   { name: 'Latency (nsec)', scale: 'log2', min: 0, quantSize: 1024, buckets: 32, unit: 'ns' },
 *   { name: 'Request size (bytes)', scale: 'log2', min: 0, quantSize: 512, buckets: 32, unit: 'bytes' },
 * ]);
 * for (let i = 0; i < 100; i++) writes.record(30_000 + i, 4096);
 * writes.record(5_000_000, 1_048_576);
 *
 * writes.totalCount; //=> 101
 * writes.quantile('Latency (nsec)', 0.5); //=> { value: 24576, lower: 16384, upper: 32768, open: false }
 * const large = { axis: 'Request size (bytes)', from: 524_288 };
 * writes.quantile('Latency (nsec)', 0.5, { where: [large] }).lower; //=> 4194304
 * writes.sum('Latency (nsec)', [large]); //=> 5000000
 * ```
 */
export class PerfHistogram extends JointBase<Axis> {
  /** The slots of each axis, as a layout of edges. */
  declare readonly layouts: readonly EdgeLayout[];

  /**
   * @throws HdrscopeError `ERR_INVALID_OPTION` when there is no axis, or Ceph could not have one of them; `ERR_TOO_LARGE`
   *   for more than 2^23 cells.
   */
  constructor(axes: readonly Axis[]) {
    if (!Array.isArray(axes) || axes.length === 0) {
      throw mustBe('ERR_INVALID_OPTION', 'axes', 'at least one axis', axes);
    }
    super(axes, axes.map(axisLayout));
  }

  /** An empty histogram over the given axes. */
  protected over(axes: readonly Axis[]): this {
    return new PerfHistogram(axes) as this;
  }

  /** The first field in which an axis of another histogram differs from ours with the index `ours`; `undefined` when the axes are equal. */
  protected override axisDifference(ours: number, theirs: Axis): string | undefined {
    // Only calls without types can bring the axes of another kind of histogram.
    if (theirs.scale === undefined) return 'scale';
    return axisDifference(this.axes[ours]!, theirs);
  }
}
