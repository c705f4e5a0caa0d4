import { callback, type OptionRules, readOptions, withDefault } from '@hdrscope/core/internal';
import type { ProcessPort } from '@hdrscope/kit';
import { timeout } from '../asked-source.ts';
import type { Attributes } from '../attributes.ts';
import type { Registry } from '../registry.ts';
import { assertRegistry } from '../registry.ts';
import { addRemote, type CollectOptions, nameOf } from './collect-from.ts';

/** A worker of `node:cluster`. */
export interface ClusterWorker extends ProcessPort {
  /** The id that `node:cluster` gave the worker: at least 1, never given twice. */
  readonly id: number;
  /** Its process, which names it. */
  readonly process?: { readonly pid?: number | undefined };
}

/** The part of `node:cluster` that is used in the primary. */
export interface ClusterLike<Worker extends ClusterWorker = ClusterWorker> {
  /** The living workers by `id`; left out in a process that is not the primary. */
  readonly workers?: { readonly [id: string]: Worker | undefined };
  /** Calls the listener for each worker that is forked from now on. */
  on(event: 'fork', listener: (worker: Worker) => void): unknown;
  /** Removes a listener that `on` has added. */
  off(event: 'fork', listener: (worker: Worker) => void): unknown;
}

/** The options of a collected cluster. */
export interface ClusterOptions<Worker extends ClusterWorker = ClusterWorker>
  extends Pick<CollectOptions, 'timeoutMs'> {
  /** Attributes for all series of a worker. @default no attributes: equal series of all workers are added up */
  readonly attributesOf?: (worker: Worker) => Attributes;
}

/**
 * Collects from all present and future workers of a cluster: see `collectFrom`. Each worker must call
 * `serveRegistry(registry, process)`.
 *
 * The errors of snapshots name a worker that ended without its last counts until another one is forked, which replaces the one that
 * ended first. At least one snapshot names it.
 *
 * @param cluster The default export of `node:cluster`, in the primary.
 * @returns A function that removes all workers. The counts that they have reported stay.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it.
 */
export function collectFromCluster<Worker extends ClusterWorker>(
  registry: Registry,
  cluster: ClusterLike<Worker>,
  options: ClusterOptions<Worker> = {},
): () => void {
  assertRegistry(registry);
  const { timeoutMs, attributesOf } = readOptions(options, COLLECT_FROM_CLUSTER);
  const stops: (() => void)[] = [];
  // The event of a worker that was forked just before comes later, when the worker is in the list already.
  const known = new WeakSet<Worker>();
  const add = (worker: Worker): void => {
    if (known.has(worker)) return;
    known.add(worker);
    const attributes = attributesOf(worker);
    stops.push(addRemote(registry, worker, { name: nameOf(worker), timeoutMs, attributes, place: stops }));
  };
  for (const worker of Object.values(cluster.workers ?? {})) if (worker !== undefined) add(worker);
  cluster.on('fork', add);
  return () => {
    cluster.off('fork', add);
    for (const stop of stops) stop();
  };
}

const COLLECT_FROM_CLUSTER = {
  name: 'collectFromCluster',
  rules: {
    attributesOf: withDefault(callback(), () => ({})),
    timeoutMs: withDefault(timeout, 1000),
  } satisfies OptionRules<ClusterOptions>,
  call: 'collectFromCluster(registry, cluster, { timeoutMs: 1000 })',
};
