// Entry `@hdrscope/core/joint`: histograms of events that have several values. It imports the other entries by their names, so that
// they stay the files that they are without it.
export {
  AXIS_UNITS,
  type AxisQuantile,
  type AxisUnit,
  JointBase,
  type JointIncrease,
  type NamedAxis,
} from './joint/joint-base.ts';
export { type JointAxis, JointHistogram } from './joint/joint-histogram.ts';
export type { ValueRange } from './joint/value-range.ts';
