import { oneOf, optional, type RulesFor, text } from '@hdrscope/core/internal';
import { addedUnitWords, BETWEEN_WORDS, unitSuffixes } from '@hdrscope/registry/internal';
import { warnOfSetting } from './diagnostics.ts';
import type { MetricFamily, MetricType } from './families.ts';

/**
 * How names of OpenTelemetry become names of Prometheus, as in the setting `translation_strategy` of Prometheus:
 * - `'UnderscoreEscapingWithSuffixes'` replaces all characters other than letters, digits and colons by underscores, and adds the unit
 *   in words, `_ratio` to a gauge of unit `1`, and `_total` to a counter. Names are those of Prometheus' OTLP endpoint.
 * - `'UnderscoreEscapingWithoutSuffixes'` replaces characters, and adds nothing.
 * - `'NoUTF8EscapingWithSuffixes'` keeps all characters, and adds the suffixes.
 * - `'NoTranslation'` keeps names as they are.
 * - `'UnderscoreEscapingWithoutUnits'` makes the names of `@opentelemetry/exporter-prometheus`: it replaces characters, and adds
 *   only `_total` to a counter. The specification does not have it.
 *
 * In OpenMetrics 1.0, where names of counters end with `_total`, a counter that got no suffix keeps its name and is of type unknown. A
 * scraper that does not accept `escaping=allow-utf-8` gets escaped names.
 * Source: https://opentelemetry.io/docs/specs/otel/metrics/sdk_exporters/prometheus/#translation-strategy
 */
export type TranslationStrategy =
  | 'UnderscoreEscapingWithSuffixes'
  | 'UnderscoreEscapingWithoutSuffixes'
  | 'NoUTF8EscapingWithSuffixes'
  | 'NoTranslation'
  | 'UnderscoreEscapingWithoutUnits';

/** The default of Prometheus' OTLP endpoint. */
export const DEFAULT_STRATEGY: TranslationStrategy = 'UnderscoreEscapingWithSuffixes';

/** Options for names. */
export interface NamingOptions {
  /** Begins every name, with an underscore after it, except `target_info` and names that begin with `hdrscope_`. @default '' */
  readonly prefix?: string | undefined;
  /**
   * How the names of metrics and labels are made. Where metrics are served or sent, the variable `HDRSCOPE_TRANSLATION_STRATEGY`
   * comes before the default.
   * @default 'UnderscoreEscapingWithSuffixes'
   */
  readonly translationStrategy?: TranslationStrategy | undefined;
}

const strategyRule = oneOf<TranslationStrategy>([
  'UnderscoreEscapingWithSuffixes',
  'UnderscoreEscapingWithoutSuffixes',
  'NoUTF8EscapingWithSuffixes',
  'NoTranslation',
  'UnderscoreEscapingWithoutUnits',
]);

/** The rules of `NamingOptions`. */
export const NAMING_RULES: RulesFor<NamingOptions, keyof NamingOptions> = {
  prefix: optional(text),
  translationStrategy: optional(strategyRule),
};

/** The variable that states a strategy for what is served and sent. */
const STRATEGY_VARIABLE = 'HDRSCOPE_TRANSLATION_STRATEGY';

/** Reads the strategy of an environment. It is the default without a stated one, and, with a warning, instead of a wrong one. */
export function readStrategy(environment: Readonly<Record<string, string | undefined>>): TranslationStrategy {
  const stated = environment[STRATEGY_VARIABLE]?.trim();
  if (stated === undefined || stated === '') return DEFAULT_STRATEGY;
  if (strategyRule.accepts(stated)) return stated as TranslationStrategy;
  warnOfSetting(
    `${STRATEGY_VARIABLE} must be ${strategyRule.allowed}, got '${stated}': ${DEFAULT_STRATEGY} applies`,
  );
  return DEFAULT_STRATEGY;
}

/** Whether names keep characters that Prometheus' classic names cannot have. */
export function keepsCharacters({ translationStrategy: strategy }: NamingOptions): boolean {
  return strategy === 'NoUTF8EscapingWithSuffixes' || strategy === 'NoTranslation';
}

/** Whether names get no suffix. */
export function isWithoutSuffixes({ translationStrategy: strategy }: NamingOptions): boolean {
  return strategy === 'UnderscoreEscapingWithoutSuffixes' || strategy === 'NoTranslation';
}

/**
 * The name of a metric in Prometheus, without the suffix `_total` or `_info` if it gets one. `undefined` when no letter or digit is left
 * of the name.
 *
 * @param type Of a sum that may fall, `'sum'`: it is a gauge on the page, and gets no `_ratio`.
 */
