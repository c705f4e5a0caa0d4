import { LATENCY, SIZE } from '@hdrscope/testing/osd';
import { PerfHistogram } from '../../src/index.ts';

// These tests are alone in their file: other calls of `record` would change how V8 compiles it.

const REPEATS = 10;
const values = Float64Array.from({ length: 10_000 }, (_, i) => (i % 10) * 1.000_1 ** i * 1e5);

/** The fewest bytes that one run allocated. */
function fewestBytes(run: () => void, limit: number): number {
  // Uncompiled code boxes numbers, so early runs allocate. A run during which garbage was collected shows nothing.
  let least = Number.POSITIVE_INFINITY;
  for (let rounds = 0; rounds < 500 && least >= limit; rounds++) {
    const before = process.memoryUsage().heapUsed;
    run();
    const bytes = process.memoryUsage().heapUsed - before;
    if (bytes >= 0) least = Math.min(least, bytes);
  }
  return least;
}

const LIMIT = (REPEATS * values.length) / 10;

test('recording in one dimension allocates nothing', () => {
  const line = new PerfHistogram([LATENCY]);
  const run = (): void => {
    for (let n = 0; n < REPEATS; n++) for (let i = 0; i < values.length; i++) line.record(values[i]!);
  };
  expect(fewestBytes(run, LIMIT)).toBeLessThan(LIMIT);
});

test('recording in two dimensions allocates nothing', () => {
  const plane = new PerfHistogram([LATENCY, SIZE]);
  const run = (): void => {
    for (let n = 0; n < REPEATS; n++) {
      for (let i = 0; i < values.length; i++) plane.record(values[i]!, values[i]!);
    }
  };
  expect(fewestBytes(run, LIMIT)).toBeLessThan(LIMIT);
});
