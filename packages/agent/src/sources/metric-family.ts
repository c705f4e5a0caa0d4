import { type FamilyOptions, SHOWN_UNITS } from '@hdrscope/registry';
import type { MetricConfig } from '../config/types.ts';

/** The family of a configured metric, and the factor from counted values to the unit of the family. */
export function familyOf({ name, description, unit, significantDigits }: MetricConfig): {
  readonly family: FamilyOptions;
  readonly scale: number;
} {
  const { unit: shown, scale } = SHOWN_UNITS[unit];
  return { family: { name, description, unit: shown, significantDigits }, scale };
}
