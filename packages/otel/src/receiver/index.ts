export {
  type NumberMetric,
  type NumberMetrics,
  type NumberStates,
  type NumberStatesOptions,
  numberStates,
} from './number-states.ts';
export type { OtlpReceiverOptions } from './options.ts';
export type { RefusalReason } from './point-refusal.ts';
export type { MetricIdentity, ReceivedFamilyOptions, ReceivedScope } from './received.ts';
export { type OtlpReceiver, type OtlpReceiverHealth, otlpReceiver } from './receiver.ts';
export { type RunningOtlp, type RunningOtlpHealth, type ServeOtlpOptions, serveOtlp } from './serve.ts';
