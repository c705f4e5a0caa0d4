export type { GuardOptions, ServerLimits, ServerRefusals, TlsFiles } from '@hdrscope/kit/server';
export {
  type DecodeOtlpOptions,
  decodeOtlp,
  type OtlpEncoding,
  type OtlpPoint,
  type OtlpPoints,
} from './decode-otlp.ts';
export type { OtlpIntakeHealth } from './intake.ts';
export {
  type NumberMetric,
  type NumberMetrics,
  type NumberStates,
  type NumberStatesOptions,
  numberStates,
} from './number-states.ts';
export type { OtlpReceiverOptions } from './options.ts';
export type { PointRefusalReason } from './point-refusal.ts';
export type { MetricIdentity, ReceivedFamilyOptions, ReceivedScope } from './received.ts';
export { type OtlpReceiver, type OtlpReceiverHealth, otlpReceiver } from './receiver.ts';
export type { PointRefusals } from './refusals.ts';
export { type RunningOtlp, type RunningOtlpHealth, type ServeOtlpOptions, serveOtlp } from './serve.ts';
