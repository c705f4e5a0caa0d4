export type {
  AttributeSide,
  CauseVerdict,
  ChangeExplanation,
  ChangeKind,
  ExplainedCause,
  ExplainedSide,
  ExplanationVerdict,
} from './explanation.ts';
export type { AttributeValue } from './series-change.ts';
