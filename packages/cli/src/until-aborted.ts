import { setTimeout as sleep } from 'node:timers/promises';

/** Keeps the process until it is told to end: a server that is closed with it does not. Then it rejects. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  const DAY_MS = 86_400_000;
  while (!signal.aborted) await sleep(DAY_MS, undefined, { signal });
}
