import { HdrscopeError } from '@hdrscope/core';
import type { ValueRange } from '@hdrscope/core/joint';
import type { Axis } from '../histogram/axis.ts';
import type { PerfHistogram } from '../histogram/perf-histogram.ts';
import { plus } from '../histogram/sum-of-slots.ts';
import type { ImportedIncrease } from '../importer/increase.ts';
import type { SumBounds } from '../importer/read-histogram.ts';
import { type AxisFacts, countValues, measureAxis } from './axis-facts.ts';
import type { ClusterInterval, DaemonInterval } from './follow.ts';

/** The latency of some operations. */
export interface LatencyFigures {
  readonly count: bigint;
  readonly ratePerSec: number;
  /** The facts of the axis of latency; `undefined` when nothing was counted. */
  readonly facts: AxisFacts | undefined;
}

/** The operations with sizes within a range. */
export interface SizeFigures extends LatencyFigures {
  /** In bytes, inclusive; `undefined` in the first class. */
  readonly from: number | undefined;
  /** In bytes, exclusive; `undefined` in the last class. */
  readonly to: number | undefined;
}

/** The operations of one kind. */
export interface KindFigures extends LatencyFigures {
  readonly kind: string;
  readonly counter: string;
  /** Only classes with operations. */
  readonly sizes: readonly SizeFigures[];
}

/** The operations of one daemon. */
export interface DaemonFigures extends LatencyFigures {
  readonly daemon: string;
  readonly seconds: number;
  /** The time since the answer that these figures are from, in seconds. */
  readonly ageSeconds: number;
}

/** The figures of an interval. */
export interface OperationFigures {
  readonly all: LatencyFigures;
  readonly kinds: readonly KindFigures[];
  /** The daemons with operations, the slowest first: by the last percentile, then by the mean. */
  readonly slowest: readonly DaemonFigures[];
  /** What the last answers had of daemons that do not answer now, in the order of `slowest`. No other figure has these operations. */
  readonly late: readonly DaemonFigures[];
  /** The unit of all latencies. */
  readonly unit: Axis['unit'];
  /** Daemons that are not in the sums, as their axes differ. */
  readonly leftOut: readonly string[];
  /** Daemons that answer, and count no operations of an OSD. */
  readonly others: readonly string[];
}

/** The kinds of operations of an OSD. Those that read and write are in two histograms; one of them is enough. */
const KINDS: Readonly<Record<string, string>> = {
  op_r_latency_out_bytes_histogram: 'reads',
  op_w_latency_in_bytes_histogram: 'writes',
  op_rw_latency_in_bytes_histogram: 'read-writes',
};

const LOGGER = 'osd';

/** What the figures show. */
export interface OperationOptions {
  readonly percentiles: readonly number[];
  /** The bounds of the classes of sizes, in bytes, ascending. */
  readonly sizes: readonly number[];
}

/** Counts that can be added up. */
interface Part {
  readonly histogram: PerfHistogram;
  /** The sum of the latencies. */
  readonly sum: SumBounds | undefined;
  readonly ratePerSec: number;
}

/**
 * Computes the figures of an interval.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when a bound of sizes is not that of a slot.
 */
export function summarizeOperations(
  { daemons }: ClusterInterval,
  options: OperationOptions,
): OperationFigures {
  const leftOut = new Set<string>();
  const members = daemons.flatMap((daemon) =>
    daemon.increases.filter(isShown).map((increase) => ({ daemon, increase })),
  );
  const kinds = Object.entries(KINDS).flatMap(([counter, kind]): KindFigures[] => {
    const own = members.filter(({ increase }) => increase.counter === counter);
    const total = addUp(
      own.map(({ daemon, increase }) => ({ daemon: daemon.name, part: partOf(increase, daemon) })),
      leftOut,
    );
    if (total === undefined) return [];
    const figures = figuresOf(total, options.percentiles);
    return [{ kind, counter, ...figures, sizes: sizesOf(total, figures, options) }];
  });
  const latencies = members.map(({ daemon, increase }) => ({
    daemon: daemon.name,
    part: latencyOf(partOf(increase, daemon)),
  }));
  const all = addUp(latencies, leftOut);
  const daemonFigures = (
    { name, ageSeconds = 0 }: DaemonInterval,
    { seconds, increases }: Pick<DaemonInterval, 'seconds' | 'increases'>,
  ): DaemonFigures[] => {
    const parts = increases
      .filter(isShown)
      .map((increase) => ({ daemon: name, part: latencyOf(partOf(increase, { seconds })) }));
    const own = addUp(parts, leftOut);
    const figures = own && figuresOf(own, options.percentiles);
    if (figures === undefined || figures.count === 0n) return [];
    return [{ daemon: name, seconds, ageSeconds, ...figures }];
  };
  const late = daemons.flatMap((daemon) => (daemon.last ? daemonFigures(daemon, daemon.last) : []));
  return {
    all: all === undefined ? NOTHING : figuresOf(all, options.percentiles),
    kinds,
    slowest: daemons.flatMap((daemon) => daemonFigures(daemon, daemon)).sort(bySlowness),
    late: late.sort(bySlowness),
    unit: all?.histogram.axes[0]?.unit ?? late[0]?.facts?.axis.unit,
    leftOut: [...leftOut],
    others: daemons
      .filter(({ increases }) => increases.length > 0 && !increases.some(isShown))
      .map(({ name }) => name),
  };
}

