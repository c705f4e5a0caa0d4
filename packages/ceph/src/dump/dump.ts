import { HdrscopeError } from '@hdrscope/core';
import { type OptionRules, readOptions, type SettingsOf } from '@hdrscope/core/internal';
import type { AxisUnit } from '@hdrscope/core/joint';
import { type Axis, axisRanges } from '../histogram/axis.ts';
import type { PerfHistogram } from '../histogram/perf-histogram.ts';
import { CellTable, type DocumentObject, type DocumentValue, RepeatedPart, toPlain } from './document.ts';
import { type CephFormat, FORMAT_RULES, formatDocument } from './format.ts';
import {
  assertLoggers,
  type CephRelease,
  FILTER_RULES,
  type HistogramCounter,
  type HistogramLogger,
  type PerfFilter,
  RELEASE_RULES,
  selectLoggers,
} from './loggers.ts';

/** Which histograms a dump has, and the release that it is written for. */
export interface HistogramDumpOptions extends PerfFilter {
  /** The release of Ceph that writes such a dump. @default 'tentacle' */
  readonly release?: CephRelease;
}

/** The options of a dump as text. */
export interface HistogramDumpTextOptions extends HistogramDumpOptions {
  /** JSON or XML, pretty or compact. @default 'json-pretty' */
  readonly format?: CephFormat;
}

/** Cells: one level of arrays for each axis. */
export type DumpedValues = readonly (number | bigint | DumpedValues)[];

/** An axis in a dump. Bounds beyond 2^53 − 1 are bigints. */
export interface DumpedAxis {
  /** Name of the axis, such as `Latency (usec)`. */
  readonly name: string;
  /** Lower bound of the first slot after the underflow, in the unit of the axis. */
  readonly min: number;
  /** Width of the first slot after the underflow, in the unit of the axis. */
  readonly quant_size: number;
  /** How many slots, underflow and overflow included. */
  readonly buckets: number;
  /** `linear`, `log2` or `explicit`. */
  readonly scale_type: string;
  /** Unit of the values; only dumps of the release `'next'` have it. */
  readonly unit?: string;
  /** Bounds of every slot, both included. The underflow has no `min`, the overflow no `max`. */
  readonly ranges: readonly { readonly min?: number | bigint; readonly max?: number | bigint }[];
}

/** A histogram in a dump. Counts beyond 2^53 − 1 are bigints. */
export interface DumpedHistogram {
  /** The axes, in the order in which `values` is nested. */
  readonly axes: readonly DumpedAxis[];
  /** The sum of the values of each axis. A negative sum is 2^64 more, as in Ceph. */
  readonly sum?: readonly (number | bigint)[];
  /** The count of each cell: one level of arrays for each axis. */
  readonly values: DumpedValues;
}

/** The answer to `perf histogram dump`: histograms by logger and counter. */
export type HistogramDump = Readonly<Record<string, Readonly<Record<string, DumpedHistogram>>>>;

/**
 * The answer to `perf histogram dump`, as objects. JavaScript moves names such as `12` to the front of an object;
 * `formatHistogramDump` keeps them in their place.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist, two names are equal, or the release does not
 *   have such an axis.
 */
export function histogramDump(
  loggers: readonly HistogramLogger[],
  options: HistogramDumpOptions = {},
): HistogramDump {
  assertLoggers(loggers);
  return toPlain(dumpDocument(loggers, readOptions(options, HISTOGRAM_DUMP))) as HistogramDump;
}

const DUMP_RULES = { ...RELEASE_RULES, ...FILTER_RULES } satisfies OptionRules<HistogramDumpOptions>;

const HISTOGRAM_DUMP = {
  name: 'histogramDump',
  rules: DUMP_RULES,
  call: "histogramDump(loggers, { release: 'next' })",
};

/**
 * The answer to `perf histogram dump`, byte for byte. Counts are exact up to 2^64 − 1. A filter that matches nothing is no
 * error: an unknown logger gives `{}`, an unknown counter gives loggers without counters.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` as `histogramDump` does, or when the format is unknown.
 * @example
 * ```ts
 * import { formatHistogramDump, PerfHistogram } from '@hdrscope/ceph';
 *
 * const depth = new PerfHistogram([{ name: 'Depth', scale: 'linear', min: 0, quantSize: 8, buckets: 3 }]);
 * depth.record(3);
 * const loggers = [{ name: 'queue', counters: [{ name: 'depth', histogram: depth }] }];
 * formatHistogramDump(loggers, { release: 'next', format: 'xml' }).endsWith(
 *   '<values><value>0</value><value>1</value><value>0</value></values></depth></queue></perfcounter_collection>',
 * ); //=> true
 * formatHistogramDump(loggers, { logger: 'queue', counter: 'nope', format: 'json' }); //=> '{"queue":{}}'
 * ```
 */
