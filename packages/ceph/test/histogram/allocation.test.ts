import { LATENCY, SIZE } from '@hdrscope/testing/osd';
import { PerfHistogram } from '../../src/index.ts';

// Alone in its file: what other tests do with a record tells V8 how to compile it.

const REPEATS = 10;
const values = Float64Array.from({ length: 10_000 }, (_, i) => (i % 10) * 1.000_1 ** i * 1e5);

/** The fewest bytes that a run of records took. */
function fewestBytes(run: () => void, limit: number): number {
  // Until it is compiled numbers are boxed; and a collection in between says nothing.
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
