import { HdrscopeError, mustBe } from '@hdrscope/core';
import { type DocumentOptions, readDocuments, type TextDocument } from './documents.ts';
import { asArray, asInteger, asObject } from './fields.ts';
import type { Json, JsonObject } from './json.ts';
import { type ImportedHistogram, type ReadOptions, readHistogram } from './read-histogram.ts';

/** How a dump is read. */
export interface ParseDumpOptions extends DocumentOptions, ReadOptions {
  /** Only the logger of this name. @default all */
  readonly logger?: string;
  /** Only counters of this name. @default all */
  readonly counter?: string;
}

// Telemetry does not tell it: it collects from this one only.
const TELEMETRY_LOGGER = 'osd';
const TELEMETRY = 'osd_perf_histograms';

/**
 * Reads histograms from what daemons dump: `perf histogram dump` in pretty or compact JSON, with lines of other text
 * around it; what `ceph tell osd.*` prints, a dump for each daemon; a telemetry report. Counts are exact up to 2^64 − 1.
 * Keys that are not known are passed over. What is refused is named by logger, counter and path.
 *
 * @throws HdrscopeError `ERR_DECODE` when the text is no dump, `ERR_TOO_LARGE` when it is longer than `maxLength`.
 * @example
 * ```ts
 * import { parseHistogramDump } from '@hdrscope/ceph';
 *
 * const [reads] = parseHistogramDump(`{"osd":{"op_r":{"axes":[{"name":"Latency (usec)","min":0,"quant_size":100000,
 *   "buckets":4,"scale_type":"log2"}],"values":[0,7,2,1]}}}`);
 * reads!.histogram.quantile(0, 0.5); //=> { value: 50000, lower: 0, upper: 100000, open: false }
 * [reads!.histogram.axes[0]!.unit, reads!.unitSources]; //=> ['ns', ['known-mislabel']]
 * ```
 */
export function parseHistogramDump(text: string, options: ParseDumpOptions = {}): ImportedHistogram[] {
  const read = (isExact: boolean): ImportedHistogram[] =>
    readDocuments(text, options, isExact).flatMap((document) => readDocument(document, options));
  try {
    return read(false);
  } catch (error) {
    // Rounded integers are not taken for counts or bounds: the few dumps that have some are read again.
    const isDecode = error instanceof HdrscopeError && error.code === 'ERR_DECODE';
    if (isDecode && typeof text === 'string' && LONG_NUMBER.test(text)) return read(true);
    throw error;
  }
}

const LONG_NUMBER = /\d{16}/;

function readDocument({ daemon, json }: TextDocument, options: ParseDumpOptions): ImportedHistogram[] {
  const fields = asObject(json, 'a dump');
  const report = fields.report === undefined ? fields : asObject(fields.report, 'report');
  if (report[TELEMETRY] !== undefined) return readTelemetry(report[TELEMETRY], options);
  return Object.entries(fields)
    .filter(([logger]) => isAsked(logger, options.logger))
    .flatMap(([logger, counters]) =>
      Object.entries(asObject(counters, pathOf(daemon, logger)))
        .filter(([counter]) => isAsked(counter, options.counter))
        .map(([counter, histogram]) => readHistogram(histogram, { daemon, logger, counter }, options)),
    );
}

/** For each configuration of axes, the counters, and of each the values of every OSD, or of all together. */
function readTelemetry(json: Json, options: ParseDumpOptions): ImportedHistogram[] {
  if (!isAsked(TELEMETRY_LOGGER, options.logger)) return [];
  return asArray(json, TELEMETRY).flatMap((counters, i) =>
    Object.entries(asObject(counters, `${TELEMETRY}[${i}]`))
      .filter(([counter]) => isAsked(counter, options.counter))
      .flatMap(([counter, entry]) =>
        readTelemetryEntry(asObject(entry, `${TELEMETRY}[${i}].${counter}`), counter, options),
      ),
  );
}

function readTelemetryEntry(
  entry: JsonObject,
  counter: string,
  options: ParseDumpOptions,
): ImportedHistogram[] {
  const logger = TELEMETRY_LOGGER;
  if (entry.osds === undefined)
    return [readHistogram(entry, { daemon: undefined, logger, counter }, options)];
  const path = `${TELEMETRY}.${counter}.osds`;
  return asArray(entry.osds, path).map((one, i) => {
    const { osd_id: id, values } = asObject(one, `${path}[${i}]`);
    const daemon = `osd.${asInteger(id, `${path}[${i}].osd_id`)}`;
    if (values === undefined) throw mustBe('ERR_DECODE', `${path}[${i}].values`, 'an array', values);
    return readHistogram({ axes: entry.axes!, values }, { daemon, logger, counter }, options);
  });
}

function isAsked(name: string, wanted: string | undefined): boolean {
  return wanted === undefined || name === wanted;
}

function pathOf(daemon: string | undefined, logger: string): string {
  return daemon === undefined ? logger : `${daemon}.${logger}`;
}