export function formatHistogramDump(
  loggers: readonly HistogramLogger[],
  options: HistogramDumpTextOptions = {},
): string {
  assertLoggers(loggers);
  const { format, ...settings } = readOptions(options, FORMAT_HISTOGRAM_DUMP);
  return formatDocument(dumpDocument(loggers, settings), format);
}

const FORMAT_HISTOGRAM_DUMP = {
  name: 'formatHistogramDump',
  rules: { ...FORMAT_RULES, ...DUMP_RULES },
  call: "formatHistogramDump(loggers, { format: 'json' })",
};

/** The selected loggers and counters, with one document for each counter. */
export function loggersDocument(
  loggers: readonly HistogramLogger[],
  filter: PerfFilter,
  documentOf: (counter: HistogramCounter, path: string) => DocumentObject,
): DocumentObject {
  return new Map(
    selectLoggers(loggers, filter).map(({ name, counters }) => [
      name,
      new Map(counters.map((one) => [one.name, documentOf(one, `${name}.${one.name}`)])),
    ]),
  );
}

function dumpDocument(
  loggers: readonly HistogramLogger[],
  { release, ...filter }: SettingsOf<HistogramDumpOptions, typeof DUMP_RULES>,
): DocumentObject {
  // Most histograms of a daemon have the same axes, and the axes are most of the text.
  const parts = new Map<string, RepeatedPart>();
  const axisPart = (axis: Axis, path: string): RepeatedPart => {
    const key = JSON.stringify({ ...axis, edges: axis.edges?.map(String) });
    const part = parts.get(key) ?? new RepeatedPart(axisDocument(axis, release, path));
    parts.set(key, part);
    return part;
  };
  return loggersDocument(loggers, filter, ({ histogram, sums = recordedSums(histogram) }, path) => {
    const { axes, cells, layouts } = histogram;
    const document: DocumentObject = new Map();
    document.set(
      'axes',
      axes.map((axis) => axisPart(axis, path)),
    );
    if (release === 'next' && sums !== undefined) document.set('sum', sums.map(inUnsignedBits));
    const lengths = layouts.map(({ slotCount }) => slotCount);
    return document.set('values', new CellTable(cells, lengths));
  });
}

/** The sums of a histogram that has recorded all of its values; `undefined` otherwise. */
function recordedSums(histogram: PerfHistogram): bigint[] | undefined {
  const sums = histogram.axes.map((_, at) => histogram.sum(at) ?? Number.NaN);
  return sums.every(Number.isFinite) ? sums.map((sum) => BigInt(Math.round(sum))) : undefined;
}

/** Ceph keeps sums in 64 bits without a sign, so a negative sum is written as its two's complement. */
function inUnsignedBits(sum: bigint): bigint {
  return sum < 0n ? BigInt.asUintN(64, sum) : sum;
}

const UNIT_NAMES: Readonly<Record<AxisUnit, string>> = {
  ns: 'nanoseconds',
  us: 'microseconds',
  ms: 'milliseconds',
  s: 'seconds',
  bytes: 'bytes',
  none: 'none',
};

function axisDocument(axis: Axis, release: CephRelease, path: string): DocumentObject {
  const { name, scale, min, quantSize, buckets, unit = 'none' } = axis;
  if (scale === 'explicit' && release !== 'next') {
    throw new HdrscopeError(
      'ERR_INVALID_OPTION',
      `${path}: the axes of a ${release} dump must be linear or log2, got the explicit axis "${name}"`,
    );
  }
  const document: DocumentObject = new Map<string, DocumentValue>([
    ['name', name],
    ['min', min],
    ['quant_size', quantSize],
    ['buckets', buckets],
    ['scale_type', scale],
  ]);
  if (release === 'next') document.set('unit', UNIT_NAMES[unit]);
  return document.set(
    'ranges',
    axisRanges(axis).map((range) => new Map<string, bigint>(Object.entries(range))),
  );
}
