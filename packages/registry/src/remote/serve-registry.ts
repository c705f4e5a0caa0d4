import type { Registry } from '../registry.ts';
import { openChannel, type RemotePort } from './channel.ts';
import { type CollectMessage, readCollect, stateMessage } from './wire.ts';

/** What a registry is known by on the other side, whatever the port. */
interface Identity {
  readonly instance: string;
  /** How many states were told. */
  sequence: number;
}

const identities = new WeakMap<Registry, Identity>();

// Sources of a registry that is served may take half the time that it has itself, lest one of them makes it late.
const SHARE_OF_SOURCES = 0.5;
const LAST_STATE_TIMEOUT_MS = 1000;

/**
 * Has a registry answer the one that collects from it at the other end of a port: `parentPort` in a worker thread,
 * `process` in a cluster worker or a child process. Its own sources, other remotes among them, are asked each time.
 *
 * As any listener of messages, this keeps the thread or process alive until it is stopped.
 *
 * @returns Hands over what was counted up to now, and ends when that is sent: call it when the work is done. It answers no
 *   more questions.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when nothing can be sent through the port.
 */
export function serveRegistry(registry: Registry, port: RemotePort): () => Promise<void> {
  const identity = identityOf(registry);

  async function tell({ request, timeoutMs }: Pick<CollectMessage, 'request' | 'timeoutMs'>, isLast = false) {
    const snapshot = await registry.gather({ timeoutMs: timeoutMs * SHARE_OF_SOURCES });
    const sequence = ++identity.sequence;
    const { instance } = identity;
    const cardinalityLimitOf = (family: Parameters<Registry['family']>[0]): number =>
      registry.family(family)?.cardinalityLimit ?? 1;
    await channel
      .post(stateMessage(snapshot, { request, instance, sequence, isLast, cardinalityLimitOf }))
      .catch(() => undefined); // there is nobody left to tell
  }

  const channel = openChannel(port, {
    onMessage(message) {
      const question = questionIn(message);
      if (question !== undefined) void tell(question);
    },
    onEnd: () => channel.close(),
  });
  let stopped: Promise<void> | undefined;
  return () => {
    channel.close();
    stopped ??= tell({ request: 0, timeoutMs: LAST_STATE_TIMEOUT_MS }, true);
    return stopped;
  };
}

/** One that cannot be read cannot be answered either: who asked notices that. */
function questionIn(message: unknown): CollectMessage | undefined {
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

/** Every runtime has it; the language's own library does not declare it. */
declare const crypto: { randomUUID(): string };
