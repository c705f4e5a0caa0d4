import { Option } from 'commander';

/** Unit of the values of a map; `none` for values that are not times. */
export type ShownUnit = 'ns' | 'us' | 'ms' | 's' | 'none';

const NANOSECONDS: Readonly<Record<Exclude<ShownUnit, 'none'>, number>> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };

const STEPS = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
] as const;

/** The option `--unit`. */
export function shownUnit(): Option {
  return new Option('--unit <unit>', 'unit of the values; other than none, values are shown as times')
    .choices([...Object.keys(NANOSECONDS), 'none'])
    .default('none');
}

/** A value with its unit, such as `16.4 µs`, or an integer without a unit. */
export function formatValue(value: number, unit: ShownUnit): string {
  if (unit === 'none') return String(value);
  const nanoseconds = value * NANOSECONDS[unit];
  const [divisor, name] = STEPS.find(([size]) => Math.abs(nanoseconds) >= size) ?? [1, 'ns'];
  const scaled = nanoseconds / divisor;
  // Three significant digits, and all digits before the point.
  return `${Number(scaled.toPrecision(Math.max(3, String(Math.trunc(scaled)).length)))} ${name}`;
}
