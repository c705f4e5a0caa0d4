import { flag, oneOf, optional, type RulesFor, text } from '@hdrscope/core/internal';
import type { MetricFamily, MetricType } from './families.ts';

/**
 * How names of OpenTelemetry become names of Prometheus, as in the setting `translation_strategy` of Prometheus:
 * - `'UnderscoreEscapingWithSuffixes'` replaces all characters other than letters and digits by underscores, and adds the unit in
 *   words and, to a counter, `_total`.
 * - `'UnderscoreEscapingWithoutSuffixes'` replaces characters, and adds nothing.
 * - `'NoUTF8EscapingWithSuffixes'` keeps all characters, and adds the suffixes.
 * - `'NoTranslation'` keeps names as they are.
 *
 * In OpenMetrics 1.0, where names of counters end with `_total`, a counter that got no suffix keeps its name and is of type unknown. A
 * scraper that does not accept `escaping=allow-utf-8` gets escaped names.
 * Source: https://opentelemetry.io/docs/specs/otel/metrics/sdk_exporters/prometheus/#translation-strategy
 */
export type TranslationStrategy =
  | 'UnderscoreEscapingWithSuffixes'
  | 'UnderscoreEscapingWithoutSuffixes'
  | 'NoUTF8EscapingWithSuffixes'
  | 'NoTranslation';

/** Options for names. */
export interface NamingOptions {
  /** Begins every name, with an underscore after it, except `target_info` and names that begin with `hdrscope_`. @default '' */
  readonly prefix?: string | undefined;
  /**
   * Whether a name ends with its unit in words: `_seconds`, `_bytes`. A `translationStrategy` decides this itself.
   * @default false, as in the stock exporter
   */
  readonly withUnitSuffix?: boolean | undefined;
  /**
   * How the names of metrics and labels are made.
   * @default characters become underscores, a counter ends with `_total`, and `withUnitSuffix` decides about units
   */
  readonly translationStrategy?: TranslationStrategy | undefined;
}

/** The rules of `NamingOptions`. */
export const NAMING_RULES: RulesFor<NamingOptions, keyof NamingOptions> = {
  prefix: optional(text),
  withUnitSuffix: optional(flag),
  translationStrategy: optional(
    oneOf([
      'UnderscoreEscapingWithSuffixes',
      'UnderscoreEscapingWithoutSuffixes',
      'NoUTF8EscapingWithSuffixes',
      'NoTranslation',
    ]),
  ),
};

/** Whether names keep characters that Prometheus' classic names cannot have. */
export function keepsCharacters({ translationStrategy: strategy }: NamingOptions): boolean {
  return strategy === 'NoUTF8EscapingWithSuffixes' || strategy === 'NoTranslation';
}

/** Whether names get no suffix. */
export function isWithoutSuffixes({ translationStrategy: strategy }: NamingOptions): boolean {
  return strategy === 'UnderscoreEscapingWithoutSuffixes' || strategy === 'NoTranslation';
}

/**
 * The name of a metric in Prometheus, without the suffix of its type if it gets one. Unless the strategy keeps characters, each
 * run of characters other than letters and digits becomes one underscore. `undefined` when nothing is left of the name.
 * Source: https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/#metric-metadata-1
 */
export function familyName(
  name: string,
  unit: string,
  type: MetricType,
  options: NamingOptions,
): string | undefined {
  const { prefix = '', translationStrategy: strategy, withUnitSuffix = false } = options;
  const isKept = keepsCharacters(options);
  const own = isKept ? name : sanitized(name);
  if (own === '') return undefined;
  let result = prefix === '' ? own : `${isKept ? prefix : sanitizedPrefix(prefix)}_${own}`;
  if (!isKept && result === '_') return undefined;
  if (!isKept && startsWithDigit(result)) result = `_${result}`;
  if (isWithoutSuffixes(options)) return result;
  if (type === 'counter') result = withoutWord(result, 'total');
  const words = strategy !== undefined || withUnitSuffix ? unitWords(unit) : '';
  return words === '' || endsWithWord(result, words) ? result : `${result}_${words}`;
}

/** The name of a label, made by the rules of `familyName`. */
export function labelName(key: string, isKept = false): string {
  const name = isKept ? withoutNameLabel(key) : sanitized(key);
  return name === '' || (!isKept && startsWithDigit(name)) ? `_${name}` : name;
}

/** The same name, except for the label in which Prometheus keeps the name of the metric: it refuses a scrape that has it twice. */
export function withoutNameLabel(name: string): string {
  return name === '__name__' ? 'exported___name__' : name;
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
  return words !== '' && name.endsWith(`_${words}`) && endsWithWord(name, words) ? words : '';
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

/** The name without a last word and the character before it. */
function withoutWord(name: string, word: string): string {
  return endsWithWord(name, word) ? name.slice(0, -word.length - 1) : name;
}

/** Whether a name ends with words, has more than them, and separates them by a character that is no letter or digit. */
function endsWithWord(name: string, words: string): boolean {
  const before = name.length - words.length - 1;
  return before > 0 && name.endsWith(words) && !/[a-z0-9]/i.test(name[before]!);
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
