export type { OtlpErrorCode } from '../errors.ts';
export { type OtlpEnvironment, otlpOptionsFromEnvironment } from './from-environment.ts';
export { OtlpSenderMemory } from './memory.ts';
export type { OtlpNumber, OtlpNumbers } from './numbers.ts';
export type { OtlpSenderObserver, OtlpSenderOptions } from './options.ts';
export type { OtlpQueueOptions } from './queue.ts';
export { type OtlpSender, type OtlpSenderHealth, sendOtlp } from './sender.ts';
