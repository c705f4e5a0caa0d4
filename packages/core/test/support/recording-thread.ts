import { parentPort, workerData } from 'node:worker_threads';
import { Histogram } from '../../src/histogram/histogram.ts';
import type { Recording } from './recording-threads.ts';

// Begins when all threads have arrived, so that they count at the same time.
const { buffer, gate, values, rounds, leastMs, bulk } = workerData as Recording;
const histogram = Histogram.attach(buffer);
Atomics.add(gate, 0, 1);
Atomics.notify(gate, 0);
for (let arrived = Atomics.load(gate, 0); arrived < gate[1]!; arrived = Atomics.load(gate, 0)) {
  Atomics.wait(gate, 0, arrived);
}
const end = performance.now() + leastMs;
let round = 0;
for (; round < rounds || performance.now() < end; round++) {
  for (const value of values) histogram.record(value);
  if (bulk > 0) histogram.record(values[round % values.length]!, bulk);
}
parentPort!.postMessage(round);
