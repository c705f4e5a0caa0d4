import { Option } from 'commander';

/** What the values of a map are; none where they are no times, or nobody says. */
export type ShownUnit = 'ns' | 'us' | 'ms' | 's' | 'none';

const NANOSECONDS: Readonly<Record<Exclude<ShownUnit, 'none'>, number>> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };

const STEPS = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
] as const;

/** `--unit`: percentiles are shown as times. */
export function shownUnit(): Option {
  return new Option('--unit <unit>', 'what the map counts; percentiles of times are shown as such')
    .choices([...Object.keys(NANOSECONDS), 'none'])
    .default('none');
}

/** A value for people: `16.4 µs`, or the integer that it is. */
export function formatValue(value: number, unit: ShownUnit): string {
  if (unit === 'none') return String(value);
  const nanoseconds = value * NANOSECONDS[unit];
  const [divisor, name] = STEPS.find(([size]) => Math.abs(nanoseconds) >= size) ?? [1, 'ns'];
  const scaled = nanoseconds / divisor;
  // Three digits, and all of those before the point.
  return `${Number(scaled.toPrecision(Math.max(3, String(Math.trunc(scaled)).length)))} ${name}`;
}
