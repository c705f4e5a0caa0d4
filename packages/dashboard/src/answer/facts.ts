import type { Bounds } from '@hdrscope/core';
import { exactly, meanBounds } from '@hdrscope/core/internal';
import { areWide } from '@hdrscope/kit';
import { countedUnitOf, formatValue } from '@hdrscope/plot';
import type { SeriesSnapshot } from '@hdrscope/registry';
import { boundsOfSlots } from '@hdrscope/registry/internal';
import { boundsText } from '../bounds-text.ts';
import type { FamilyDefinition } from '../history/history.ts';
import type { Fact } from '../messages.ts';
import type { Distribution } from './distribution.ts';

const REASONS = [
  ['notANumber', 'not a number'],
  ['negative', 'negative'],
  ['tooLarge', 'too large'],
  ['overflowing', 'beyond the largest count'],
] as const;

/** The facts of series since their start. The sum and the extremes are exact unless some values came without them. */
export function factsSinceStart(
  family: FamilyDefinition,
  distribution: Distribution,
  series: readonly SeriesSnapshot[],
): readonly Fact[] {
  const used = series.filter(({ counts }) => counts.total > 0);
  const isKnown = (fact: 'sum' | 'min' | 'max'): boolean =>
    used.every(({ estimated }) => estimated === undefined || estimated[fact] === 0);
  const { least, most } = extremesOf(family, distribution);
  const min = used.reduce((least, { min }) => Math.min(least, min), Infinity);
  const max = used.reduce((most, { max }) => Math.max(most, max), 0);
  const extremes = {
    'smallest recorded': isKnown('min') ? exactly(min) : least,
    'largest recorded': isKnown('max') ? exactly(max) : most,
  };
  return [
    ...factsOfValues(family, distribution, extremes, isKnown('sum')),
    ...factsOfFamily(family),
    { name: 'since', text: sinceText(series) },
    ...rejectedFact(series),
  ];
}

/** The facts of a time: its extremes are the bounds of their slots. */
export function factsWithin(family: FamilyDefinition, distribution: Distribution): readonly Fact[] {
  const { least, most } = extremesOf(family, distribution);
  return [
    ...factsOfValues(
      family,
      distribution,
      { 'smallest at least': exactly(least.lower), 'largest at most': exactly(most.upper) },
      false,
    ),
    ...factsOfFamily(family),
  ];
}

/** Where the smallest and the largest value lie. */
function extremesOf(
  { unitLayout }: FamilyDefinition,
  { ends: { lower, upper } }: Distribution,
): { readonly least: Bounds; readonly most: Bounds } {
  if (lower.total === 0) return { least: exactly(Number.NaN), most: exactly(Number.NaN) };
  return {
    least: boundsOfSlots(unitLayout, lower.first, upper.first),
    most: boundsOfSlots(unitLayout, lower.last, upper.last),
  };
}

/** @param isSumKnown Whether all values came with their sum. */
function factsOfValues(
  family: FamilyDefinition,
  { sum, histogram: { totalCount }, ends }: Distribution,
  extremes: Readonly<Record<string, Bounds>>,
  isSumKnown: boolean,
): readonly Fact[] {
  const unit = countedUnitOf(family);
  const digits = family.layout.significantDigits;
  const fact = (name: string, bounds: Bounds, text = boundsText(bounds, { counted: unit, digits })): Fact =>
    totalCount === 0 ? { name, text: '-' } : { name, text, ...bounds };
  // A sum that did not come with added counts is made of the middles of their slots.
  const mean = sum / totalCount;
  const bounds = isSumKnown ? exactly(mean) : meansOf(family, ends);
  const means = { lower: Math.min(bounds.lower, mean), upper: Math.max(bounds.upper, mean) };
  const isUnsure = areWide(means, digits);
  const meanText = formatValue(mean, unit);
  return [
    fact(
      'mean',
      means,
      isUnsure ? `${boundsText(means, { counted: unit, digits })}, ${meanText} by the sum` : meanText,
    ),
    ...Object.entries(extremes).map(([name, bounds]) => fact(name, bounds)),
    fact(
      isUnsure ? 'sum, sent or estimated' : 'sum',
      { lower: means.lower * totalCount, upper: means.upper * totalCount },
      formatValue(sum, unit),
    ),
  ];
}

/** The means when all values are as small, and as large, as they may be. */
function meansOf({ unitLayout: layout }: FamilyDefinition, { lower, upper }: Distribution['ends']): Bounds {
  const isOpen = upper.last === layout.slotCount - 1;
  return {
    lower: meanBounds({ layout, counts: lower }).lower,
    upper: isOpen ? Number.POSITIVE_INFINITY : meanBounds({ layout, counts: upper }).upper,
  };
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
