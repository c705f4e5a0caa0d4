export { readEncoded } from './encoded.ts';
export { readFigures } from './figures.ts';
export type { LoadSummary, RequestForm, RequestSink } from './load/load.ts';
export { readLoadSummary, readRequests, readWrkErrors } from './load/read-load.ts';
export { countNumbers } from './numbers/count-numbers.ts';
export { findNumberUnit, listNumberPlaces, type NumberPlace } from './numbers/number-plan.ts';
export { type InputForm, recogniseInput } from './recognise.ts';
