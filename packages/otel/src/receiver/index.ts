export type { MetricIdentity, ReceivedFamilyOptions } from './families.ts';
export type { OtlpReceiverHealth } from './health.ts';
export type { OtlpReceiverOptions } from './options.ts';
export type { RefusalReason } from './point-refusal.ts';
export type { ReceivedScope } from './received.ts';
export { type OtlpReceiver, otlpReceiver } from './receiver.ts';
export { type RunningOtlp, type ServeOtlpOptions, serveOtlp } from './serve.ts';
