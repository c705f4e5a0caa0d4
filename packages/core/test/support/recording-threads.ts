import { Worker } from 'node:worker_threads';
import { awaitAnswer } from '@hdrscope/testing/threads';

/**
 * The work of a thread. It records all values `rounds` times, for `leastMs` at least, and after each round one of
 * them `bulk` times.
 */
export interface Recording {
  readonly buffer: SharedArrayBuffer;
  /** Threads that have arrived, and threads that are expected. */
  readonly gate: Int32Array<SharedArrayBuffer>;
  readonly values: readonly number[];
  readonly rounds: number;
  readonly leastMs: number;
  readonly bulk: number;
}

const THREAD = new URL('./recording-thread.ts', import.meta.url);

/** Runs one thread for each list of values, all at once, until all have ended or one has failed. Returns the rounds of each. */
export async function recordInThreads(
  buffer: SharedArrayBuffer,
  lists: readonly (readonly number[])[],
  { rounds, leastMs = 0, bulk = 0 }: Pick<Recording, 'rounds'> & Partial<Recording>,
): Promise<number[]> {
  const gate = new Int32Array(new SharedArrayBuffer(8));
  gate[1] = lists.length;
  const workers = lists.map((values) => {
    const workerData: Recording = { buffer, gate, values, rounds, leastMs, bulk };
    return new Worker(THREAD, { workerData });
  });
  try {
    return await Promise.all(workers.map(awaitAnswer<number>));
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}
