import type { RemotePort } from '@hdrscope/kit';
import { Counter, type OpenMetricsContentType, Registry, register } from 'prom-client';
import { collectPromClient, fromPromClient, servePromClient } from '../../src/index.ts';

/** Compiles only if the types of the client fit. The successor of `prom-client` takes its place in a test. */
export async function useClient(port: RemotePort): Promise<string> {
  const own = new Registry();
  new Counter({ name: 'orders_total', help: 'Orders', registers: [own] }).inc(3);
  const openMetrics = new Registry<OpenMetricsContentType>();
  openMetrics.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const stop = servePromClient([own, openMetrics], port);
  const collection = collectPromClient({ registries: [register, own] });
  const families = await fromPromClient([register, own, openMetrics])({});
  collection.close();
  await stop();
  return families.map(({ name }) => name).join();
}
