import { NUMBER_UNITS, secondsOf, valueScaleOf } from '@hdrscope/inputs/internal';
import { sizeBytes } from '@hdrscope/kit';
import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';
import { readDecimal, readPercentile, wrongOption } from './arguments.ts';
import { UsageError } from './command.ts';
import { defineOption, defineOptions } from './define-command.ts';
import { DURATION } from './moment.ts';

// Values of options.

/** Returns the parser of an integer in a range, including both ends. */
export function integer(
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): (text: string, name: string) => number {
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  return (text, name) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw wrongOption(name, `an integer ${range}`, text);
  };
}

/** Reads `50ms`, `4KiB` or `100MB` in a unit; a number alone is in that unit already. `undefined` when the text does not fit it. */
export function amountIn(text: string, unit: CountedUnit): number | undefined {
  const bare = readDecimal(text);
  if (!Number.isNaN(bare)) return bare;
  const { unit: shown, scale } = SHOWN_UNITS[unit];
  const amount = shown === 's' ? secondsOf(text) : shown === 'By' ? sizeBytes(text) : undefined;
  // 0.05 s is 50,000,000 ns, not 50,000,000.00000001.
  return amount === undefined ? undefined : Number((amount / scale).toPrecision(15));
}

/** An amount of a unit as people write it, for messages. */
export function amountExample(unit: CountedUnit): string {
  const { unit: shown } = SHOWN_UNITS[unit];
  return shown === 's' ? '250ms' : shown === 'By' ? '64KiB' : '200';
}

// Options that several commands have.

/** The percentiles that every command shows by default. */
export const DEFAULT_PERCENTILES: readonly number[] = [50, 90, 99, 99.9];

/**
 * `--percentiles`: which percentiles are shown.
 *
 * @param note Begins the help: what the option is for, when the command prints other things as well.
 */
export function percentilesOption(note = '') {
  return defineOption({
    value: '<list>',
    help: `${note}the percentiles to show, as in 50,99.9; 100 is the maximum`,
    allowed: 'percentiles from 0 to 100, as in 50,99.9',
    parse: readPercentiles,
    default: DEFAULT_PERCENTILES,
    fallback: DEFAULT_PERCENTILES.join(),
  });
}

/** Reads a list such as `50,p99.9,max`; the maximum is percentile 100. */
function readPercentiles(text: string): readonly number[] | undefined {
  const found = text.split(',').map((part) => readPercentile(part.trim()));
  return found.every((one) => one !== undefined) ? found : undefined;
}

/** The value of an option that takes a unit of values. */
export const UNIT = defineOption({ value: '<unit>', help: '', choices: NUMBER_UNITS });

/** `--unit`: a unit of values. Its help states the default. */
export function unitOption(help: string, fallback: string) {
  return defineOption({ ...UNIT, help, fallback });
}

/** `--unit`: the unit of the values of a log, which decides how they are shown. */
export function logUnitOption(note = '') {
  return defineOption({
    ...UNIT,
    help: `${note}the unit of the values: times are shown in ms, other values as they are`,
    parse: (unit) => valueScaleOf(unit as CountedUnit),
    default: valueScaleOf('ns'),
    fallback: 'ns',
  });
}

/** `--interval`: a duration, in seconds when it is read. */
export function intervalOption(help = 'how long an interval is') {
  return { ...DURATION, help } as const;
}

/** `-n`: an integer of at least 1. */
export function intervalsOption(help = 'ends after so many intervals', fallback = 'never') {
  return { short: '-n', value: '<count>', help, parse: integer(1), fallback } as const;
}

export const ASCII = defineOptions({
  ascii: { help: 'draws text in ASCII only', fallback: 'on where the locale is not UTF-8' },
});

/** `--log-format`: the format of access logs, for commands that read them. */
export const LOG_FORMAT = defineOption({
  value: '<format>',
  help: "the format of access logs: the log_format of nginx ('$request_time …'), the LogFormat of Apache ('%D …') or that of Envoy",
  fallback: 'recognised',
});

// Attributes.

/** Attributes of a command line, by their keys. */
export type Pairs = Readonly<Record<string, string>>;

/**
 * Adds `key=value` to the pairs of an option that may be repeated. The value begins after the first `=` and may be empty.
 *
 * @throws UsageError when the text is not a pair, or the key is there with another value.
 */
export function parsePair(text: string, name: string, others: Pairs = {}): Pairs {
  const at = text.indexOf('=');
  if (at < 1) throw wrongOption(name, 'key=value, as in host=a7', text);
  const [key, value] = [text.slice(0, at), text.slice(at + 1)];
  if (Object.hasOwn(others, key) && others[key] !== value) {
    throw new UsageError(`${name} ${key} must have one value, got '${others[key]}' and '${value}'`);
  }
  return Object.fromEntries([...Object.entries(others), [key, value]]);
}

export const WHERE = defineOption({
  value: '<pair>',
  help: 'key=value: only series with this attribute; may be repeated',
  parse: parsePair,
  default: {},
  fallback: 'all series',
});

/**
 * `--by`: an attribute that divides the answer.
 *
 * @param what What each value of the attribute has, for the help.
 * @param fallback What there is without the option, for the help.
 */
export function groupOption(what: string, fallback: string) {
  return defineOption({
    value: '<key>',
    help: `an attribute: each of its values ${what}; may be repeated`,
    isRepeated: true,
    fallback,
  });
}
