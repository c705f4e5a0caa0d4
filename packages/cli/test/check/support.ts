import { Histogram } from '@hdrscope/core';

/** The milliseconds from 1 to `count`, as nanoseconds. */
export function nanosecondHistogram(count: number): Histogram {
  const histogram = new Histogram();
  for (let ms = 1; ms <= count; ms++) histogram.record(ms * 1e6);
  return histogram;
}
