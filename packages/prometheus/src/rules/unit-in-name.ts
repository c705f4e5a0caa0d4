import type { CountedUnit } from '@hdrscope/registry';

const UNITS_IN_NAMES: readonly (readonly [suffix: RegExp, unit: CountedUnit])[] = [
  [/[_.]seconds$/, 's'],
  [/[_.]milliseconds$/, 'ms'],
  [/[_.]microseconds$/, 'us'],
  [/[_.]nanoseconds$/, 'ns'],
  [/[_.]bytes$/, 'bytes'],
];

/** The unit that the name of a metric ends with; `'none'` for other names. */
export function unitInName(metric: string): CountedUnit {
  return UNITS_IN_NAMES.find(([suffix]) => suffix.test(metric))?.[1] ?? 'none';
}
