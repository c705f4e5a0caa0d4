export { createHdr, type Hdr, type HdrOptions } from './create-hdr.ts';
export { toExplicit } from './explicit.ts';
export { toExponential } from './exponential.ts';
export type { Format } from './metrics.ts';
export type { ReaderOptions } from './reader.ts';
export type {
  AttributesProcessor,
  ExplicitHistogramValue,
  ExponentialHistogramValue,
  Reader,
} from './sdk.ts';
export type { HdrView } from './view.ts';
