export { type BoundHistogram, bind } from './bind.ts';
export { createHdr, type Hdr, type HdrOptions } from './create-hdr.ts';
export type { Environment } from './environment.ts';
export type { ExemplarFilter } from './exemplar-filter.ts';
export { toExplicit } from './explicit.ts';
export { toExponential } from './exponential.ts';
export type { HdrInstrumentation } from './instrumentation.ts';
export type { Load } from './metric-readers.ts';
export type { Format } from './metrics.ts';
export type { ProducerOptions } from './producer.ts';
export type { ReaderOptions } from './reader.ts';
export type { MetricIdentity, ReceivedFamilyOptions } from './receiver/families.ts';
export type { RefusalReason } from './receiver/flaw.ts';
export type { OtlpReceiverHealth } from './receiver/health.ts';
export type { OtlpReceiverOptions } from './receiver/options.ts';
export type { ReceivedScope } from './receiver/received.ts';
export { type OtlpReceiver, otlpReceiver } from './receiver/receiver.ts';
export { type RunningOtlp, type ServeOtlpOptions, serveOtlp } from './receiver/serve.ts';
export type {
  AttributesProcessor,
  ExplicitHistogramValue,
  ExponentialHistogramValue,
  Producer,
  Reader,
} from './sdk.ts';
export type { HdrView } from './view.ts';
