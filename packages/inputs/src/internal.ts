// Entry `@hdrscope/inputs/internal`: for the other packages of hdrscope only. Names here may change in any release.

export { boundCounts, countWithinThresholds, findSketchStep } from './bound-counts.ts';
export { type BadLine, limitWhole, readText, withName } from './bytes.ts';
export {
  boundsJson,
  type DistributionJson,
  type Figure,
  type FigureJson,
  type Figures,
  figureJson,
  figuresJson,
  figuresOfRange,
  figuresOfSum,
  rateOf,
  readFigure,
  summarizeHistogram,
  UNKNOWN,
  withoutEstimate,
} from './distribution.ts';
export {
  CountedEvidence,
  ExactTally,
  FINEST_DIGITS,
} from './evidence.ts';
export { figuresStep, figuresUnit, scaleFigures } from './figures.ts';
export {
  type GateVerdict,
  isShownChange,
  judgeChanges,
  judgeComparison,
  type Look,
  lastChange,
  mayExceed,
  planLooks,
} from './gate.ts';
export type { ImportLogOptions } from './history/import-log.ts';
export type { ImportOtlpOptions } from './history/import-otlp.ts';
export { SERIES_LIMITS, seriesFinder, UNNAMED } from './history/logged-series.ts';
export { recogniseOtlpFile, splitRequests } from './history/otlp-requests.ts';
export {
  type ErrorLimit,
  type Judged,
  judgeSubject,
  type Row,
  type Verdict,
} from './judge.ts';
export { summarizeCountsGroups } from './load/counts-groups.ts';
export type { ValueGroup } from './load/groups.ts';
export {
  hasCounts,
  hasRequests,
  isAccessLog,
  type LoadForm,
  requestFacts,
} from './load/load-form.ts';
export { findLabels } from './load/read-load.ts';
export { recogniseReport } from './load/report.ts';
export {
  countRequestIntervals,
  RequestGrouping,
  type RequestInterval,
  summarizeRequestGroups,
  widenFigures,
} from './load/request-groups.ts';
export { valueStretches } from './load/value-stretches.ts';
export {
  isEpoch,
  isZoneless,
  type PastTime,
  readMoment,
  readPastTime,
  readRange,
  secondsOf,
} from './moment.ts';
export type { CountNumbersOptions } from './numbers/count-numbers.ts';
export { firstDocuments } from './numbers/number-texts.ts';
export {
  inUnit,
  measureOf,
  NUMBER_UNITS,
  type NumberUnit,
  numberUnit,
  perMs,
  quantityIn,
  stepOf,
  TIME_UNITS,
  ticksPerUnit,
  unitsPer,
} from './numbers/number-unit.ts';
export { type RebuiltText, rebuildPercentileText, type TextUnit } from './percentile-text.ts';
export { BEGINNING_BYTES, BegunStream, type Patience, recogniseStream } from './recognise-stream.ts';
export { targetBoundaries } from './sketches/boundaries.ts';
export {
  type Conversion,
  closeSketch,
  convertSketch,
  measureRange,
  type PositionError,
} from './sketches/conversion.ts';
export { planDdsketch } from './sketches/ddsketch.ts';
export { encodeDdsketchBinary } from './sketches/ddsketch-binary.ts';
export { planExponential, targetElasticsearch } from './sketches/elasticsearch.ts';
export { type HdrPlan, planHdr, targetEncoded, targetFigures, targetLog } from './sketches/hdr.ts';
export { splitBuckets, targetOtlp } from './sketches/otlp.ts';
export { isSketch, type SketchForm } from './sketches/recognise-sketch.ts';
export { findNominalBounds, type SketchTarget } from './sketches/sketch.ts';
export { targetVmranges } from './sketches/vmrange.ts';
export {
  countedSubject,
  errorNotes,
  readCountsSubjects,
  readRequestSubject,
  readSummarySubject,
  type Subject,
  sumSubjects,
} from './subject.ts';
export { scaled, type ValueScale, valueFormat, valueScaleOf } from './value-scale.ts';
