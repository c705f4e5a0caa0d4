import { DoubleHistogram } from '../../src/histogram/double-histogram.ts';

// Alone in its file: what other tests do with a record tells V8 how to compile it.

test.each(['dense', 'sparse'] as const)('recording allocates nothing, %s', (storage) => {
  const histogram = new DoubleHistogram({ storage });
  const values = Float64Array.from({ length: 10_000 }, (_, i) => (i % 10) * 1.000_1 ** i);
  const repeats = 10;
  const allocatedBytes = (): number => {
    const before = process.memoryUsage().heapUsed;
    for (let n = 0; n < repeats; n++) for (let i = 0; i < values.length; i++) histogram.record(values[i]!);
    return process.memoryUsage().heapUsed - before;
  };
  // Until it is compiled numbers are boxed; and a collection in between says nothing.
  const limit = (repeats * values.length) / 10;
  let least = Number.POSITIVE_INFINITY;
  for (let rounds = 0; rounds < 500 && least >= limit; rounds++) {
    const bytes = allocatedBytes();
    if (bytes >= 0) least = Math.min(least, bytes);
  }
  expect(least).toBeLessThan(limit);
});
