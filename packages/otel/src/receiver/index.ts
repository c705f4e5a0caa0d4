export {
  type NumberMetric,
  type NumberMetrics,
  type NumberStates,
  type NumberStatesOptions,
  numberStates,
} from './number-states.ts';
export type { OtlpReceiverOptions } from './options.ts';
export type { RefusalReason } from './point-refusal.ts';
export {
  type OtlpEncoding,
  type OtlpPoint,
  type OtlpPoints,
  type ReadOtlpOptions,
  readOtlp,
} from './read-otlp.ts';
export type { MetricIdentity, ReceivedFamilyOptions, ReceivedScope } from './received.ts';
export { type OtlpReceiver, type OtlpReceiverHealth, otlpReceiver } from './receiver.ts';
export type { Refusals } from './refusals.ts';
export { type RunningOtlp, type RunningOtlpHealth, type ServeOtlpOptions, serveOtlp } from './serve.ts';
