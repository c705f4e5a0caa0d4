import { setTimeout as sleep } from 'node:timers/promises';

/** Keeps the process alive until the signal aborts, and then rejects. Servers of this project keep no process alive. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  const DAY_MS = 86_400_000;
  while (!signal.aborted) await sleep(DAY_MS, undefined, { signal });
}
