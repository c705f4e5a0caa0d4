import type { Registry } from '../registry.ts';
import type { FamilyIdentity } from '../snapshot.ts';
import { openChannel, type RemotePort } from './channel.ts';
import { type CollectMessage, readCollect, stateMessage } from './wire.ts';

/** The identity of a registry on the other side, whatever the port. */
interface Identity {
  readonly instance: string;
  /** How many states were sent. */
  sequence: number;
}

const identities = new WeakMap<Registry, Identity>();

// The sources of a served registry may take half of the time that the registry itself has, so that none makes it late.
const SHARE_OF_SOURCES = 0.5;
const LAST_STATE_TIMEOUT_MS = 1000;

/**
 * Serves a registry to the registry that collects from it at the other end of a port: see `collectFrom`. Its own
 * sources, other remotes among them, are collected from at each request.
 *
 * Like any listener of messages, this keeps the thread or process alive until it is stopped.
 *
 * @param port `parentPort` in a worker thread, `process` in a cluster worker or a child process.
 * @returns A function that stops serving: call it when the work is done. It sends the last state, and ends when that
 *   is sent.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when nothing can be sent through the port.
 */
export function serveRegistry(registry: Registry, port: RemotePort): () => Promise<void> {
  const identity = identityOf(registry);

  async function sendState(
    { request, timeoutMs }: Pick<CollectMessage, 'request' | 'timeoutMs'>,
    isLast = false,
  ): Promise<void> {
    const snapshot = await registry.gather({ timeoutMs: timeoutMs * SHARE_OF_SOURCES });
    const sequence = ++identity.sequence;
    const { instance } = identity;
    const cardinalityLimitOf = (family: FamilyIdentity): number =>
      registry.family(family)?.cardinalityLimit ?? 1;
    await channel
      .post(stateMessage(snapshot, { request, instance, sequence, isLast, cardinalityLimitOf }))
      .catch(() => undefined); // the receiver is gone
  }

  const channel = openChannel(port, {
    onMessage(message) {
      const request = requestIn(message);
      if (request !== undefined) void sendState(request);
    },
    onEnd: () => channel.close(),
  });
  let stopped: Promise<void> | undefined;
  return () => {
    channel.close();
    stopped ??= sendState({ request: 0, timeoutMs: LAST_STATE_TIMEOUT_MS }, true);
    return stopped;
  };
}

/** A request that cannot be read is not answered; the sender notices that. */
function requestIn(message: unknown): CollectMessage | undefined {
  try {
    return readCollect(message);
  } catch {
    return undefined;
  }
}

function identityOf(registry: Registry): Identity {
  let identity = identities.get(registry);
  if (identity === undefined) {
    identity = { instance: crypto.randomUUID(), sequence: 0 };
    identities.set(registry, identity);
  }
  return identity;
}

/** Every runtime has it, but the library of the language does not declare it. */
declare const crypto: { randomUUID(): string };
