import { explicitLayout, type Layout, type ReadonlyHistogram } from '@hdrscope/core';
import { integerLayout } from '@hdrscope/core/internal';
import {
  barsOf,
  countedUnitOf,
  curveOfSeries,
  formatValue,
  heatMapOverTime,
  type Plot,
  type TimedCounts,
} from '@hdrscope/plot';
import { bucketCounts, type FamilySnapshot, type SeriesSnapshot } from '@hdrscope/registry';
import { histogramSince } from './histogram-since.ts';
import type { History } from './history.ts';
import type { LiveSeries } from './live-table.ts';
import { type DetailMessage, type Fact, ROW_PERCENTILES } from './messages.ts';

const RECENT_MS = 60_000;

// The cards of the page are no wider, in pixels.
const COLUMNS = 800;
const HEAT_ROWS = 48;

/** The detail of a series: its facts and plots. */
export function detailOf(one: LiveSeries, history: History, nowMs: number): DetailMessage {
  const { family, latest, facts } = one;
  const plots: Plot[] = [curves(one, history, nowMs), overTime(one, history)];
  const heatMap = heatMapOf(one, history);
  if (heatMap !== undefined) plots.push(heatMap);
  if (family.boundaries !== undefined) plots.push(bucketsOf(family, latest, 'Buckets'));
  return { series: facts.id, facts: factsOf(one), plots };
}

/** The counts between the boundaries of a family, such as the slots of a histogram of the kernel or of Ceph. */
export function bucketsOf(family: FamilySnapshot, series: SeriesSnapshot, title: string): Plot {
  const boundaries = family.boundaries ?? [];
  const counts = bucketCounts(family, series, boundaries);
  return barsOf(bucketLayout(family, boundaries), counts, { unit: countedUnitOf(family), title });
}

/** When all values are integers, a bucket begins with the integer after the boundary below it. */
function bucketLayout(
  { resolution: { unitsPerTick, ticksPerUnit } }: FamilySnapshot,
  boundaries: readonly number[],
): Layout {
  const areIntegers = unitsPerTick === 1 && ticksPerUnit === 1 && boundaries.every(Number.isInteger);
  return areIntegers
    ? integerLayout(boundaries, Math.min(0, boundaries[0] ?? 0))
    : explicitLayout(boundaries);
}

function curves({ family, latest, facts: { id } }: LiveSeries, history: History, nowMs: number): Plot {
  const options = { columns: COLUMNS };
  const all = curveOfSeries(family, latest, { ...options, name: 'since the start' });
  const then = history.checkpoints.findLast(({ timeMs }) => timeMs <= nowMs - RECENT_MS);
  const recent = histogramSince(latest.histogram, then?.series.get(id)?.histogram);
  const isAll = recent.totalCount === latest.histogram.totalCount;
  const lastMinute = isAll
    ? []
    : [curveOfSeries(family, { ...latest, histogram: recent }, { ...options, name: 'last minute' })];
  return {
    kind: 'percentiles',
    title: 'Percentiles',
    unit: countedUnitOf(family),
    // A curve without values has no points.
    curves: [all, ...lastMinute].filter(({ totalCount }) => totalCount > 0),
  };
}

function overTime({ family, facts: { id } }: LiveSeries, history: History): Plot {
  const { timesMs, values } = history.of(id);
  return {
    kind: 'over-time',
    title: 'Percentiles over time',
    unit: countedUnitOf(family),
    timesMs,
    lines: ROW_PERCENTILES.map((percentile, i) => ({
      name: percentile === 100 ? 'max' : `p${percentile}`,
      values: values[i]!,
    })),
  };
}

function heatMapOf({ family, facts: { id } }: LiveSeries, history: History): Plot | undefined {
  const intervals: (TimedCounts & { readonly histogram: ReadonlyHistogram })[] = [];
  const { checkpoints } = history;
  for (const [at, { timeMs, series }] of checkpoints.entries()) {
    const before = checkpoints[at - 1];
    const now = series.get(id);
    if (before === undefined || now === undefined) continue;
    const histogram = histogramSince(now.histogram, before.series.get(id)?.histogram);
    intervals.push({ startMs: before.timeMs, endMs: timeMs, histogram, unitLayout: family.unitLayout });
  }
  if (!intervals.some(({ histogram }) => histogram.totalCount > 0)) return undefined;
  const unit = countedUnitOf(family);
  return heatMapOverTime(intervals, { unit, rows: HEAT_ROWS, title: 'Heat map' });
}

const REASONS = [
  ['notANumber', 'not a number'],
  ['negative', 'negative'],
  ['tooLarge', 'too large'],
  ['overflowing', 'beyond the largest count'],
] as const;

function factsOf({ family, latest }: LiveSeries): Fact[] {
  const { histogram, sum, min, max, rejected, startTimeMs } = latest;
  const unit = countedUnitOf(family);
  const isEmpty = histogram.totalCount === 0;
  const shown = (value: number): string => (isEmpty ? '-' : formatValue(value, unit));
  const resolution = family.resolution.unitsPerTick / family.resolution.ticksPerUnit;
  const facts = [
    { name: 'mean', text: shown(sum / histogram.totalCount) },
    { name: 'smallest recorded', text: shown(min) },
    { name: 'largest recorded', text: shown(max) },
    { name: 'sum', text: shown(sum) },
    { name: 'precision', text: precisionText(family.layout.significantDigits) },
    { name: 'resolution', text: formatValue(resolution, unit) },
    {
      name: 'since',
      text: new Date(startTimeMs)
        .toISOString()
        .replace('T', ' ')
        .replace(/\.\d+Z$/, ' UTC'),
    },
  ];
  const refused = REASONS.filter(([reason]) => rejected[reason] > 0);
  if (refused.length > 0) {
    const text = refused.map(([reason, words]) => `${rejected[reason]} ${words}`).join(', ');
    facts.push({ name: 'rejected', text });
  }
  return facts;
}

function precisionText(digits: number): string {
  return digits === 1 ? '1 digit' : `${digits} digits`;
}
