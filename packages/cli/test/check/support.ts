import { Histogram } from '@hdrscope/core';
import { CountedEvidence } from '@hdrscope/inputs/internal';

/** The milliseconds from 1 to `count`, as nanoseconds. */
function nanosecondHistogram(count: number): Histogram {
  const histogram = new Histogram();
  for (let ms = 1; ms <= count; ms++) histogram.record(ms * 1e6);
  return histogram;
}

/** The milliseconds from 1 to `count`, in fifty stretches of time that are alike. */
export function timedEvidence(count: number): CountedEvidence {
  const stretches = Array.from({ length: 50 }, () => new Histogram());
  for (let ms = 1; ms <= count; ms++) stretches[(ms * 31) % 50]!.record(ms * 1e6);
  return new CountedEvidence({ values: nanosecondHistogram(count), divisor: 1e6, stretches });
}
