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
import { DOCUMENT_RULES, type DocumentOptions, readDocuments } from './documents.ts';
import { assertDistinct } from './increase.ts';
import type { Json, JsonObject } from './json.ts';
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
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `attempts` is out of range; as `askAdminSocket` and `parseHistogramDump` do.
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
    const measured = all.map((one) => {
      const sums = measuredSums(one, before.get(one.daemon), after.get(one.daemon));
      return sums === undefined ? one : { ...one, measured: sums };
    });
    if (best === undefined || widthOf(measured) <= widthOf(best)) best = measured;
    const width = widthOf(measured);
    const isTorn = width === Number.POSITIVE_INFINITY;
    if (width === 0 || attempt >= (isTorn ? Math.max(attempts, DEFAULT_ATTEMPTS) : attempts)) break;
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

// The limits of an answer, whatever those of the dump are.
const NUMBERS = { name: 'askHistograms', rules: DOCUMENT_RULES };

/** The numbers of each daemon. Empty when there are none. */
async function readNumbers(ask: AskDaemon): Promise<ReadonlyMap<string | undefined, Json>> {
  try {
    const text = await ask('perf dump', { logger: NUMBERS_LOGGER });
    const { documents } = readDocuments(
      text,
      readOptions<DocumentOptions, typeof DOCUMENT_RULES>({}, NUMBERS),
      false,
    );
    return new Map(documents.filter(({ json }) => hasLogger(json)).map(({ daemon, json }) => [daemon, json]));
  } catch (error) {
    // A server that is no daemon of Ceph may have no such command.
    if (error instanceof HdrscopeError && error.details?.errno === EINVAL) return new Map();
    throw error;
  }
}

const EINVAL = 22;

function hasLogger(json: Json): boolean {
  return typeof json === 'object' && json !== null && Object.hasOwn(json, NUMBERS_LOGGER);
}

/** How far the bounds of sums are apart, all together and relative to the sums; infinite where sums are missing. */
function widthOf(histograms: readonly ImportedHistogram[]): number {
  const widths = histograms.filter(hasSiblings).map(({ measured }) => {
    if (measured === undefined) return Number.POSITIVE_INFINITY;
    return measured.reduce((sum, { lower, upper }) => sum + (upper - lower) / (upper || 1), 0);
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
  readonly latencyNs: number;
  readonly bytes: number;
}

const NS_PER_SECOND = 1e9;

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
 */
function measuredSums(
  imported: ImportedHistogram,
  before: Json | undefined,
  after: Json | undefined,
): SumBounds[] | undefined {
  if (!hasSiblings(imported)) return undefined;
  const siblings = SIBLINGS[imported.counter]!;
  const [from, to] = [totalsOf(before, siblings), totalsOf(after, siblings)];
  const { axes, totalCount } = imported.histogram;
  if (from === undefined || to === undefined || from.count > totalCount || totalCount > to.count)
    return undefined;
  const sums = axes.map(({ unit }) => {
    if (unit === 'ns') return boundsOf(from.latencyNs, to.latencyNs);
    return unit === 'bytes' ? boundsOf(from.bytes, to.bytes) : undefined;
  });
  return sums.every((sum) => sum !== undefined) ? sums : undefined;

  function boundsOf(lower: number, upper: number): SumBounds | undefined {
    if (upper < lower || (from!.count === to!.count && upper !== lower)) return undefined;
    const share = to!.count === from!.count ? 0 : (totalCount - from!.count) / (to!.count - from!.count);
    return { lower, upper, value: lower + share * (upper - lower) };
  }
}

/** The counters of a daemon's answer to `perf dump`. Undefined when they are read in the middle of an operation. */
function totalsOf(answer: Json | undefined, { ops, latency, bytes }: Siblings): Totals | undefined {
  if (!isObject(answer) || !isObject((answer as JsonObject)[NUMBERS_LOGGER])) return undefined;
  const numbers = (answer as JsonObject)[NUMBERS_LOGGER] as JsonObject;
  const [count, pair, size] = [numbers[ops], numbers[latency], numbers[bytes]];
  if (!isObject(pair)) return undefined;
  const { avgcount, sum } = pair as JsonObject;
  // A daemon counts the operation first, then its bytes, then its latency. Equal counts have equal operations in all of them.
  if (!Number.isSafeInteger(count) || count !== avgcount) return undefined;
  if (typeof sum !== 'number' || typeof size !== 'number') return undefined;
  return { count: count as number, latencyNs: Math.round(sum * NS_PER_SECOND), bytes: size };
}
