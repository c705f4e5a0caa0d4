import { type FamilyOptions, SHOWN_UNITS } from '@hdrscope/registry';
import type { MetricConfig } from '../config/types.ts';

/** The family that a configured metric is, with the number of its units that one of the counted is. */
export function familyOf({ name, description, unit, significantDigits }: MetricConfig): {
  readonly family: FamilyOptions;
  readonly scale: number;
} {
  const { unit: shown, scale } = SHOWN_UNITS[unit];
  return { family: { name, description, unit: shown, significantDigits }, scale };
}
