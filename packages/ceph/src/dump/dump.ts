import { HdrscopeError } from '@hdrscope/core';
import { type Axis, type AxisUnit, axisRanges } from '../histogram/axis.ts';
import { type DocumentObject, toPlain } from './document.ts';
import { type CephFormat, formatDocument } from './format.ts';
import { type HistogramCounter, type HistogramLogger, type PerfFilter, selectLoggers } from './loggers.ts';
import { assertRelease, type CephRelease } from './release.ts';

/** What is dumped, and how. */
export interface HistogramDumpOptions extends PerfFilter {
  /** @default 'tentacle' */
  readonly release?: CephRelease;
}

/** How a dump is written. */
export interface HistogramDumpTextOptions extends HistogramDumpOptions {
  /** @default 'json-pretty' */
  readonly format?: CephFormat;
}

/** Cells, one level of arrays for each axis. */
export type DumpedValues = readonly (number | bigint | DumpedValues)[];

/** An axis in a dump. Bounds above 2^53 are bigints. */
export interface DumpedAxis {
  readonly name: string;
  readonly min: number;
  readonly quant_size: number;
  readonly buckets: number;
  readonly scale_type: string;
  readonly unit?: string;
  readonly ranges: readonly { readonly min?: number | bigint; readonly max?: number | bigint }[];
}

/** A histogram in a dump. Counts above 2^53 are bigints. */
export interface DumpedHistogram {
  readonly axes: readonly DumpedAxis[];
  readonly sum?: readonly (number | bigint)[];
  readonly values: DumpedValues;
}

/** What `perf histogram dump` answers: histograms by logger and counter. */
export type HistogramDump = Readonly<Record<string, Readonly<Record<string, DumpedHistogram>>>>;

/** The root element of Ceph's XML. */
export const ROOT = 'perfcounter_collection';

/**
 * What `perf histogram dump` answers, as objects. In these, as in all of JavaScript, names such as `12` come first;
 * `formatHistogramDump` keeps them in their place.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when names are not unique, or an axis is one that the release does not have.
 */
export function histogramDump(
  loggers: readonly HistogramLogger[],
  options: HistogramDumpOptions = {},
): HistogramDump {
  return toPlain(dumpDocument(loggers, options)) as HistogramDump;
}

/**
 * What `perf histogram dump` answers, byte for byte. Counts are exact up to 2^64 − 1. A filter that fits nothing is no
 * error: an unknown logger gives `{}`, an unknown counter loggers without any.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` as `histogramDump` does.
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
  return formatDocument(dumpDocument(loggers, options), ROOT, options.format ?? 'json-pretty');
}

/** Loggers with what is told of each of their counters. */
export function loggersDocument(
  loggers: readonly HistogramLogger[],
  filter: PerfFilter,
  documentOf: (counter: HistogramCounter, path: string) => DocumentObject,
): DocumentObject {
  return {
    entries: selectLoggers(loggers, filter).map(({ name, counters }) => [
      name,
      { entries: counters.map((one) => [one.name, documentOf(one, `${name}.${one.name}`)]) },
    ]),
  };
}

function dumpDocument(
  loggers: readonly HistogramLogger[],
  { release = 'tentacle', ...filter }: HistogramDumpOptions,
): DocumentObject {
  assertRelease(release);
  // Most histograms of a daemon have the same axes, and those are most of the text.
  const written = new Map<string, DocumentObject>();
  const axisOnce = (axis: Axis, path: string): DocumentObject => {
    const key = JSON.stringify({ ...axis, edges: axis.edges?.map(String) });
    const document = written.get(key) ?? axisDocument(axis, release, path);
    written.set(key, document);
    return document;
  };
  return loggersDocument(loggers, filter, ({ histogram, sums }, path) => ({
    entries: [
      ['axes', { items: histogram.axes.map((axis) => axisOnce(axis, path)), itemName: 'axis' }],
      ...(release === 'next' && sums ? [['sum', { items: sums, itemName: 'value' }] as const] : []),
      ['values', { cells: histogram.cells, lengths: histogram.layouts.map(({ slotCount }) => slotCount) }],
    ],
  }));
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
  const ranges = axisRanges(axis).map(
    ({ min: from, max: to }): DocumentObject => ({
      entries: [
        ...(from === undefined ? [] : [['min', from] as const]),
        ...(to === undefined ? [] : [['max', to] as const]),
      ],
    }),
  );
  return {
    isRepeated: true,
    entries: [
      ['name', name],
      ['min', min],
      ['quant_size', quantSize],
      ['buckets', buckets],
      ['scale_type', scale],
      ...(release === 'next' ? [['unit', UNIT_NAMES[unit]] as const] : []),
      ['ranges', { items: ranges, itemName: 'bucket' }],
    ],
  };
}
