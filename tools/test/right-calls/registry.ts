import { MessageChannel } from 'node:worker_threads';
import { explicitLayout } from '@hdrscope/core';
import { JointHistogram } from '@hdrscope/core/joint';
import {
  bucketCounts,
  collectFrom,
  collectFromCluster,
  createRegistry,
  ingest,
  ingestJoint,
  type ReadableSource,
  type Registry,
  serveRegistry,
  valuesAtPercentiles,
} from '@hdrscope/registry';
import { recorded } from './core.ts';
import { type RightCalls, right } from './right-call.ts';

/** A registry with a family of values, and what it has gathered. */
export function filled(): Registry {
  const registry = createRegistry();
  registry.histogram({ name: 'jobs', unit: 's' }).with({ queue: 'a' }).record(1);
  return registry;
}

export const snapshot = await filled().gather();
const [family] = snapshot.families;
const series = family?.series[0];
const layout = explicitLayout([1, 2]);
const joint = new JointHistogram([{ name: 'size', layout }]);
joint.record(1);
const source: ReadableSource = {
  name: 'readings',
  read: () => [
    { key: 'a', family: { name: 'read' }, attributes: {}, counted: recorded() },
    { key: 'b', family: { name: 'read' }, attributes: { b: 1 }, counted: recorded() },
  ],
};
const cluster = { workers: {}, on: () => {}, off: () => {} };

/** A port whose other end is this process. Nothing answers. */
export function port(): MessageChannel['port1'] {
  const { port1 } = new MessageChannel();
  port1.unref();
  return port1;
}

/** Gathers what was just added to a registry, and removes it. */
export async function gathered(
  registry: Registry,
  ingestion: { close(): Promise<void> },
  timeoutMs = 1000,
): Promise<void> {
  await registry.gather({ timeoutMs });
  await ingestion.close();
}

export const REGISTRY: RightCalls = {
  'registry.bucketCounts': right(bucketCounts, family, series, [1]),
  'registry.collectFrom': right(
    async (registry: Registry, to: MessageChannel['port1'], options: object) => {
      const end = collectFrom(registry, to, options);
      await registry.gather({ timeoutMs: 1 });
      end();
    },
    createRegistry(),
    port(),
    {},
  ),
  'registry.collectFromCluster': right(
    (registry: Registry, workers: typeof cluster, options: object) =>
      collectFromCluster(registry, workers, options)(),
    createRegistry(),
    cluster,
    {},
  ),
  'registry.createRegistry': right(async (options: object) => {
    const registry = createRegistry(options);
    registry.histogram({ name: 'jobs' }).with({}).record(1);
    await registry.gather();
  }, {}),
  'registry.ingest': right(
    async (registry: Registry, from: ReadableSource, options: object) =>
      gathered(registry, ingest(registry, from, options), 10),
    createRegistry(),
    source,
    {},
  ),
  'registry.ingestJoint': right(
    async (registry: Registry, histogram: JointHistogram, options: object) =>
      gathered(registry, ingestJoint(registry, histogram, options as never), 10),
    createRegistry(),
    joint,
    { families: { size: { name: 'size' } } },
  ),
  'registry.Registry.add': right(
    async (added: { name: string; collect(): void }, options: object) => {
      const registry = createRegistry();
      const remove = registry.add(added, options);
      await registry.gather();
      remove();
    },
    { name: 'jobs', collect: () => {} },
    {},
  ),
  'registry.Registry.gather': right((options: object) => filled().gather(options), {}),
  'registry.Registry.histogram': right(
    async (options: { name: string }) => {
      const registry = createRegistry();
      registry.histogram(options).with({}).record(1);
      const { errors } = await registry.gather();
      if (errors[0] !== undefined) throw errors[0].error;
    },
    { name: 'jobs' },
  ),
  'registry.Series.add': right(
    (counted: ReturnType<typeof recorded>, facts: object) =>
      createRegistry().histogram({ name: 'jobs' }).with({}).add(counted, facts),
    recorded(),
    {},
  ),
  'registry.serveRegistry': right(
    async (registry: Registry, to: MessageChannel['port1']) => serveRegistry(registry, to)(),
    createRegistry(),
    port(),
  ),
  'registry.valuesAtPercentiles': right(valuesAtPercentiles, family, series, [50]),
};
