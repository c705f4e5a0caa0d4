export {
  type BindableHistogram,
  type BoundCounter,
  type BoundGauge,
  type BoundHistogram,
  type BoundUpDownCounter,
  bind,
} from './bind.ts';
export { createHdr, type Hdr, type HdrOptions } from './create-hdr.ts';
export type { EnvironmentVariables } from './environment.ts';
export type { HdrInstrumentation } from './instrumentation.ts';
export type { HistogramFormat } from './metric-settings.ts';
export { GEN_AI_VIEWS, MESSAGING_VIEWS } from './presets.ts';
export type { ProducerOptions } from './producer.ts';
export type { ReaderOptions } from './reader.ts';
export type { MetricCollection, Producer, Reader } from './sdk.ts';
export type { HdrView } from './view.ts';
