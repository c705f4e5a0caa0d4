import { type OptionRules, object, optional, readOptions, text, withDefault } from '@hdrscope/core/internal';
import type { RemotePort } from '@hdrscope/kit';
import { timeout } from '../asked-source.ts';
import type { Attributes } from '../attributes.ts';
import type { Registry } from '../registry.ts';
import { Remote } from './remote.ts';
import { RemoteStates } from './remote-states.ts';

/** The options of a collected registry. */
export interface CollectOptions {
  /**
   * Names the remote in errors and snapshots.
   * @default `thread 1`, `process 4711`, `worker 1` of a cluster, or `remote`
   */
  readonly name?: string;
  /** How long a gather that states no `timeoutMs` waits for the answer, in milliseconds: above 0. @default 1000 */
  readonly timeoutMs?: number;
  /**
   * Attributes for all series of the remote, which keep them apart from others.
   * @default no attributes: equal series are added up
   */
  readonly attributes?: Attributes;
}

const statesByRegistry = new WeakMap<Registry, RemoteStates>();

/**
 * Collects from a registry in another thread or process whenever this one is gathered. `serveRegistry` must serve the
 * remote registry at the other end of the port. Counts of series with the same family and attributes are added up
 * without loss, and no value is counted twice, also when a remote restarts or answers late:
 *
 * - The counts that a remote has reported stay when it ends. Later counts are lost, and the errors of the next
 *   snapshot say so, unless the remote stopped serving in good order.
 * - The errors of the snapshot name a remote that does not answer in time, and its last known state is used.
 * - They also name a family that has another unit, resolution or number of digits here. That family is left out.
 *
 * Call it before the other side may end. Other listeners of the port receive the messages too: objects with a field
 * `hdrscope`.
 *
 * @returns A function that ends it. The counts that the remote has reported stay.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it.
 * @example
 * ```ts
 * import { MessageChannel } from 'node:worker_threads';
 * import { collectFrom, createRegistry, serveRegistry } from '@hdrscope/registry';
 *
 * const { port1, port2 } = new MessageChannel(); // usually: a Worker, and its parentPort
 * const remote = createRegistry();
 * const stop = serveRegistry(remote, port2);
 * remote.histogram({ name: 'jobs', unit: 's' }).with({}).record(0.25);
 *
 * const registry = createRegistry();
 * collectFrom(registry, port1);
 * registry.histogram({ name: 'jobs', unit: 's' }).with({}).record(0.5);
 * const { histogram, max } = (await registry.gather()).families[0]!.series[0]!;
 * [histogram.totalCount, max]; //=> [2, 0.5]
 *
 * await stop();
 * port1.close();
 * ```
 */
export function collectFrom(registry: Registry, port: RemotePort, options: CollectOptions = {}): () => void {
  const { name = nameOf(port), timeoutMs, attributes } = readOptions(options, COLLECT_FROM);
  const remote = new Remote(port, { name, attributes, states: statesOf(registry) }, () => remove());
  const remove = registry.add(remote, { timeoutMs });
  return () => remote.close();
}

const COLLECT_FROM = {
  name: 'collectFrom',
  rules: {
    name: optional(text),
    timeoutMs: withDefault(timeout, 1000),
    attributes: withDefault(object(), {}),
  } satisfies OptionRules<CollectOptions>,
  call: 'collectFrom(registry, port, { timeoutMs: 1000 })',
};

function statesOf(registry: Registry): RemoteStates {
  let states = statesByRegistry.get(registry);
  if (states === undefined) {
    states = new RemoteStates(registry);
    statesByRegistry.set(registry, states);
  }
  return states;
}

function nameOf(port: RemotePort): string {
  const { id, threadId, pid } = (port ?? {}) as { id?: number; threadId?: number; pid?: number };
  if (threadId !== undefined) return `thread ${threadId}`;
  if (id !== undefined) return `worker ${id}`;
  return pid === undefined ? 'remote' : `process ${pid}`;
}
