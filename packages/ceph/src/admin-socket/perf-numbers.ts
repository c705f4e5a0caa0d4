import { mustBe } from '@hdrscope/core/internal';
import type { PerfFilter } from '../dump/loggers.ts';
import { type JsonValue, RawJson } from '../json-text.ts';

/** The description of a number. */
export interface PerfNumberText {
  /** A sentence for people. @default '' */
  readonly description?: string;
  /** A few letters, for tables with narrow columns. @default '' */
  readonly nick?: string;
  /** From 0 to 10. By default, ceph-exporter leaves out numbers below 5. @default 5 */
  readonly priority?: number;
  /** The unit of the values. @default 'none' */
  readonly units?: 'none' | 'bytes';
  /** Whether the number is written with nine decimals, as seconds and other fractions are. @default false */
  readonly real?: boolean;
}

/** A perf counter that is not a histogram: one number, or the sum and the count of many. */
export type PerfNumber = PerfNumberText &
  (
    | { readonly kind: 'gauge' | 'counter'; readonly value: number | bigint }
    | { readonly kind: 'average'; readonly count: number | bigint; readonly sum: number | bigint }
  );

/** Numbers by logger and name. */
export type PerfNumbers = Readonly<Record<string, Readonly<Record<string, PerfNumber>>>>;

/** The numbers of one logger for one set of labels. */
export interface LabelledNumbers {
  /** Name of the logger, such as `osd`. */
  readonly logger: string;
  /** Labels by name; empty for a logger without labels. */
  readonly labels: Readonly<Record<string, string>>;
  /** The numbers by name. */
  readonly numbers: Readonly<Record<string, PerfNumber>>;
}

// Bits of the field `type`.
const REAL = 0x1;
const INTEGER = 0x2;
const AVERAGE = 0x4;
const COUNTER = 0x8;

const DECIMALS = 9;

/**
 * The answer to `perf dump`.
 *
 * @throws HdrscopeError `ERR_INVALID_VALUE` for a number that cannot be written.
 */
export function dumpNumbers(numbers: PerfNumbers, filter: PerfFilter = {}): JsonValue {
  return select(numbers, filter, shownValue);
}

/** The answer to `perf schema`. */
export function describeNumbers(numbers: PerfNumbers, filter: PerfFilter = {}): JsonValue {
  return select(numbers, filter, schemaOf);
}

/** The answer to `counter dump`: for each logger an array with one entry for each set of labels. */
export function dumpLabelled(all: readonly LabelledNumbers[], filter: PerfFilter = {}): JsonValue {
  return selectLabelled(all, filter, shownValue);
}

/** The answer to `counter schema`, in the order of `counter dump`, since readers match the entries by their places. */
export function describeLabelled(all: readonly LabelledNumbers[], filter: PerfFilter = {}): JsonValue {
  return selectLabelled(all, filter, schemaOf);
}

/** Numbers for `counter dump`, without labels. */
export function unlabelled(numbers: PerfNumbers): LabelledNumbers[] {
  return Object.entries(numbers).map(([logger, members]) => ({ logger, labels: {}, numbers: members }));
}

type Show = (number: PerfNumber, name: string) => JsonValue;

/** The loggers, sorted by name. A logger without the wanted counter stays, empty. */
function select(numbers: PerfNumbers, { logger, counter }: PerfFilter, show: Show): JsonValue {
  const loggers = Object.entries(numbers)
    .filter(([name]) => logger === undefined || name === logger)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map<string, JsonValue>(
    loggers.map(([name, members]) => [name, countersOf(name, members, counter, show)]),
  );
}

function selectLabelled(
  all: readonly LabelledNumbers[],
  { logger, counter }: PerfFilter,
  show: Show,
): JsonValue {
  const byLogger = new Map<string, JsonValue[]>();
  for (const one of all.toSorted((a, b) => (a.logger < b.logger ? -1 : a.logger > b.logger ? 1 : 0))) {
    if (logger !== undefined && one.logger !== logger) continue;
    const entries = byLogger.get(one.logger) ?? [];
    byLogger.set(one.logger, entries);
    entries.push({ labels: one.labels, counters: countersOf(one.logger, one.numbers, counter, show) });
  }
  return byLogger;
}

function countersOf(
  logger: string,
  numbers: Readonly<Record<string, PerfNumber>>,
  wanted: string | undefined,
  show: Show,
): JsonValue {
  return new Map<string, JsonValue>(
    Object.entries(numbers)
      .filter(([name]) => wanted === undefined || name === wanted)
      .map(([name, one]) => [name, show(one, `${logger}.${name}`)]),
  );
}

function shownValue(number: PerfNumber, name: string): JsonValue {
  const write = number.real ? realOf : integerOf;
  if (number.kind !== 'average') return write(number.value, name);
  const avgcount = integerOf(number.count, `count of ${name}`);
  const sum = write(number.sum, `sum of ${name}`);
  if (!number.real) return { avgcount, sum };
  return { avgcount, sum, avgtime: realOf(meanSeconds(Number(number.sum), Number(number.count)), name) };
}

/** Whole nanoseconds, as daemons divide: 0.736421376 s by 1593 is 0.000462285 s. */
function meanSeconds(sum: number, count: number): number {
  return count === 0 ? 0 : Math.floor(Math.round(sum * 1e9) / count) / 1e9;
}

function integerOf(value: number | bigint, name: string): JsonValue {
  if ((typeof value === 'bigint' || Number.isInteger(value)) && value >= 0) return BigInt(value);
  throw mustBe('ERR_INVALID_VALUE', name, 'an integer of at least 0', value);
}

function realOf(value: number | bigint, name: string): JsonValue {
  if (!Number.isFinite(Number(value))) throw mustBe('ERR_INVALID_VALUE', name, 'a finite number', value);
  return new RawJson(Number(value).toFixed(DECIMALS));
}

function schemaOf({
  kind,
  real = false,
  description = '',
  nick = '',
  priority = 5,
  units = 'none',
}: PerfNumber): JsonValue {
  const single = real ? 'real' : 'integer';
  return {
    type: (real ? REAL : INTEGER) | (kind === 'average' ? AVERAGE : 0) | (kind === 'counter' ? COUNTER : 0),
    metric_type: kind === 'counter' ? 'counter' : 'gauge',
    value_type: kind === 'average' ? `${single}-integer-pair` : single,
    description,
    nick,
    priority,
    units,
  };
}
