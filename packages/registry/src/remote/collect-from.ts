import { assertTimeout } from '../asked-source.ts';
import type { Attributes } from '../attributes.ts';
import type { Registry } from '../registry.ts';
import type { RemotePort } from './channel.ts';
import { Remote } from './remote.ts';
import { RemoteStates } from './remote-states.ts';

/** How a registry in another thread or process is collected from. */
export interface CollectOptions {
  /** Names it where it fails. @default `thread 1`, `process 4711` or `worker 1` of a cluster, else `remote` */
  readonly name?: string;
  /** How long a gather waits for its answer, in milliseconds: above 0. @default 1000 */
  readonly timeoutMs?: number;
  /** Are given to all its series, which then stand beside those of others. @default none: equal series are added up */
  readonly attributes?: Attributes;
}

const DEFAULT_TIMEOUT_MS = 1000;

const statesByRegistry = new WeakMap<Registry, RemoteStates>();

/**
 * Has a registry ask another one, in the thread or process at the other end of a port, whenever it is gathered. That one
 * must be served there by `serveRegistry`. Counts of series with the same family and attributes are added up; nothing is
 * lost by that, and nothing is counted twice, whoever restarts or answers late:
 *
 * - A remote that is gone leaves what it has told. What it counted after that is lost, and the next snapshot's errors say
 *   so, unless it had stopped serving in good order.
 * - One that does not answer in time is named in the snapshot's errors; its last known state stands in.
 * - A family that is registered otherwise here (unit, resolution or digits) is named there too, and left out.
 *
 * Begin before the other side may have ended. Other listeners of the port see the messages too: objects with a field
 * `hdrscope`.
 *
 * @returns Asks it no more. What it has told stays.
 * @throws HdrscopeError `ERR_INVALID_OPTION`
 * @example
 * ```ts
 * import { MessageChannel } from 'node:worker_threads';
 * import { collectFrom, createRegistry, serveRegistry } from '@hdrscope/registry';
 *
 * const { port1, port2 } = new MessageChannel(); // mostly: a Worker, and its parentPort
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
  const { name = nameOf(port), timeoutMs = DEFAULT_TIMEOUT_MS, attributes = {} } = options;
  assertTimeout(timeoutMs);
  const remote = new Remote(port, { name, timeoutMs, attributes, states: statesOf(registry) }, () =>
    remove(),
  );
  const remove = registry.add(remote, { timeoutMs });
  return () => remote.close();
}

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
