// Entry `@hdrscope/explain/internal`: for the other packages of hdrscope only. Names here may change in any release.
export {
  describeExplanation,
  describeKind,
  formatCounts,
  formatNames,
  formatPart,
  formatSide,
  isNamed,
} from './describe.ts';
export { checkedLimits, explainChange, explainInSteps } from './explain-change.ts';
export type { ExplainLimits } from './explanation.ts';
export type { SeriesChange, SlotCounts } from './series-change.ts';
export { type ChangeSlots, layoutSlots } from './slots.ts';
