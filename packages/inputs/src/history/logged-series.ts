import { type LogInterval, parseSeriesTag } from '@hdrscope/interval-log';
import type { RecordedLog } from '@hdrscope/interval-log/internal';
import { type CountedUnit, type FamilyOptions, SHOWN_UNITS } from '@hdrscope/registry';

/**
 * How many series a metric of a file may have. In a registry of a service they are 2,000 by default, and all others share one; a file states
 * all that it has.
 */
export const SERIES_LIMITS: { readonly cardinalityLimit: number } = { cardinalityLimit: 1_000_000 };

/** The name of values that a log does not name. */
export const UNNAMED = 'values';

/**
 * Returns the series of each interval in a log that does not describe its families.
 *
 * @param unit The unit of the values.
 * @param unnamed The name of the family of intervals whose tag does not name one.
 */
export function seriesFinder(
  unit: CountedUnit,
  unnamed: string = UNNAMED,
): NonNullable<RecordedLog['seriesOf']> {
  const { unit: shown, scale } = SHOWN_UNITS[unit];
  /** The digits of the first interval. A writer counts all intervals of a log with the same digits. */
  let significantDigits: number | undefined;
  return (interval) => {
    significantDigits ??= digitsOf(interval);
    const { name = unnamed, attributes } = partsOf(interval.tag);
    const family: FamilyOptions = { name, unit: shown, resolution: scale, significantDigits };
    return { family, attributes };
  };
}

const DEFAULT_DIGITS = 3;

function digitsOf(interval: LogInterval): number {
  try {
    const histogram = interval.histogram({ storage: 'sparse' });
    return 'layout' in histogram ? histogram.layout.significantDigits : DEFAULT_DIGITS;
  } catch {
    return DEFAULT_DIGITS;
  }
}

/** A tag of the form `NAME?KEY=VALUE&…` has the name and the attributes; any other tag is the attribute `tag`. */
function partsOf(tag: string | undefined): {
  readonly name?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
} {
  if (tag === undefined) return { attributes: {} };
  if (!tag.includes('?')) return { attributes: { tag } };
  try {
    return parseSeriesTag(tag);
  } catch {
    return { attributes: { tag } };
  }
}
