import { fromTicks, HdrscopeError, Histogram, mustBe } from '@hdrscope/core';
import type { Exemplar } from '../exemplars.ts';
import type { Family } from '../family.ts';
import type { Rejected, SeriesPart } from '../series.ts';
import type { ReceivedSeries } from './wire.ts';

/**
 * What a series has counted between two of its cumulative states, or up to the first one. The sum is exact to the
 * rounding of one subtraction. Minimum and maximum are exact where they have moved, as that is one of the new values;
 * otherwise they are bounds that only the slots tell, within the known extremes.
 *
 * @returns `undefined` when nothing was.
 * @throws HdrscopeError `ERR_DECODE` when a histogram is broken or over another layout than the family's,
 *   `ERR_INCOMPATIBLE` when anything is less than it was.
 */
export function increaseSince(
  last: ReceivedSeries | undefined,
  now: ReceivedSeries,
  { layout, resolution }: Pick<Family, 'layout' | 'resolution'>,
): SeriesPart | undefined {
  const rejected = rejectedSince(last?.rejected, now.rejected);
  // Equal counts have equal encodings.
  if (last !== undefined && last.histogram === now.histogram && isNone(rejected)) return undefined;
  const histogram = Histogram.decode(now.histogram);
  if (!histogram.layout.sharesSlotsWith(layout)) {
    const { significantDigits, lowestDiscernibleValue } = histogram.layout;
    const allowed = `of ${layout.significantDigits} significant digits in steps of 1`;
    throw mustBe('ERR_DECODE', 'the histogram', allowed, `${significantDigits}, ${lowestDiscernibleValue}`);
  }
  const before = last && Histogram.decode(last.histogram);
  const counted = before && before.totalCount > 0 ? last : undefined;
  if (before !== undefined) histogram.subtract(before);
  return {
    startTimeMs: now.startTimeMs,
    histogram,
    sum: difference('the sum', now.sum, counted?.sum ?? 0),
    min:
      counted === undefined || now.min < counted.min
        ? now.min
        : Math.max(now.min, fromTicks(resolution, histogram.min)),
    max:
      counted === undefined || now.max > counted.max
        ? now.max
        : Math.min(now.max, fromTicks(resolution, histogram.max)),
    rejected,
    exemplars: exemplarsSince(last?.exemplars, now.exemplars),
  };
}

/** The oldest first: the latest of an octave stays. */
function exemplarsSince(last: readonly Exemplar[] = [], now: readonly Exemplar[]): Exemplar[] {
  const known = new Set(last.map(({ timeMs, value }) => `${timeMs} ${value}`));
  return now
    .filter(({ timeMs, value }) => !known.has(`${timeMs} ${value}`))
    .sort((a, b) => a.timeMs - b.timeMs);
}

function rejectedSince(last: Rejected | undefined, now: Rejected): Rejected {
  if (last === undefined) return now;
  const since = (reason: keyof Rejected): number =>
    difference(`rejected.${reason}`, now[reason], last[reason]);
  return {
    notANumber: since('notANumber'),
    negative: since('negative'),
    tooLarge: since('tooLarge'),
    largest: now.largest,
    overflowing: since('overflowing'),
  };
}

function isNone({ notANumber, negative, tooLarge, overflowing }: Rejected): boolean {
  return notANumber + negative + tooLarge + overflowing === 0;
}

function difference(what: string, now: number, last: number): number {
  // Not of infinities, which have none.
  if (now === last) return 0;
  if (now > last) return now - last;
  throw new HdrscopeError(
    'ERR_INCOMPATIBLE',
    `${what} must not be less than before, got ${now} after ${last}`,
  );
}
