import { DoubleHistogram } from '../../src/histogram/double-histogram.ts';

// Alone in its file: V8 compiles a record according to the calls that other tests make.

test.each(['dense', 'sparse'] as const)('recording allocates nothing, %s', (storage) => {
  const histogram = new DoubleHistogram({ storage });
  const values = Float64Array.from({ length: 10_000 }, (_, i) => (i % 10) * 1.000_1 ** i);
  const repeats = 10;
  const allocatedBytes = (): number => {
    const before = process.memoryUsage().heapUsed;
    for (let n = 0; n < repeats; n++) for (let i = 0; i < values.length; i++) histogram.record(values[i]!);
    return process.memoryUsage().heapUsed - before;
  };
  // Numbers are boxed until the record is compiled. A round with a garbage collection proves nothing.
  const limit = (repeats * values.length) / 10;
  let least = Number.POSITIVE_INFINITY;
  for (let rounds = 0; rounds < 500 && least >= limit; rounds++) {
    const bytes = allocatedBytes();
    if (bytes >= 0) least = Math.min(least, bytes);
  }
  expect(least).toBeLessThan(limit);
});