const NOTHING: LatencyFigures = { count: 0n, ratePerSec: 0, facts: undefined };

function isShown({ logger, counter, histogram: { axes } }: ImportedIncrease): boolean {
  const isKnown = logger === LOGGER && Object.hasOwn(KINDS, counter);
  return isKnown && axes.length === 2 && axisAt(axes, 'time') >= 0 && axisAt(axes, 'bytes') >= 0;
}

function axisAt(axes: readonly Axis[], what: 'time' | 'bytes'): number {
  return axes.findIndex(({ unit = 'none' }) => (what === 'bytes' ? unit === 'bytes' : TIMES.includes(unit)));
}

const TIMES: readonly string[] = ['ns', 'us', 'ms', 's'];

function partOf(
  { histogram, measured }: ImportedIncrease,
  { seconds }: Pick<DaemonInterval, 'seconds'>,
): Part {
  const ratePerSec = seconds > 0 ? Number(countValues({ histogram })) / seconds : 0;
  return { histogram, sum: measured?.[axisAt(histogram.axes, 'time')], ratePerSec };
}

/** The latencies alone. */
function latencyOf({ histogram, ...rest }: Part): Part {
  return { histogram: histogram.slice({ axis: axisAt(histogram.axes, 'bytes') }), ...rest };
}

/** The sum of parts; `undefined` when there are none. A part whose axes differ from those of the first one is left out. */
function addUp(
  parts: readonly { readonly daemon: string; readonly part: Part }[],
  leftOut: Set<string>,
): Part | undefined {
  const [first, ...others] = parts;
  if (first === undefined) return undefined;
  const histogram = first.part.histogram.copy();
  let { sum, ratePerSec } = first.part;
  for (const { daemon, part } of others) {
    try {
      histogram.add(part.histogram);
    } catch (error) {
      if (!(error instanceof HdrscopeError && error.code === 'ERR_INCOMPATIBLE')) throw error;
      leftOut.add(daemon);
      continue;
    }
    sum = sumOfBoth(sum, part.sum);
    ratePerSec += part.ratePerSec;
  }
  return { histogram, sum, ratePerSec };
}

function sumOfBoth(a: SumBounds | undefined, b: SumBounds | undefined): SumBounds | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { lower: plus(a.lower, b.lower), upper: plus(a.upper, b.upper), value: plus(a.value, b.value) };
}

function figuresOf(
  { histogram, sum, ratePerSec }: Part,
  percentiles: readonly number[],
  where: readonly ValueRange[] = [],
): LatencyFigures {
  const at = axisAt(histogram.axes, 'time');
  const measured = sum === undefined ? {} : { measured: histogram.axes.map(() => sum) };
  const facts = measureAxis({ histogram, sums: undefined, ...measured }, at, percentiles, where);
  const count = where.length === 0 ? countValues({ histogram }) : BigInt(facts.count ?? 0);
  return { count, ratePerSec, facts: count === 0n ? undefined : facts };
}

function sizesOf(
  total: Part,
  { count, ratePerSec }: LatencyFigures,
  { sizes, percentiles }: OperationOptions,
): SizeFigures[] {
  if (count === 0n) return [];
  const axis = axisAt(total.histogram.axes, 'bytes');
  return Array.from({ length: sizes.length + 1 }, (_, i): SizeFigures => {
    const [from, to] = [sizes[i - 1], sizes[i]];
    const where = { axis, ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    const figures = figuresOf(total, percentiles, [where]);
    // A class does not know the seconds of each daemon, so its rate is its share of the rate of all.
    return { from, to, ...figures, ratePerSec: (Number(figures.count) / Number(count)) * ratePerSec };
  }).filter((one) => one.count > 0n);
}

/** The slowest first: by the last percentile, then by the mean. */
export function bySlowness(a: LatencyFigures, b: LatencyFigures): number {
  return slowness(b) - slowness(a) || meanOf(b) - meanOf(a);
}

function slowness({ facts }: LatencyFigures): number {
  return facts?.percentiles.at(-1)?.lower ?? Number.NEGATIVE_INFINITY;
}

function meanOf({ facts }: LatencyFigures): number {
  return facts === undefined ? 0 : (facts.mean.lower + facts.mean.upper) / 2;
}
