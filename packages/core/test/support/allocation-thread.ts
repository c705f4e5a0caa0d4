import { parentPort, workerData } from 'node:worker_threads';
import { DoubleHistogram } from '../../src/histogram/double-histogram.ts';

/** What a thread looks for: a round of `repeats` times all values that takes fewer bytes than `limit`. */
export interface Allocation {
  readonly storage: 'dense' | 'sparse';
  readonly values: Float64Array;
  readonly repeats: number;
  readonly limit: number;
}

const { storage, values, repeats, limit } = workerData as Allocation;
const histogram = new DoubleHistogram({ storage });

function allocatedBytes(): number {
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < repeats; n++) for (let i = 0; i < values.length; i++) histogram.record(values[i]!);
  return process.memoryUsage().heapUsed - before;
}

// Numbers are boxed until the record is compiled. A round with a garbage collection proves nothing.
let least = Number.POSITIVE_INFINITY;
for (let rounds = 0; rounds < 500 && least >= limit; rounds++) {
  const bytes = allocatedBytes();
  if (bytes >= 0) least = Math.min(least, bytes);
}
parentPort!.postMessage(least);
