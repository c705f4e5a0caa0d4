import { type OptionRules, object, optional, readOptions, text, withDefault } from '@hdrscope/core/internal';
import type { RemotePort } from '@hdrscope/kit';
import { timeout } from '../asked-source.ts';
import type { Attributes } from '../attributes.ts';
import type { Registry } from '../registry.ts';
import { assertRegistry } from '../registry.ts';
import { Remote, type RemoteSetup } from './remote.ts';
import { RemoteStates } from './remote-states.ts';

/** The options of a collected registry. */
export interface CollectOptions {
  /**
   * Names the remote in errors and snapshots.
   * @default `thread 1`, `process 4711`, `worker 1 (process 4711)` of a cluster, or `remote`
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

/** How many remotes that died are named at a time. A service may run a process for each job, and nobody removes those that fail. */
const MOST_NAMED = 100;

/** What a registry collects from. */
interface Collected {
  readonly states: RemoteStates;
  readonly remotes: Set<Remote>;
}

const collectedByRegistry = new WeakMap<Registry, Collected>();

/**
 * Collects from a registry in another thread or process whenever this one is gathered. `serveRegistry` must serve the
 * remote registry at the other end of the port. Counts of series with the same family and attributes are added up
 * without loss, and no value is counted twice, also when a remote restarts or answers late:
 *
 * - The counts that a remote has reported stay when it ends. An end in good order is no error: the function that `serveRegistry` returned
 *   has sent the last counts.
 * - Any other end is a loss of the later counts. The errors of each snapshot name the remote until you remove it, with the function that
 *   this one returns, or replace it: `collectFrom` is called with the same name. At least one snapshot names it. From
 *   100 dead remotes on, each new remote replaces the first of them.
 * - The errors of the snapshot name a remote that does not answer in time, and its last known state is used. Its late answer is in the
 *   next snapshot.
 * - They also name a family that has another unit, resolution or number of digits here. That family is left out.
 *
 * Call it before the other side may end. Other listeners of the port receive the messages too: objects with a field
 * `hdrscope`.
 *
 * @returns A function that removes the remote: it is not asked or named any more. The counts that it has reported stay.
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
  assertRegistry(registry);
  const { name = nameOf(port), timeoutMs, attributes } = readOptions(options, COLLECT_FROM);
  return addRemote(registry, port, { name, timeoutMs, attributes, place: name });
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

/** The settings of a remote. */
export interface RemoteSettings extends Omit<RemoteSetup, 'states'> {
  readonly timeoutMs: number;
}

/**
 * Collects from a remote: see `collectFrom`. It replaces the first one at its place that has ended, if there is one.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when nothing can be sent through the port.
 */
export function addRemote(registry: Registry, port: RemotePort, settings: RemoteSettings): () => void {
  const { states, remotes } = collectedOf(registry);
  const { timeoutMs, ...setup } = settings;
  const remote = new Remote(port, { ...setup, states }, () => {
    remotes.delete(remote);
    remove();
  });
  const remove = registry.add(remote, { timeoutMs });
  const vacant = [...remotes].filter((one) => one.isVacant);
  const [first] = vacant;
  const replaced =
    vacant.find(({ place }) => place === setup.place) ?? (vacant.length >= MOST_NAMED ? first : undefined);
  replaced?.replace();
  remotes.add(remote);
  return () => remote.close();
}

function collectedOf(registry: Registry): Collected {
  let collected = collectedByRegistry.get(registry);
  if (collected === undefined) {
    collected = { states: new RemoteStates(registry), remotes: new Set() };
    collectedByRegistry.set(registry, collected);
  }
  return collected;
}

/**
 * Lets a registry go on where another one has stopped. It must collect under the same name, or from nothing yet. Counts that this one has taken are not asked for
 * again. The counts of the other one itself come by `lastChanges`.
 *
 * @param asker The name of both to the remotes.
 * @param taken What `takenStates` has returned for the other one.
 */
export function resumeCollecting(
  registry: Registry,
  asker: string,
  taken: Readonly<Record<string, number>> = {},
): void {
  const collected = collectedByRegistry.get(registry) ?? {
    states: new RemoteStates(registry, asker),
    remotes: new Set(),
  };
  collected.states.resume(taken);
  collectedByRegistry.set(registry, collected);
}

/**
 * The sequences of the states that a registry has taken from others, by the instance of the other one. The counts of all these are in
 * the registry when the call returns.
 */
export function takenStates(registry: Registry): Readonly<Record<string, number>> {
  const states = collectedByRegistry.get(registry)?.states;
  states?.finish();
  return states?.taken ?? {};
}

/** What a port may know of the other side. */
interface NamedPort {
  /** Of a worker of a cluster. */
  readonly id?: number;
  readonly threadId?: number;
  readonly pid?: number;
  /** The process of a worker of a cluster. */
  readonly process?: { readonly pid?: number };
}

/** The name of a remote for which none is stated. */
export function nameOf(port: RemotePort): string {
  const { id, threadId, process, pid = process?.pid } = (port ?? {}) as NamedPort;
  if (threadId !== undefined) return `thread ${threadId}`;
  const ofProcess = pid === undefined ? undefined : `process ${pid}`;
  if (id === undefined) return ofProcess ?? 'remote';
  return ofProcess === undefined ? `worker ${id}` : `worker ${id} (${ofProcess})`;
}
