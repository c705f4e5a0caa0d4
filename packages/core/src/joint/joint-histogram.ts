import type { Layout } from '@hdrscope/core';
import { assertLayout, assertOptions, mustBe, type OptionsOwner } from '@hdrscope/core/internal';
import { AXIS_UNITS, type AxisUnit, JointBase } from './joint-base.ts';

/** One of the values that an event is counted by. */
export interface JointAxis {
  /** Identifies the axis among those of the histogram. */
  readonly name: string;
  /** The slots of the values: from any of the functions that make layouts. */
  readonly layout: Layout;
  /** The unit of the values, for plots and registries. @default 'none' */
  readonly unit?: AxisUnit;
}

const JOINT_AXIS: OptionsOwner<JointAxis> = {
  name: 'an axis',
  names: { name: true, layout: true, unit: true },
  call: "new JointHistogram([{ name: 'size', layout: explicitLayout([4096, 65536]) }])",
};

/**
 * A histogram of events that have several values, such as the duration and the size of a request. It counts every combination of
 * slots, so it answers questions about one value under conditions on others: how slow are large requests?
 *
 * It keeps 8 bytes for each combination of slots, at most 2^23 combinations, and 8 bytes for the sum of each axis in each
 * combination of slots of the other axes. `byteLength` has the total.
 *
 * @example
 * ```ts
 * import { explicitLayout, hdrLayout } from '@hdrscope/core';
 * import { JointHistogram } from '@hdrscope/core/joint';
 *
 * const requests = new JointHistogram([
 *   { name: 'duration', unit: 'ms', layout: hdrLayout({ highestTrackableValue: 3_600_000, significantDigits: 2 }) },
 *   { name: 'size', unit: 'bytes', layout: explicitLayout([4096, 65_536]) },
 * ]);
 * for (let i = 0; i < 990; i++) requests.record(12, 700);
 * for (let i = 0; i < 10; i++) requests.record(340, 1_000_000);
 *
 * requests.quantile('duration', 0.5).value; //=> 12
 * const large = [{ axis: 'size', from: 65_536 }];
 * requests.quantile('duration', 0.5, { where: large }); //=> { value: 341, lower: 340, upper: 341, open: false }
 * requests.sum('duration', large); //=> 3400
 * requests.marginal('size').totalCount; //=> 1000
 * ```
 */
export class JointHistogram extends JointBase<JointAxis> {
  /**
   * @throws HdrscopeError `ERR_INVALID_OPTION` when there is no axis, two have one name, or one has no layout; `ERR_TOO_LARGE` for
   *   more than 2^23 combinations of slots.
   */
  constructor(axes: readonly JointAxis[]) {
    assertAxes(axes);
    super(
      axes,
      axes.map(({ layout }) => layout),
    );
  }

  /** An empty histogram over the given axes. */
  protected over(axes: readonly JointAxis[]): this {
    return new JointHistogram(axes) as this;
  }
}

function assertAxes(axes: readonly JointAxis[]): void {
  if (!Array.isArray(axes) || axes.length === 0) {
    throw mustBe('ERR_INVALID_OPTION', 'axes', 'at least one axis', axes);
  }
  for (const [i, axis] of (axes as readonly JointAxis[]).entries()) {
    assertOptions(axis, JOINT_AXIS);
    const { name, layout, unit = 'none' } = axis;
    if (typeof name !== 'string') throw mustBe('ERR_INVALID_OPTION', `axes[${i}].name`, 'a string', name);
    if (axes.findIndex((other) => other.name === name) < i) {
      throw mustBe('ERR_INVALID_OPTION', `axes[${i}].name`, 'different from the names before it', name);
    }
    if (!AXIS_UNITS.includes(unit)) {
      throw mustBe(
        'ERR_INVALID_OPTION',
        `the unit of axis "${name}"`,
        `one of ${AXIS_UNITS.join(', ')}`,
        unit,
      );
    }
    assertLayout(`the layout of axis "${name}"`, layout);
  }
}
