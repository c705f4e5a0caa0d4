import { setTimeout as sleep } from 'node:timers/promises';
import { HdrscopeError } from '@hdrscope/core';
import {
  assertFollows,
  callback,
  number,
  type OptionRules,
  optional,
  readOptions,
  type Settings,
  withDefault,
} from '@hdrscope/core/internal';
import { isObject } from '@hdrscope/kit';
import { commonRange, type Integer, minus, numberIfSafe, sumOfSlots } from '../histogram/sum-of-slots.ts';
import { DOCUMENT_RULES, type DocumentOptions, readDocuments } from './documents.ts';
import { pathOf } from './fields.ts';
import { assertDistinct } from './increase.ts';
import { type Json, type JsonObject, LongDecimal } from './json.ts';
import { PARSE_DUMP_RULES, type ParseDumpOptions, type ParseDumpSettings, parseDump } from './parse-dump.ts';
import type { ImportedHistogram, SumBounds } from './read-histogram.ts';

/** Asks a daemon, or several as `ceph tell` does, and returns the answer in JSON. */
export type AskDaemon = (prefix: string, args: Readonly<Record<string, string>>) => Promise<string>;

/** The options for asking a daemon for its histograms. */
export interface AskHistogramsOptions extends ParseDumpOptions {
  /**
   * Names the present life of the daemon, such as the identity of its socket. A histogram of another life counts from 0. Only OSDs are
   * asked for it: another program may serve its counts on a new socket without a restart.
   * @default unknown: a restart shows only where a count has fallen
   */
  readonly life?: () => Promise<string | undefined>;
  /**
   * How often the histograms are asked for until counters and histograms are of one moment: at least 1. Where the counters have not counted
   * the same operations, they are asked three times in any case.
   * @default 3
   */
  readonly attempts?: number;
}

/** Checked `AskHistogramsOptions`, with their defaults. */
type AskHistogramsSettings = ParseDumpSettings &
  Settings<Pick<AskHistogramsOptions, 'life' | 'attempts'>, 'life'>;

/**
 * Asks a daemon for its histograms, and for the sums of their axes. `perf histogram dump` has no sums, but an OSD has counters
 * of the same operations in `perf dump`: these are asked for before and after the histograms, so that the sums lie between both.
 * When the daemon has counted meanwhile, it is asked again, and the closest bounds are taken.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `attempts` is out of range; `ERR_DECODE` also when a histogram has more operations than
 *   its counter, or the sum of a counter is outside the slots, at each of three attempts; as `askAdminSocket` and `parseHistogramDump` do.
 * @example
 * ```ts
 * import { askHistograms } from '@hdrscope/ceph';
 *
 * const answers: Record<string, string> = {
 *   'perf dump': '{"osd":{"op_r":3,"op_r_out_bytes":12288,"op_r_latency":{"avgcount":3,"sum":0.000700001}}}',
 *   'perf histogram dump': `{"osd":{"op_r_latency_out_bytes_histogram":{"axes":[
 *     {"name":"Latency (usec)","min":0,"quant_size":100000,"buckets":4,"scale_type":"log2"},
 *     {"name":"Request size (bytes)","min":0,"quant_size":512,"buckets":2,"scale_type":"log2"}],
 *     "values":[[0,0],[0,0],[0,2],[0,1]]}}}`,
 * };
 * const [reads] = await askHistograms(async (prefix) => answers[prefix]!);
 * reads!.measured!.map(({ value }) => value); //=> [700001, 12288]
 * ```
 */
export async function askHistograms(
  ask: AskDaemon,
  options: AskHistogramsOptions = {},
): Promise<ImportedHistogram[]> {
  assertFollows('ask', callback<AskDaemon>(), ask);
  return readDaemon(ask, readOptions(options, ASK_HISTOGRAMS));
}

const DEFAULT_ATTEMPTS = 3;
const PAUSE_MS = 5;

