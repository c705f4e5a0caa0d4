import { nanosecondsPer } from '@hdrscope/kit';

const UNITS = ['ns', 'us', 'ms', 's'] as const;

/** Formats nanoseconds for a column of times: three digits, with their zeros, and a suitable unit up to seconds. */
export function formatDuration(ns: number): string {
  // Rounds before it chooses the unit: 999.6 µs is 1.00 ms.
  const rounded = Number(ns.toPrecision(3));
  const unit = UNITS.findLast((one) => rounded >= nanosecondsPer(one)) ?? 'ns';
  const value = rounded / nanosecondsPer(unit);
  const digits = unit === 'ns' || value >= 100 ? 0 : value < 10 ? 2 : 1;
  return `${value.toFixed(digits)} ${unit.replace('u', 'µ')}`;
}
