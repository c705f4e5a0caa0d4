import { isObject } from '@hdrscope/kit';
import type { Json, JsonObject } from './json.ts';
import type { ImportedHistogram } from './read-histogram.ts';
import type { SumBounds } from './sum-bounds.ts';

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
export const NUMBERS_LOGGER = 'osd';

/** Counts and sums of the operations of one histogram. */
interface Totals {
  readonly count: number;
  readonly latencyNs: number;
  readonly bytes: number;
}

const NS_PER_SECOND = 1e9;

/** Whether a daemon has counters from which the sums of a histogram may be known. */
export function hasSiblings({ logger, counter }: Pick<ImportedHistogram, 'logger' | 'counter'>): boolean {
  return logger === NUMBERS_LOGGER && Object.hasOwn(SIBLINGS, counter);
}

/**
 * The sums of the axes of a histogram, by the counters that the daemon reported before and after it; `undefined` when there
 * are no such counters, or they and the histogram have not counted the same operations: they were reset in between, for example.
 *
 * An operation is in the earlier counters before the histogram is read, and in the later ones after it. So the sums of the
 * histogram lie between both.
 */
export function measuredSums(
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
