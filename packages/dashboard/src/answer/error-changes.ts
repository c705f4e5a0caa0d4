import { PackedSum } from '@hdrscope/core/internal';
import type { Slices } from '@hdrscope/kit';
import type { HistorySeries } from '../history/history.ts';
import { type PackedInterval, seriesIn } from '../history/packed-interval.ts';
import type { MetricErrors, RowChange } from '../messages.ts';
import type { ComparedTimes } from './baseline.ts';
import { findStart, listIntervals, readStretches } from './change-start.ts';
import { CumulativeCounts } from './cumulative-counts.ts';
import { largestWeight, type RankedFamily, type RankedRow } from './ranked-rows.ts';
import type { TimesReader } from './row-reader.ts';
import { type Beyond, evidenceOfDifference, measureDispersion } from './shift.ts';

/** How many values rows had in two times, and how many of them were errors. */
export interface ErrorTally {
  readonly before: { beyond: number; count: number };
  readonly after: { beyond: number; count: number };
  /** Whether the attributes of a series that counted something say how requests ended. */
  isKnown: boolean;
}

/** A tally of nothing. */
export function startTally(): ErrorTally {
  return { before: { beyond: 0, count: 0 }, after: { beyond: 0, count: 0 }, isKnown: false };
}

/** Adds a row to tallies. @param counts How many values it has. */
export async function tallyErrors(
  { members, errors, ended, isWide }: RankedRow,
  counts: Readonly<Record<'before' | 'after', number>>,
  tallies: readonly ErrorTally[],
  reader: TimesReader,
): Promise<void> {
  const count = async (some: readonly HistorySeries[]): Promise<typeof counts> => {
    if (some.length === members.length) return counts;
    if (some.length === 0) return { before: 0, after: 0 };
    const { before, after } = await reader.read(some, isWide);
    return { before: before.first.count, after: after.first.count };
  };
  const [bad, known] = [await count(errors), await count(ended)];
  for (const tally of tallies) {
    tally.isKnown ||= known.before + known.after > 0;
    for (const side of ['before', 'after'] as const) {
      tally[side].count += counts[side];
      tally[side].beyond += bad[side];
    }
  }
}

/** The shares of errors of a tally; `undefined` where nothing says how requests ended. */
export function describeErrors({ before, after, isKnown }: ErrorTally): RowChange['errors'] {
  if (!isKnown) return undefined;
  const share = ({ beyond, count }: Beyond): number | null => (count === 0 ? null : beyond / count);
  return { before: share(before), after: share(after) };
}

/** The change of the share of errors of a metric; `undefined` when it is no more than chance and the time before give. */
export async function judgeErrors(
  { family, rows }: RankedFamily,
  { before, after }: ErrorTally,
  { times, least }: { readonly times: ComparedTimes; readonly least: number },
  slices: Slices,
): Promise<MetricErrors | undefined> {
  if (before.count === 0 || after.count === 0) return undefined;
  const evidence = evidenceOfDifference(before, after);
  if (evidence < least) return undefined;
  const errors = new Set(rows.flatMap((row) => row.errors));
  const [sum, counts] = [new PackedSum(family.layout.slotCount), new CumulativeCounts()];
  const inTime = new Map<PackedInterval, Beyond>();
  for (const interval of listIntervals(times)) {
    const found = { beyond: 0, count: 0 };
    for (const isError of [true, false]) {
      for (const { members } of rows) {
        for (const one of members) {
          if (errors.has(one) !== isError) continue;
          const series = seriesIn(interval, one.facts.id);
          if (series !== undefined) sum.add(series.counts, 0, series.counts.length);
          if (slices.isOver()) await slices.next();
        }
      }
      counts.take(sum);
      found.count += counts.count;
      if (isError) found.beyond = counts.count;
    }
    inTime.set(interval, found);
  }
  const sinceMs = findStart({ before, after }, inTime);
  const dispersion = measureDispersion(readStretches(times, sinceMs, inTime), largestWeight(rows));
  if (evidence / dispersion < least) return undefined;
  return {
    metric: family.name,
    ...{ before: before.beyond / before.count, after: after.beyond / after.count, sinceMs },
  };
}
