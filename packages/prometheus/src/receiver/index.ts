// Entry `@hdrscope/prometheus/receiver`: histograms that others send by remote write, or keep for remote read, on Node.js.
export type { WriteRefusalReason } from './intake.ts';
export type { RemoteWriteReceiverOptions } from './options.ts';
export {
  type RemoteWriteReceiver,
  type RemoteWriteReceiverHealth,
  remoteWriteReceiver,
} from './receiver.ts';
export {
  type ListHistogramsOptions,
  listRemoteHistograms,
  type RemoteReadHealth,
  type RemoteReadOptions,
  type RemoteReadSnapshot,
  readRemote,
} from './remote-read.ts';
export { type RunningRemoteWrite, type ServeRemoteWriteOptions, serveRemoteWrite } from './serve.ts';
