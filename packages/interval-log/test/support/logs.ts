import { Histogram } from '@hdrscope/core';
import { FORMAT_VERSION_LINE, formatBaseTime, formatInterval, LEGEND_LINE } from '../../src/writer/format.ts';

/** One value of 42, in a range of an hour of microseconds. */
export const ENCODED = 'HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe';

/** The histogram of an interval that counts as many values as its number and one. */
export function histogramOf(n: number): Histogram {
  const histogram = new Histogram({ highestTrackableValue: 3_600_000_000 });
  for (let i = 0; i <= n; i++) histogram.record((i * 7919 * (n + 1)) % 3_000_000_000);
  return histogram;
}

/** A log with four lines of head and `count` intervals. */
export function logOf(count: number): string {
  const intervals = Array.from({ length: count }, (_, n) =>
    formatInterval(histogramOf(n), { tag: n % 3 === 0 ? `t${n}` : undefined, startSec: n, endSec: n + 1 }),
  );
  return [
    '#Größe in µs\n',
    FORMAT_VERSION_LINE,
    formatBaseTime(1_500_000_000_000),
    LEGEND_LINE,
    ...intervals,
  ].join('');
}
