import { setTimeout as sleep } from 'node:timers/promises';
import { HdrscopeError } from '@hdrscope/core';
import { assertOptions, mustBe, type OptionsOwner } from '@hdrscope/core/internal';
import { readDocuments } from './documents.ts';
import type { Json } from './json.ts';
import { hasSiblings, measuredSums, NUMBERS_LOGGER } from './measured-sums.ts';
import { type ParseDumpOptions, parseHistogramDump } from './parse-dump.ts';
import type { ImportedHistogram } from './read-histogram.ts';

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
  assertOptions(options, ASK_HISTOGRAMS);
  const { life: lifeOf = async () => undefined, attempts = DEFAULT_ATTEMPTS, ...parsed } = options;
  if (!(typeof attempts === 'number' && attempts >= 1)) {
    throw mustBe('ERR_INVALID_OPTION', 'attempts', 'a number of at least 1', attempts);
  }
  const { logger, counter } = parsed;
  const filter = { ...(logger !== undefined && { logger }), ...(counter !== undefined && { counter }) };
  const lifeBefore = await lifeOf();
  let best: readonly ImportedHistogram[] | undefined;
  let before = await numbersOf(ask);
  const life = before.size > 0 ? lifeBefore : undefined;
  for (let attempt = 1; ; attempt++) {
    const all = parseHistogramDump(await ask('perf histogram dump', filter), parsed);
    if (before.size === 0 || !all.some(hasSiblings)) {
      best = all;
      break;
    }
    const after = await numbersOf(ask);
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
    before = isTorn ? await numbersOf(ask) : after;
  }
  // A daemon that has started anew meanwhile answers next time.
  if (life !== undefined && life !== (await lifeOf())) {
    throw new HdrscopeError('ERR_DECODE', 'the daemon has started anew while it was asked');
  }
  return best!.map((one) => (life === undefined ? one : { ...one, life }));
}

const DEFAULT_ATTEMPTS = 3;
const PAUSE_MS = 5;

const ASK_HISTOGRAMS: OptionsOwner<AskHistogramsOptions> = {
  name: 'askHistograms',
  names: {
    life: true,
    attempts: true,
    logger: true,
    counter: true,
    maxLength: true,
    maxElements: true,
    lenient: true,
    units: true,
  },
  call: "askHistograms((prefix, args) => askAdminSocket(path, prefix, args), { logger: 'osd' })",
};

/** The numbers of each daemon. Empty when there are none. */
async function numbersOf(ask: AskDaemon): Promise<ReadonlyMap<string | undefined, Json>> {
  try {
    const text = await ask('perf dump', { logger: NUMBERS_LOGGER });
    const documents = readDocuments(text, {}, false);
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
