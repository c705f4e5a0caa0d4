import { fromTicks } from '@hdrscope/core/internal';
import { countedUnitOf, formatValue } from '@hdrscope/plot';
import type { SeriesSnapshot } from '@hdrscope/registry';
import type { FamilyDefinition } from '../history/history.ts';
import type { Fact } from '../messages.ts';
import type { Distribution } from './distribution.ts';

const REASONS = [
  ['notANumber', 'not a number'],
  ['negative', 'negative'],
  ['tooLarge', 'too large'],
  ['overflowing', 'beyond the largest count'],
] as const;

/** The facts of series since their start: their extremes are those of the recorded values. */
export function factsSinceStart(
  family: FamilyDefinition,
  { sum, histogram }: Distribution,
  series: readonly SeriesSnapshot[],
): readonly Fact[] {
  const used = series.filter(({ counts }) => counts.total > 0);
  const unit = countedUnitOf(family);
  const shown = (value: number): string => (used.length === 0 ? '-' : formatValue(value, unit));
  return [
    { name: 'mean', text: shown(sum / histogram.totalCount) },
    {
      name: 'smallest recorded',
      text: shown(used.reduce((least, { min }) => Math.min(least, min), Infinity)),
    },
    { name: 'largest recorded', text: shown(used.reduce((most, { max }) => Math.max(most, max), 0)) },
    { name: 'sum', text: shown(sum) },
    ...factsOfFamily(family),
    { name: 'since', text: sinceText(series) },
    ...rejectedFact(series),
  ];
}

/** The facts of a time: its extremes are the bounds of their slots. */
export function factsWithin(family: FamilyDefinition, { sum, histogram }: Distribution): readonly Fact[] {
  const { totalCount, counts, layout } = histogram;
  const unit = countedUnitOf(family);
  const shown = (value: number): string => (totalCount === 0 ? '-' : formatValue(value, unit));
  const { resolution } = family;
  const [lowest, highest] =
    totalCount === 0
      ? [0, 0]
      : [fromTicks(resolution, layout.lower(counts.first)), fromTicks(resolution, layout.upper(counts.last))];
  return [
    { name: 'mean', text: shown(sum / totalCount) },
    { name: 'smallest at least', text: shown(lowest) },
    { name: 'largest at most', text: shown(highest) },
    { name: 'sum', text: shown(sum) },
    ...factsOfFamily(family),
  ];
}

function factsOfFamily(family: FamilyDefinition): readonly Fact[] {
  const { unitsPerTick, ticksPerUnit } = family.resolution;
  const digits = family.layout.significantDigits;
  return [
    { name: 'precision', text: digits === 1 ? '1 digit' : `${digits} digits` },
    { name: 'resolution', text: formatValue(unitsPerTick / ticksPerUnit, countedUnitOf(family)) },
  ];
}

function sinceText(series: readonly SeriesSnapshot[]): string {
  const startMs = series.reduce((least, { startTimeMs }) => Math.min(least, startTimeMs), Infinity);
  if (!Number.isFinite(startMs)) return '-';
  return new Date(startMs)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}

/** The values that could not be counted; nothing when all could. */
function rejectedFact(series: readonly SeriesSnapshot[]): readonly Fact[] {
  const refused = REASONS.map(([reason, words]) => {
    const count = series.reduce((sum, { rejected }) => sum + rejected[reason], 0);
    return count === 0 ? undefined : `${count} ${words}`;
  }).filter((text) => text !== undefined);
  return refused.length === 0 ? [] : [{ name: 'rejected', text: refused.join(', ') }];
}
