import { canonicalText, familyToJson } from '@hdrscope/registry/internal';
import type { FamilyDefinition, HistorySeries } from '../history/history.ts';

/**
 * Equal for families whose counts may be added: those of one name and scope with the same slots and boundaries. A family that has another
 * layout after a restart is another family.
 */
export function familyKey(family: FamilyDefinition): string {
  const { scope, name, unit, resolution, significantDigits, boundaries } = familyToJson(family, UNSEEN);
  return JSON.stringify([scope ?? null, name, unit, resolution, significantDigits, boundaries ?? null]);
}

/** Snapshots do not have these options, and counts do not depend on them. */
export const UNSEEN = { cardinalityLimit: 1, expireAfterMs: undefined } as const;

/** Equal for series with the same attributes in one family. */
export function seriesKey({
  facts,
  attributes,
}: Pick<HistorySeries, 'attributes'> & { readonly facts: Pick<HistorySeries['facts'], 'family'> }): string {
  return `${facts.family} ${canonicalText(attributes)}`;
}
