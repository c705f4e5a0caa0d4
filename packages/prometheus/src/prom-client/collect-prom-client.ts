import {
  custom,
  having,
  listOf as listRule,
  number,
  type OptionRules,
  optional,
  readOptions,
  withDefault,
} from '@hdrscope/core/internal';
import { atOnce, inSlices, type RemotePort, reasonOf, Slices } from '@hdrscope/kit';
import type { ClusterLike, ClusterWorker } from '@hdrscope/registry/internal';
import { report } from '../diagnostics.ts';
import type { MetricFamily } from '../families.ts';
import type { FamilySource } from '../family-source.ts';
import { familyOf } from './families.ts';
import { listOf, readMetrics } from './from-prom-client.ts';
import { lasting, merged } from './merge.ts';
import { jsonOf, type PromClientRegistry, type PromMetric } from './metrics.ts';
import { PromClientRemote } from './remote.ts';

/** Options of `collectPromClient`. */
export interface CollectPromClientOptions {
  /** Registries of this process. @default none: a primary usually has no metrics of its own */
  readonly registries?: PromClientRegistry | readonly PromClientRegistry[] | undefined;
  /** The default export of `node:cluster`, in the primary: all present and future workers are asked. @default no cluster */
  readonly cluster?: ClusterLike | undefined;
  /** How long a scrape waits for an answer, in milliseconds: above 0. @default 1000 */
  readonly timeoutMs?: number | undefined;
}

/** The metrics of several processes or threads. */
export interface PromClientCollection {
  /** Asks all workers at each scrape. Pass it to `sources` of a handler or an exporter. */
  readonly families: FamilySource;
  /**
   * Adds a worker, which must call `servePromClient`.
   *
   * @param port A `Worker`, a `MessagePort`, or a `ChildProcess` with an IPC channel.
   * @returns A function that ends asking it. Its counters stay, and count once when the same worker is added again.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when nothing can be sent through the port.
   */
  collectFrom(port: RemotePort): () => void;
  /** Ends asking all workers. */
  close(): void;
}

const promRegistry = having<PromClientRegistry>('a registry of prom-client', 'getMetricsAsJSON');

const COLLECT_PROM_CLIENT = {
  name: 'collectPromClient',
  rules: {
    registries: withDefault(
      custom<PromClientRegistry | readonly PromClientRegistry[]>(
        'a registry of prom-client, or an array of them',
        (value) => promRegistry.accepts(value) || listRule(promRegistry, 'registries').accepts(value),
      ),
      [],
    ),
    cluster: optional(having<ClusterLike>('the default export of node:cluster', 'on', 'off')),
    timeoutMs: withDefault(number({ above: 0, to: Number.POSITIVE_INFINITY }), 1000),
  } satisfies OptionRules<CollectPromClientOptions>,
  call: 'collectPromClient({ cluster })',
};

/** A worker that was left before so many others counts anew when it is added again. */
const MOST_LEFT = 1000;

/**
 * Shows the metrics of `prom-client` of all workers as one: see `fromPromClient`. Each worker must call
 * `servePromClient(register, process)`, or `parentPort` in a thread. `AggregatorRegistry` of `prom-client` is not needed.
 *
 * The `aggregator` of a metric decides, as it does there: `sum`, `first`, `min`, `max`, `average`, or `omit`. `first` is that of
 * `registries`, else of the worker that was added first. Counters, histograms and sums of summaries of a worker that has ended stay, so
 * that no counter falls; its gauges and quantiles go. A worker that does not answer in time counts with its last answer, and the
 * diagnostics get a warning.
 *
 * Histograms of hdrscope take another way, without loss: `serveRegistry` and `collectFromCluster` of `@hdrscope/registry`.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range.
 * @example
 * ```ts
 * import { MessageChannel } from 'node:worker_threads';
 * import { collectPromClient, servePromClient } from '@hdrscope/prometheus';
 * import { Counter, Registry } from 'prom-client';
 *
 * const { port1, port2 } = new MessageChannel(); // usually: a Worker, and its parentPort
 * const [own, remote] = [new Registry(), new Registry()];
 * for (const register of [own, remote]) new Counter({ name: 'jobs_total', help: 'Jobs', registers: [register] }).inc(2);
 * const stop = servePromClient(remote, port2);
 *
 * const collection = collectPromClient({ registries: own });
 * collection.collectFrom(port1);
 * const [jobs] = await collection.families({});
 * jobs!.metrics[0]!.value; //=> { kind: 'number', value: 4 }
 *
 * collection.close();
 * await stop();
 * port1.close();
 * ```
 */
export function collectPromClient(options: CollectPromClientOptions = {}): PromClientCollection {
  const { registries, cluster, timeoutMs } = readOptions(options, COLLECT_PROM_CLIENT);
  const own = listOf(registries);
  const remotes = new Map<RemotePort, PromClientRemote>();
  let ended: readonly PromMetric[] = [];
  /** What stays of workers that are not asked any more but may be added again, the latest last. */
  const left = new Map<RemotePort, readonly PromMetric[]>();

  function keep(metrics: readonly PromMetric[]): void {
    ended = atOnce(merged([ended, metrics], () => {}));
  }

  function leave(port: RemotePort, metrics: readonly PromMetric[]): void {
    left.set(port, metrics);
    for (const [oldest, its] of left) {
      if (left.size <= MOST_LEFT) break;
      left.delete(oldest);
      keep(its);
    }
  }

  function collectFrom(port: RemotePort): () => void {
    const remote =
      remotes.get(port) ??
      new PromClientRemote(port, nameOf(port), left.get(port) ?? [], ({ metrics, isGone }) => {
        remotes.delete(port);
        if (isGone) keep(lasting(metrics));
        else leave(port, lasting(metrics));
      });
    left.delete(port);
    remotes.set(port, remote);
    return () => remote.end();
  }

  // The event of a worker that was forked just before comes later, when the worker is in the list already.
  const onFork = (worker: ClusterWorker): void => void collectFrom(worker);
  for (const worker of Object.values(cluster?.workers ?? {})) if (worker !== undefined) onFork(worker);
  cluster?.on('fork', onFork);

  return {
    async families({ warn = () => {} }) {
      const [lists] = await Promise.all([
        Promise.all(own.map(jsonOf)),
        Promise.all([...remotes.values()].map((remote) => updated(remote, timeoutMs))),
      ]);
      const slices = new Slices();
      const metrics: PromMetric[] = [];
      for await (const metric of readMetrics(lists.flat(), warn, slices)) metrics.push(metric);
      // Workers may have come and gone meanwhile: each is in one of these lists.
      const living = [...remotes.values()].map((remote) => remote.metrics);
      const all = [metrics, ...living, ...left.values(), ended];
      const families: MetricFamily[] = [];
      for (const metric of await inSlices(merged(all, warn), slices)) {
        families.push(await inSlices(familyOf(metric, warn), slices));
      }
      return families;
    },
    collectFrom,
    close() {
      cluster?.off('fork', onFork);
      for (const remote of remotes.values()) remote.end();
    },
  };
}

async function updated(remote: PromClientRemote, timeoutMs: number): Promise<void> {
  try {
    await remote.update(timeoutMs);
  } catch (error) {
    report('warn', `the metrics of ${remote.name} are those of its last answer: ${reasonOf(error)}`, error);
  }
}

function nameOf(port: RemotePort): string {
  const { id, threadId, pid } = port as { id?: number; threadId?: number; pid?: number };
  if (threadId !== undefined) return `thread ${threadId}`;
  if (id !== undefined) return `worker ${id}`;
  return pid === undefined ? 'a remote' : `process ${pid}`;
}
