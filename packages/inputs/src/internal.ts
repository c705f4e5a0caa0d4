// Entry `@hdrscope/inputs/internal`: for the other packages of hdrscope only. Names here may change in any release.
export { type BadLine, readText } from './bytes.ts';
export {
  CountedEvidence,
  type Evidence,
  ExactTally,
  FINEST_DIGITS,
  PrintedEvidence,
  proportionOf,
  type Sample,
} from './evidence.ts';
export { figuresStep, figuresUnit, scaleFigures } from './figures.ts';
export type { ImportLogOptions } from './history/import-log.ts';
export type { ImportOtlpOptions } from './history/import-otlp.ts';
export { seriesFinder, UNNAMED } from './history/logged-series.ts';
export { hasRequests, type LoadForm, requestFacts } from './load/load-form.ts';
export { recogniseReport } from './load/report.ts';
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
} from './numbers/number-unit.ts';
