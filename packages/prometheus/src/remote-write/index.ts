export type { RemoteWriteErrorCode } from '../errors.ts';
export type { RemoteWriteObserver, RemoteWriteOptions } from './options.ts';
export { type RemoteWriteHealth, type RemoteWriter, sendRemoteWrite } from './sender.ts';
