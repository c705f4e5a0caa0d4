export {
  type CollectPromClientOptions,
  collectPromClient,
  type PromClientCollection,
} from './collect-prom-client.ts';
export { fromPromClient } from './from-prom-client.ts';
export type { PromClientRegistry } from './metrics.ts';
export { servePromClient } from './serve-prom-client.ts';
