import { DoubleHistogram, Histogram } from '@hdrscope/core';
import { IntervalLogWriter } from '@hdrscope/interval-log';

/** The properties of a log. The seed determines everything else. */
export interface LogKind {
  readonly isDouble?: boolean;
  /** The times in its header, and whether the times of its intervals are absolute. */
  readonly times: 'start' | 'relative' | 'base' | 'none' | 'two-starts';
}

const START_MS = 1_500_000_000_000;
const TAGS = [undefined, undefined, undefined, 'A', 'get=1'];

/** The text of a log of up to fifty intervals of nanoseconds. Some have no values, and some have another layout. */
export function randomLog(seed: number, { isDouble = false, times }: LogKind): string {
  const random = randomFrom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const isRelative = times === 'relative' || times === 'base';
  const startMs = START_MS + Math.floor(random() * 1e9);
  let text = '';
  const writer = new IntervalLogWriter((line) => (text += line), {
    baseTimeMs: isRelative ? startMs : 0,
    timeZone: 'UTC',
  });
  writer.formatVersion();
  if (times !== 'none') writer.startTime(startMs);
  if (times === 'base') writer.baseTime();
  writer.legend();

  const count = 20 + Math.floor(random() * 30);
  const lowest = pick([1, 1000, 20_000]);
  const digits = pick([1, 2, 3, 4]);
  let timeMs = startMs;
  for (let i = 0; i < count; i++) {
    if (times === 'two-starts' && i === 10) writer.startTime(startMs + 5000);
    const significantDigits = random() < 0.1 ? pick([1, 2, 3]) : digits;
    const histogram = isDouble
      ? new DoubleHistogram({ significantDigits })
      : new Histogram({ lowestDiscernibleValue: lowest, highestTrackableValue: 3.6e12, significantDigits });
    const values = random() < 0.1 ? 0 : Math.floor(random() * 200);
    const scale = 10 ** (3 + random() * 4);
    for (let n = 0; n < values; n++) {
      const value = scale * Math.exp(random() * random() * 8);
      histogram.record(isDouble ? value / 1e6 : Math.floor(value));
    }
    histogram.startTimeMs = timeMs;
    timeMs += Math.floor(random() * 3000);
    histogram.endTimeMs = timeMs;
    histogram.tag = pick(TAGS);
    writer.interval(histogram);
  }
  return text;
}

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
