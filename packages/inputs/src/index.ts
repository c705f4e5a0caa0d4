export { readEncoded } from './encoded.ts';
export { type RecordedFigures, readFigures } from './figures.ts';
export type { ErrorCount, LabelledCounts, LoadSummary, RequestSink } from './load/load.ts';
export type { CountsForm, RequestForm } from './load/load-form.ts';
export { readCounts, readLoadSummary, readRequests } from './load/read-load.ts';
export { readWrkErrors } from './load/wrk.ts';
export { type CountedNumbers, countNumbers } from './numbers/count-numbers.ts';
export {
  type FoundUnit,
  findNumberUnit,
  listNumberPlaces,
  type NumberPlace,
  type NumberPlaces,
} from './numbers/number-plan.ts';
export { type InputForm, recogniseInput } from './recognise.ts';
