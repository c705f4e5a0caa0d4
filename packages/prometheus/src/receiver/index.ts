// Entry `@hdrscope/prometheus/receiver`: histograms that others send by remote write, on Node.js.
export type { WriteRefusalReason } from './intake.ts';
export type { RemoteWriteReceiverOptions } from './options.ts';
export {
  type RemoteWriteReceiver,
  type RemoteWriteReceiverHealth,
  remoteWriteReceiver,
} from './receiver.ts';
export { type RunningRemoteWrite, type ServeRemoteWriteOptions, serveRemoteWrite } from './serve.ts';
