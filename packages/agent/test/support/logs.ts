import { Histogram } from '@hdrscope/core';
import { formatInterval } from '@hdrscope/interval-log';

/** A line of an interval log by a writer that describes no families: `count` times a millisecond. */
export function intervalLine(count: number, tag?: string): string {
  const histogram = new Histogram({ highestTrackableValue: 3_600_000_000_000 });
  histogram.record(1_000_000, count);
  const times = { startSec: 1_700_000_000, endSec: 1_700_000_001 };
  return formatInterval(histogram, { ...times, ...(tag !== undefined && { tag }) });
}
