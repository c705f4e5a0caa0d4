export { decodeOtlp, type OtlpEncoding, type OtlpPoint, type OtlpPoints } from './decode-otlp.ts';
export { type NumberStates, numberStates } from './number-states.ts';
export type { OtlpReceiverOptions } from './options.ts';
export { type OtlpReceiver, type OtlpReceiverHealth, otlpReceiver } from './receiver.ts';
export { type RunningOtlp, type ServeOtlpOptions, serveOtlp } from './serve.ts';