const ASK_HISTOGRAMS = {
  name: 'askHistograms',
  rules: {
    ...PARSE_DUMP_RULES,
    life: optional(callback()),
    attempts: withDefault(number({ from: 1, to: Number.POSITIVE_INFINITY }), DEFAULT_ATTEMPTS),
  } satisfies OptionRules<AskHistogramsOptions>,
  call: "askHistograms((prefix, args) => askAdminSocket(path, prefix, args), { logger: 'osd' })",
};

/** Asks a daemon for its histograms, with options that are checked. */
export async function readDaemon(
  ask: AskDaemon,
  { life: readLife = async () => undefined, attempts, ...parsed }: AskHistogramsSettings,
): Promise<ImportedHistogram[]> {
  const { logger, counter } = parsed;
  const filter = { ...(logger !== undefined && { logger }), ...(counter !== undefined && { counter }) };
  const lifeBefore = await readLife();
  let best: readonly ImportedHistogram[] | undefined;
  let before = await readNumbers(ask);
  const life = before.size > 0 ? lifeBefore : undefined;
  for (let attempt = 1; ; attempt++) {
    const all = parseDump(await ask('perf histogram dump', filter), parsed);
    assertDistinct(all);
    if (before.size === 0 || !all.some(hasSiblings)) {
      best = all;
      break;
    }
    const after = await readNumbers(ask);
    const { histograms, problem } = measured(all, before, after);
    const width = problem === undefined ? widthOf(histograms) : Number.POSITIVE_INFINITY;
    if (problem === undefined && (best === undefined || width <= widthOf(best))) best = histograms;
    const isTorn = width === Number.POSITIVE_INFINITY;
    if (width === 0 || attempt >= (isTorn ? Math.max(attempts, DEFAULT_ATTEMPTS) : attempts)) {
      // A reset between the answers can break a law once.
      if (best === undefined) throw problem;
      break;
    }
    // An operation is counted within microseconds, unless the daemon has to wait for a processor.
    if (isTorn) await sleep(PAUSE_MS);
    before = isTorn ? await readNumbers(ask) : after;
  }
  // A daemon that has started anew meanwhile answers next time.
  if (life !== undefined && life !== (await readLife())) {
    throw new HdrscopeError('ERR_DECODE', 'the daemon has started anew while it was asked');
  }
  return best!.map((one) => (life === undefined ? one : { ...one, life }));
}

type NumbersOfDaemons = ReadonlyMap<string | undefined, Json>;

/** Histograms with the sums of their axes, or the law that they break. */
function measured(
  all: readonly ImportedHistogram[],
  before: NumbersOfDaemons,
  after: NumbersOfDaemons,
): { readonly histograms: readonly ImportedHistogram[]; readonly problem?: unknown } {
  try {
    const histograms = all.map((one) => {
      const sums = measuredSums(one, before.get(one.daemon), after.get(one.daemon));
      return sums === undefined ? one : { ...one, measured: sums };
    });
    return { histograms };
  } catch (problem) {
    return { histograms: all, problem };
  }
}

// The limits of an answer, whatever those of the dump are.
const NUMBERS = { name: 'askHistograms', rules: DOCUMENT_RULES };

/** The numbers of each daemon. Empty when there are none. */
async function readNumbers(ask: AskDaemon): Promise<NumbersOfDaemons> {
  try {
    const text = await ask('perf dump', { logger: NUMBERS_LOGGER });
    const settings = readOptions<DocumentOptions, typeof DOCUMENT_RULES>({}, NUMBERS);
    const { documents } = readDocuments(text, settings, LONG_NUMBER.test(text));
    return new Map(documents.filter(({ json }) => hasLogger(json)).map(({ daemon, json }) => [daemon, json]));
  } catch (error) {
    // A server that is no daemon of Ceph may have no such command.
    if (error instanceof HdrscopeError && error.details?.errno === EINVAL) return new Map();
    throw error;
  }
}

// Digits that a double may not hold: more than 15 of an integer, and in front of the nine of nanoseconds more than six.
const LONG_NUMBER = /\d{16}|\d{7}\./;

const EINVAL = 22;

