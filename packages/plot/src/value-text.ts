import type { CountedUnit } from '@hdrscope/registry';

type Step = readonly [size: number, name: string];

const TIMES: readonly Step[] = [
  [86_400e9, 'd'],
  [3600e9, 'h'],
  [60e9, 'min'],
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
];

const SIZES: readonly Step[] = [
  [2 ** 40, 'TiB'],
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
  [1, 'B'],
];

/** How each unit is shown: its size in the smallest step, and the steps, largest first. */
const SHOWN: Readonly<Record<Exclude<CountedUnit, 'none'>, readonly [size: number, steps: readonly Step[]]>> =
  {
    ns: [1, TIMES],
    us: [1e3, TIMES],
    ms: [1e6, TIMES],
    s: [1e9, TIMES],
    bytes: [1, SIZES],
    KiB: [1024, SIZES],
  };

/**
 * A value as people read it: `16.4 µs`, `4 KiB`, or the bare number when the unit is `'none'`. Infinity is `∞`, NaN is `-`.
 *
 * @param unit The unit of `value`.
 * @param digits Significant digits; digits before the point are kept, zeros at the end are not written.
 * @example
 * ```ts
 * import { formatValue } from '@hdrscope/plot';
 *
 * formatValue(16_383, 'ns'); //=> '16.4 µs'
 * formatValue(4096, 'bytes'); //=> '4 KiB'
 * formatValue(0.2504, 's'); //=> '250 ms'
 * formatValue(1234, 'none'); //=> '1234'
 * ```
 */
export function formatValue(value: number, unit: CountedUnit, digits = 3): string {
  if (Number.isNaN(value)) return '-';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '-∞';
  if (unit === 'none') return String(Number(value.toPrecision(Math.max(digits, wholeDigits(value)))));
  const [size, steps] = SHOWN[unit];
  const amount = value * size;
  // A value that rounds up to the next step is shown in that step: 1 s, not 1000 ms.
  const step = steps.find(([least]) => Math.abs(round(amount / least, digits)) >= 1) ?? steps.at(-1)!;
  return `${round(amount / step[0], digits)} ${step[1]}`;
}

/** A percentile as people call it: `p99.9`, and `max` for 100. */
export function percentileName(percentile: number): string {
  return percentile >= 100 ? 'max' : `p${percentile}`;
}

/** A confidence as a percentage: `95 %`. */
export function confidenceText(confidence: number): string {
  return `${Number((confidence * 100).toPrecision(6))} %`;
}

/** Digits before the point are never rounded away. */
function round(value: number, digits: number): number {
  return Number(value.toPrecision(Math.max(digits, wholeDigits(value))));
}

function wholeDigits(value: number): number {
  return Math.min(100, String(Math.trunc(Math.abs(value))).replace(/e.*/, '').length);
}
