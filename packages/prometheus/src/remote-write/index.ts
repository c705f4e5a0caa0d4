export type { SenderTlsFiles } from '@hdrscope/kit/delivery';
export type { RemoteWriteErrorCode } from '../errors.ts';
export type { FamilySource } from '../family-source.ts';
export type { NamingOptions } from '../names.ts';
export type { RemoteWriteObserver, RemoteWriteOptions } from './options.ts';
export { type RemoteWriteHealth, type RemoteWriter, sendRemoteWrite } from './sender.ts';