function hasLogger(json: Json): boolean {
  return typeof json === 'object' && json !== null && Object.hasOwn(json, NUMBERS_LOGGER);
}

/** How far the bounds of sums are apart, all together and relative to the sums; infinite where sums are missing. */
function widthOf(histograms: readonly ImportedHistogram[]): number {
  const widths = histograms.filter(hasSiblings).map(({ measured }) => {
    if (measured === undefined) return Number.POSITIVE_INFINITY;
    return measured.reduce(
      (sum, { lower, upper }) => sum + Number(minus(upper, lower)) / (Number(upper) || 1),
      0,
    );
  });
  return widths.reduce((a, b) => a + b, 0);
}

/** The counters of an OSD that count the same operations as a histogram. */
interface Siblings {
  /** Operations. */
  readonly ops: string;
  /** Their latencies: `{ avgcount, sum }`, in seconds. */
  readonly latency: string;
  /** Their bytes. */
  readonly bytes: string;
}

// An OSD adds each operation to these counters and to the histogram, one after the other, from 12.x on.
const SIBLINGS: Readonly<Record<string, Siblings>> = {
  op_r_latency_out_bytes_histogram: { ops: 'op_r', latency: 'op_r_latency', bytes: 'op_r_out_bytes' },
  op_w_latency_in_bytes_histogram: { ops: 'op_w', latency: 'op_w_latency', bytes: 'op_w_in_bytes' },
  op_rw_latency_in_bytes_histogram: { ops: 'op_rw', latency: 'op_rw_latency', bytes: 'op_rw_in_bytes' },
  op_rw_latency_out_bytes_histogram: { ops: 'op_rw', latency: 'op_rw_latency', bytes: 'op_rw_out_bytes' },
};

/** The logger whose numbers are asked for. */
const NUMBERS_LOGGER = 'osd';

/** Counts and sums of the operations of one histogram. */
interface Totals {
  readonly count: number;
  readonly latencyNs: Integer;
  readonly bytes: Integer;
}

/** Whether a daemon has counters from which the sums of a histogram may be known. */
function hasSiblings({ logger, counter }: Pick<ImportedHistogram, 'logger' | 'counter'>): boolean {
  return logger === NUMBERS_LOGGER && Object.hasOwn(SIBLINGS, counter);
}

/**
 * The sums of the axes of a histogram, by the counters that the daemon reported before and after it; `undefined` when there
 * are no such counters, or they and the histogram have not counted the same operations: they were reset in between, for example.
 *
 * An operation is in the earlier counters before the histogram is read, and in the later ones after it. So the sums of the
 * histogram lie between both.
 *
 * @throws HdrscopeError `ERR_DECODE` when histogram and counters break a law that OSDs keep.
 */
function measuredSums(
  imported: ImportedHistogram,
  before: Json | undefined,
  after: Json | undefined,
): SumBounds[] | undefined {
  if (!hasSiblings(imported)) return undefined;
  const siblings = SIBLINGS[imported.counter]!;
  assertCounted(imported, siblings.ops, before, after);
  const [from, to] = [totalsOf(before, siblings), totalsOf(after, siblings)];
  const { axes, totalCount } = imported.histogram;
  if (from === undefined || to === undefined || from.count > totalCount || totalCount > to.count)
    return undefined;
  const sums = axes.map(({ unit }) => {
    if (unit === 'ns') return boundsOf(from.latencyNs, to.latencyNs);
    return unit === 'bytes' ? boundsOf(from.bytes, to.bytes) : undefined;
  });
  if (!sums.every((sum) => sum !== undefined)) return undefined;
  for (const [at, sum] of sums.entries()) assertWithinSlots(imported, at, sum, siblings);
  return sums;

  function boundsOf(lower: Integer, upper: Integer): SumBounds | undefined {
    const isSame = from!.count === to!.count;
    if (upper < lower || (isSame && upper !== lower)) return undefined;
    if (isSame) return { lower, upper, value: lower };
    const share = (totalCount - from!.count) / (to!.count - from!.count);
    return { lower, upper, value: Number(lower) + share * Number(minus(upper, lower)) };
  }
}