export function familyName(
  name: string,
  unit: string,
  type: MetricType | 'sum',
  options: NamingOptions,
): string | undefined {
  const { prefix = '', translationStrategy = DEFAULT_STRATEGY } = options;
  if (translationStrategy === 'NoTranslation' || translationStrategy === 'NoUTF8EscapingWithSuffixes') {
    if (name === '') return undefined;
    const kept = prefix === '' ? name : `${prefix}_${name}`;
    return isWithoutSuffixes(options) ? kept : withSuffixes(kept, unit, type);
  }
  const own = ESCAPED_NAMES[translationStrategy](name, unit, type);
  if (own === undefined) return undefined;
  const result = prefix === '' ? own : `${sanitizedPrefix(prefix)}_${own}`;
  return startsWithDigit(result) ? `_${result}` : result;
}

type NameWriter = (name: string, unit: string, type: MetricType | 'sum') => string | undefined;

/** Names without other characters than letters, digits, underscores and colons. The first two are those of Prometheus. */
const ESCAPED_NAMES: Readonly<
  Record<Exclude<TranslationStrategy, 'NoTranslation' | 'NoUTF8EscapingWithSuffixes'>, NameWriter>
> = {
  // Source: normalizeName in https://github.com/prometheus/otlptranslator/blob/main/metric_namer.go
  UnderscoreEscapingWithSuffixes(name, unit, type) {
    const own = name.split(BETWEEN_WORDS).filter((word) => word !== '');
    if (own.length === 0) return undefined;
    const words = [...own, ...addedUnitWords(name, unit)];
    if (isRatio(unit, type)) return [...words.filter((word) => word !== 'ratio'), 'ratio'].join('_');
    if (type !== 'counter') return words.join('_');
    const others = words.filter((word) => word !== 'total');
    return (others.length === 0 ? words : others).join('_');
  },
  UnderscoreEscapingWithoutSuffixes(name) {
    const result = name
      .split(NOT_IN_NAMES)
      .filter((part) => part !== '')
      .join('_');
    return /[^_]/.test(result) ? result : undefined;
  },
  UnderscoreEscapingWithoutUnits(name, _unit, type) {
    const own = sanitized(name);
    if (own === '' || own === '_') return undefined;
    return type === 'counter' ? withoutEnd(own, 'total') : own;
  },
};

const NOT_IN_NAMES = /[^a-z0-9:_]/i;

/**
 * A name with the unit in words, or with `_ratio`. All its characters stay, and those of units that have no words. As in Prometheus,
 * except that a counter `subtotal` is `subtotal_total`: Prometheus calls it `su_total`.
 */
function withSuffixes(name: string, unit: string, type: MetricType | 'sum'): string {
  const hasRatio = isRatio(unit, type);
  const end = type === 'counter' ? 'total' : hasRatio ? 'ratio' : undefined;
  const own = end === undefined ? name : withoutEnd(name, end);
  const { main, per } = unitSuffixes(unit, (own) => own);
  const beforePer = per === '' ? own : withoutEnd(own, per);
  const parts = [beforePer, beforePer.endsWith(main) ? '' : main, per, hasRatio ? 'ratio' : ''];
  return parts.filter((part) => part !== '').join('_');
}

/** As in Prometheus: counters of unit `1` count things. */
function isRatio(unit: string, type: MetricType | 'sum'): boolean {
  return unit === '1' && type === 'gauge';
}

/** Names of labels by their keys: all series of a service have the same few keys. */
const labelNames = { kept: new Map<string, string>(), sanitized: new Map<string, string>() };
const MOST_LABEL_NAMES = 1000;

/** The name of a label, made by the rules of `familyName`. */
export function labelName(key: string, isKept = false): string {
  const names = isKept ? labelNames.kept : labelNames.sanitized;
  let name = names.get(key);
  if (name === undefined) {
    name = makeLabelName(key, isKept);
    if (names.size < MOST_LABEL_NAMES) names.set(key, name);
  }
  return name;
}

function makeLabelName(key: string, isKept: boolean): string {
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

/** A UCUM unit in Prometheus' words: `By/s` is `bytes_per_second`. '' for `1`, annotations such as `{request}`, and no unit. */
export function unitWords(unit: string): string {
  const { main, per } = unitSuffixes(unit);
  return [main, per].filter((words) => words !== '').join('_');
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
function withoutEnd(name: string, word: string): string {
  return endsWithWord(name, word) ? name.slice(0, -word.length - 1) : name;
}

/** Whether a name ends with words, has more than them, and separates them by a character that is no letter or digit. */
function endsWithWord(name: string, words: string): boolean {
  const before = name.length - words.length - 1;
  return before > 0 && name.endsWith(words) && !/[a-z0-9]/i.test(name[before]!);
}
