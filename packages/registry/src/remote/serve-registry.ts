import { openChannel, type RemotePort, reasonOf } from '@hdrscope/kit';
import type { Registry } from '../registry.ts';
import { assertRegistry } from '../registry.ts';
import { MOST_ASKERS, ServedRegistry } from './served-registry.ts';
import {
  buffersOf,
  type CollectMessage,
  collectMessage,
  readCollect,
  refusalMessage,
  refusalOf,
} from './wire.ts';

const servedByRegistry = new WeakMap<Registry, ServedRegistry>();

const LAST_CHANGES_TIMEOUT_MS = 1000;

/**
 * Serves a registry to the registry that collects from it at the other end of a port: see `collectFrom`. Its own
 * sources, other remotes among them, are collected from at each request. Answers are made in slices of a few milliseconds, so
 * that other work of this thread or process runs in between.
 *
 * Like any listener of messages, this keeps the thread or process alive until it is stopped.
 *
 * @param port `parentPort` in a worker thread, `process` in a cluster worker or a child process.
 * @returns A function that stops serving: call it when the work is done. It sends the last counts, and ends when they
 *   are sent.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when nothing can be sent through the port.
 */
export function serveRegistry(registry: Registry, port: RemotePort): () => Promise<void> {
  assertRegistry(registry);
  const served = servedFor(registry);
  /** The last ones that have asked through this port. */
  const askers = new Set<string>();
  /** The questions whose answers are being made. */
  const open = new Set<string>();

  async function answer(question: CollectMessage, isLast = false): Promise<void> {
    try {
      const message = await served.answer(question, { isLast, isText: channel.isText });
      await channel.post(message, buffersOf(message));
    } catch (error) {
      refuse(question, error);
    }
  }

  /** A question that is repeated while its answer is being made needs no second one: that would make a busy remote later still. */
  async function answerOnce(question: CollectMessage): Promise<void> {
    const id = `${question.asker} ${question.request}`;
    if (open.has(id)) return;
    open.add(id);
    await answer(question);
    open.delete(id);
  }

  /** The asker would wait in vain. */
  function refuse(question: unknown, error: unknown): void {
    channel.post(refusalMessage(question, reasonOf(error))).catch(() => {
      // The receiver is gone.
    });
  }

  const channel = openChannel(port, {
    onMessage(message) {
      const refusal = refusalOf(message);
      if (refusal !== undefined) {
        channel.post(refusal).catch(() => undefined);
        return;
      }
      try {
        const question = readCollect(message);
        if (question === undefined) return;
        remember(question.asker);
        void answerOnce(question);
      } catch (error) {
        refuse(message, error);
      }
    },
    onEnd: () => channel.close(),
  });
  let stopped: Promise<void> | undefined;
  return () => {
    channel.close();
    stopped ??= sendLast();
    return stopped;
  };

  function remember(asker: string): void {
    askers.delete(asker);
    askers.add(asker);
    const [oldest] = askers;
    if (askers.size > MOST_ASKERS) askers.delete(oldest!);
  }

  async function sendLast(): Promise<void> {
    // A registry that has not asked yet hears from a remote only now.
    const receivers = askers.size === 0 ? [''] : [...askers];
    const last = { request: 0, timeoutMs: LAST_CHANGES_TIMEOUT_MS, known: undefined };
    await Promise.all(receivers.map((asker) => answer(collectMessage({ ...last, asker }), true)));
  }
}

/**
 * All that a registry has counted and that an asker has not acknowledged, as the message that would end serving it. It is made at once,
 * for a process that ends: the message goes another way.
 */
export function lastChanges(registry: Registry, asker: string): object {
  return servedFor(registry).lastAnswer(asker);
}

/** Takes for granted that an asker has taken all that a registry has sent to it: another one goes on in its name. */
export function assumeTaken(registry: Registry, asker: string): void {
  servedFor(registry).assumeTaken(asker);
}

function servedFor(registry: Registry): ServedRegistry {
  let served = servedByRegistry.get(registry);
  if (served === undefined) {
    served = new ServedRegistry(registry);
    servedByRegistry.set(registry, served);
  }
  return served;
}