/**
 * An OSD counts each operation in its counter first, and in the histogram then: the histogram never has more. It may have fewer: `perf
 * reset` does not reset both at one moment.
 */
function assertCounted(
  imported: ImportedHistogram,
  ops: string,
  before: Json | undefined,
  after: Json | undefined,
): void {
  const [from, to] = [numbersOf(before)?.[ops], numbersOf(after)?.[ops]];
  const count = imported.histogram.totalCount;
  // Counters that have fallen were reset after the histogram was read.
  if (!isCount(from) || !isCount(to) || to < from || count <= to) return;
  throw brokenLaw(imported, `${ops} must be at least ${count}, the operations of the histogram, got ${to}`, {
    counter: ops,
    least: count,
    got: to,
  });
}

/** The operations of equal counts are the same, so their sum lies within the slots. */
function assertWithinSlots(
  imported: ImportedHistogram,
  at: number,
  sum: SumBounds,
  siblings: Siblings,
): void {
  const { axes } = imported.histogram;
  const counts = imported.histogram.marginal(at).counts;
  const slots = sumOfSlots(axes[at]!, (slot) => counts.at(slot));
  if (commonRange(sum, slots) !== undefined) return;
  const counter = axes[at]!.unit === 'ns' ? siblings.latency : siblings.bytes;
  const got = sum.lower === sum.upper ? sum.lower : `${sum.lower} to ${sum.upper}`;
  const allowed = `from ${slots.lower} to ${slots.upper} ${axes[at]!.unit}, as the slots of the histogram have it`;
  throw brokenLaw(imported, `the sum of ${counter} must be ${allowed}, got ${got}`, {
    counter,
    least: slots.lower,
    most: slots.upper,
    got,
  });
}

function brokenLaw(imported: ImportedHistogram, law: string, details: object): HdrscopeError {
  const { daemon, logger, counter } = imported;
  return new HdrscopeError('ERR_DECODE', `${pathOf(daemon, logger, counter)}: ${law}`, {
    details: { ...details, histogram: counter },
  });
}

/** The numbers of an OSD in a daemon's answer to `perf dump`. */
function numbersOf(answer: Json | undefined): JsonObject | undefined {
  const numbers = isObject(answer) ? (answer as JsonObject)[NUMBERS_LOGGER] : undefined;
  return isObject(numbers) ? (numbers as JsonObject) : undefined;
}

function isCount(json: Json | undefined): json is number {
  return Number.isSafeInteger(json);
}

/** The counters of a daemon's answer to `perf dump`. Undefined when they are read in the middle of an operation. */
function totalsOf(answer: Json | undefined, { ops, latency, bytes }: Siblings): Totals | undefined {
  const numbers = numbersOf(answer);
  if (numbers === undefined) return undefined;
  const [count, pair, size] = [numbers[ops], numbers[latency], numbers[bytes]];
  if (!isObject(pair)) return undefined;
  const { avgcount, sum } = pair as JsonObject;
  // A daemon counts the operation first, then its bytes, then its latency. Equal counts have equal operations in all of them.
  if (!isCount(count) || count !== avgcount) return undefined;
  const latencyNs = nanosecondsOf(sum);
  if (latencyNs === undefined || !(isCount(size) || typeof size === 'bigint')) return undefined;
  return { count, latencyNs, bytes: size };
}

const NS_PER_SECOND = 1e9;
const DECIMAL = /^(\d+)(?:\.(\d{1,9}))?$/;

/** Seconds as exact nanoseconds. A daemon prints all nine decimals. */
function nanosecondsOf(seconds: Json | undefined): Integer | undefined {
  if (typeof seconds !== 'number' && !(seconds instanceof LongDecimal)) return undefined;
  const match = DECIMAL.exec(seconds instanceof LongDecimal ? seconds.text : String(seconds));
  if (match === null) return Math.round(Number(seconds) * NS_PER_SECOND);
  const [, whole = '', fraction = ''] = match;
  return numberIfSafe(BigInt(whole + fraction.padEnd(9, '0')));
}
