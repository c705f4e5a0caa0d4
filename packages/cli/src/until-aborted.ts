import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '@hdrscope/kit';

/** Keeps the process alive until the signal aborts, and then rejects. Servers of this project keep no process alive. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await sleep(DAY_MS, undefined, { signal });
}
