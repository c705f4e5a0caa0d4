export type { BadLine, TextBytes } from './bytes.ts';
export { type ReadEncodedOptions, readEncoded } from './encoded.ts';
export { type RecordedFigures, readFigures } from './figures.ts';
export type { ErrorCount, LoadSummary, RequestForm, RequestSink } from './load/load.ts';
export {
  type ReadRequestsOptions,
  readLoadSummary,
  readRequests,
  readWrkErrors,
} from './load/read-load.ts';
export {
  type CountedNumbers,
  type CountNumbersOptions,
  countNumbers,
  type NumberText,
} from './numbers/count-numbers.ts';
export { findNumberUnit, listNumberPlaces, type NumberPlace } from './numbers/number-plan.ts';
export { type InputForm, recogniseInput } from './recognise.ts';
