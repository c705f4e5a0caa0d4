import type { OptionNames } from '@hdrscope/core/internal';
import type { MetricFamily, MetricType } from './families.ts';

/** Options for names. */
export interface NamingOptions {
  /** Begins every name, with an underscore after it, except `target_info` and names that begin with `hdrscope_`. @default '' */
  readonly prefix?: string | undefined;
  /** Whether a name ends with its unit in words: `_seconds`, `_bytes`. @default false, as in the stock exporter */
  readonly withUnitSuffix?: boolean | undefined;
}

/** The names of `NamingOptions`. */
export const NAMING_NAMES: OptionNames<NamingOptions> = { prefix: true, withUnitSuffix: true };

/**
 * The name of a metric in Prometheus, without the suffix of its type. Each run of characters other than letters and digits
 * becomes one underscore. `undefined` when the name has neither letters nor digits.
 * Source: https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/#metric-metadata-1
 */
export function familyName(
  name: string,
  unit: string,
  type: MetricType,
  { prefix = '', withUnitSuffix = false }: NamingOptions,
): string | undefined {
  let result = prefix === '' ? sanitized(name) : `${sanitizedPrefix(prefix)}_${sanitized(name)}`;
  if (result === '' || result === '_') return undefined;
  if (startsWithDigit(result)) result = `_${result}`;
  if (type === 'counter') result = withoutSuffix(result, '_total');
  const words = withUnitSuffix ? unitWords(unit) : '';
  return words === '' || endsWithWord(result, words) ? result : `${result}_${words}`;
}

/** The name of a label, made by the rules of `familyName`. */
export function labelName(key: string): string {
  const name = sanitized(key);
  return name === '' || startsWithDigit(name) ? `_${name}` : name;
}

/** The name with the suffix of its type. Only OpenMetrics' metadata has names without it. */
export function exposedName({
  name,
  type,
  isFixedName = false,
}: Pick<MetricFamily, 'name' | 'type' | 'isFixedName'>): string {
  if (isFixedName) return name;
  if (type === 'counter') return `${name}_total`;
  return type === 'info' ? `${name}_info` : name;
}

/**
 * The unit in words if the name ends with them, else ''. In OpenMetrics and protobuf, Prometheus refuses a whole scrape
 * when a family has a unit that its name does not end with.
 */
export function unitInName({ name, unit }: Pick<MetricFamily, 'name' | 'unit'>): string {
  const words = unitWords(unit);
  return words !== '' && endsWithWord(name, words) ? words : '';
}

/** A UCUM unit in Prometheus's words: `By/s` is `bytes_per_second`. '' for `1`, annotations such as `{request}`, and no unit. */
export function unitWords(unit: string): string {
  const [main = '', ...per] = unit.replace(/\{[^{}]*\}/g, '').split('/');
  const words = [
    UNITS.get(main) ?? sanitized(main),
    ...per.flatMap((one) => (one === '' ? [] : ['per', UNITS_PER.get(one) ?? sanitized(one)])),
  ];
  return words.filter((word) => word !== '').join('_');
}

const INVALID = /[^a-z0-9_]/i;
const ALL_INVALID = /[^a-z0-9_]/gi;
const RUN = /__/;
const RUNS = /_{2,}/g;

function sanitized(text: string): string {
  const valid = INVALID.test(text) ? text.replace(ALL_INVALID, '_') : text;
  return RUN.test(valid) ? valid.replace(RUNS, '_') : valid;
}

/** Keeps runs of underscores, so that a valid prefix stays unchanged. */
function sanitizedPrefix(prefix: string): string {
  return prefix.replace(ALL_INVALID, '_');
}

function startsWithDigit(text: string): boolean {
  return text[0]! >= '0' && text[0]! <= '9';
}

function withoutSuffix(text: string, suffix: string): string {
  return text.length > suffix.length && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
}

function endsWithWord(name: string, words: string): boolean {
  return name.endsWith(`_${words}`) && name.length > words.length + 1;
}

const UNITS: ReadonlyMap<string, string> = new Map([
  ['d', 'days'],
  ['h', 'hours'],
  ['min', 'minutes'],
  ['s', 'seconds'],
  ['ms', 'milliseconds'],
  ['us', 'microseconds'],
  ['ns', 'nanoseconds'],
  ['By', 'bytes'],
  ['KiBy', 'kibibytes'],
  ['MiBy', 'mebibytes'],
  ['GiBy', 'gibibytes'],
  ['TiBy', 'tebibytes'],
  ['kBy', 'kilobytes'],
  ['MBy', 'megabytes'],
  ['GBy', 'gigabytes'],
  ['TBy', 'terabytes'],
  ['bit', 'bits'],
  ['m', 'meters'],
  ['V', 'volts'],
  ['A', 'amperes'],
  ['J', 'joules'],
  ['W', 'watts'],
  ['g', 'grams'],
  ['Cel', 'celsius'],
  ['Hz', 'hertz'],
  ['%', 'percent'],
  ['1', ''],
]);

const UNITS_PER: ReadonlyMap<string, string> = new Map([
  ['s', 'second'],
  ['min', 'minute'],
  ['h', 'hour'],
  ['d', 'day'],
  ['wk', 'week'],
  ['mo', 'month'],
  ['a', 'year'],
  ['m', 'meter'],
  ['By', 'byte'],
]);
