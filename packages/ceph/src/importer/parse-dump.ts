import { HdrscopeError } from '@hdrscope/core';
import {
  mustBe,
  object,
  type RulesFor,
  readOptions,
  type Settings,
  withDefault,
} from '@hdrscope/core/internal';
import { Budget } from '@hdrscope/kit';
import {
  FILTER_RULES,
  type HistogramCounter,
  type HistogramLogger,
  type PerfFilter,
} from '../dump/loggers.ts';
import {
  DOCUMENT_RULES,
  type DocumentOptions,
  readAnswer,
  readDocuments,
  type TextDocument,
} from './documents.ts';
import { asArray, asInteger, asObject, isHistogram, labelledCounters, pathOf } from './fields.ts';
import type { Json, JsonObject } from './json.ts';
import type { UnitOverrides } from './read-axis.ts';
import { type ImportedHistogram, type ReadHistogramOptions, readHistogram } from './read-histogram.ts';

/** The options for reading a dump. */
export interface ParseDumpOptions extends DocumentOptions, ReadHistogramOptions, PerfFilter {}

/** The rules of `ParseDumpOptions`. */
export const PARSE_DUMP_RULES: RulesFor<ParseDumpOptions, 'logger' | 'counter' | 'maxElements'> = {
  ...DOCUMENT_RULES,
  ...FILTER_RULES,
  units: withDefault(object<UnitOverrides>(), {}),
};

/** Checked `ParseDumpOptions`, with their defaults. */
export type ParseDumpSettings = Settings<ParseDumpOptions, 'maxElements' | 'logger' | 'counter'>;

// Telemetry does not name the logger, as it collects from this one only.
const TELEMETRY_LOGGER = 'osd';
const TELEMETRY = 'osd_perf_histograms';

/**
 * Reads the histograms of a dump: the answer to `perf histogram dump` in JSON or XML, pretty or compact; several of them, with or without
 * line ends between them; the output of `ceph tell osd.*`, a dump for each daemon; or a telemetry report. Counts are exact up to 2^64 − 1.
 * Unknown keys are ignored. An error names the logger, the counter and the path.
 *
 * Every byte is read. Lines that cannot be a part of a dump, such as those of a terminal, are skipped, and `notes` has the first of them. All
 * other text refuses the whole text: a dump that is cut at its end or its beginning, and text on the line of a dump.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range; `ERR_DECODE` when the text is not a dump;
 *   `ERR_TOO_LARGE` when it is longer than `maxLength`, has more than `maxElements`, or its histograms have more than 2^23
 *   cells besides those that are written in the text.
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
  return parseDump(text, readOptions(options, PARSE_HISTOGRAM_DUMP));
}

const PARSE_HISTOGRAM_DUMP = {
  name: 'parseHistogramDump',
  rules: PARSE_DUMP_RULES,
  call: "parseHistogramDump(text, { logger: 'osd' })",
};

/** Reads the histograms of a dump, with options that are checked. */
export function parseDump(text: string, settings: ParseDumpSettings): ImportedHistogram[] {
  const dumps = parseDumps(text, settings);
  const [first, ...others] = dumps.flatMap(({ histograms }) => histograms);
  if (first === undefined) return [];
  return [{ ...first, notes: [...dumps[0]!.notes, ...first.notes] }, ...others];
}

/** A document of a text, and what was read from it. */
interface ParsedDump extends TextDocument {
  readonly histograms: readonly ImportedHistogram[];
  readonly notes: readonly string[];
}

function parseDumps(text: string, settings: ParseDumpSettings): ParsedDump[] {
  const read = (isExact: boolean): ParsedDump[] => {
    const { documents, notes } = readDocuments(text, settings, isExact);
    const cells = new Budget('the cells of all histograms', { elements: MOST_UNWRITTEN_CELLS + text.length });
    const asked: DumpQuestion = { ...settings, cells };
    return documents.map((document) => ({ ...document, histograms: readDocument(document, asked), notes }));
  };
  try {
    return read(false);
  } catch (error) {
    // Rounded integers are refused as counts and bounds. The few dumps that have long integers are read again, exactly.
    const isDecode = error instanceof HdrscopeError && error.code === 'ERR_DECODE';
    if (isDecode && typeof text === 'string' && LONG_NUMBER.test(text)) return read(true);
    throw error;
  }
}

const LONG_NUMBER = /\d{16}/;

// A lenient text may leave out rows: a short one could ask for any number of large histograms.
const MOST_UNWRITTEN_CELLS = 2 ** 23;

/** The histograms that are asked for, and how many cells they may have. */
interface DumpQuestion extends ParseDumpSettings {
  readonly cells: Budget;
}

function readDocument({ daemon, json }: TextDocument, options: DumpQuestion): ImportedHistogram[] {
  const fields = asObject(json, 'a dump');
  const report = fields.report === undefined ? fields : asObject(fields.report, 'report');
  if (report[TELEMETRY] !== undefined) return readTelemetry(report[TELEMETRY], options);
  const read = (): ImportedHistogram[] => {
    assertHistograms(fields, daemon);
    return Object.entries(fields)
      .filter(([logger]) => isAsked(logger, options.logger))
      .flatMap(([logger, counters]) =>
        labelledCounters(counters, pathOf(daemon, logger)).flatMap(({ labels, counters: all }) =>
          Object.entries(all)
            // An answer with labels has the plain counters of a logger beside its histograms.
            .filter(
              ([counter, one]) =>
                isAsked(counter, options.counter) && (!Array.isArray(counters) || isHistogram(one)),
            )
            .map(([counter, one]) => readHistogram(one, { daemon, logger, labels, counter }, options)),
        ),
      );
  };
  return readAnswer('perf histogram dump', fields, read);
}

/**
 * Releases up to Tentacle leave out histograms in the answer to `counter dump`, and a proposal has them there. Source:
 * `PerfCounters::dump_formatted_generic` in `src/common/perf_counters.cc` of Ceph, and https://github.com/ceph/ceph/pull/70827.
 *
 * @throws HdrscopeError `ERR_DECODE` when labelled counters have no histogram.
 */
function assertHistograms(fields: JsonObject, daemon: string | undefined): void {
  const labelled = Object.entries(fields).filter(([, counters]) => Array.isArray(counters));
  const all = labelled.flatMap(([logger, counters]) => labelledCounters(counters, pathOf(daemon, logger)));
  if (all.length === 0 || all.some(({ counters }) => Object.values(counters).some(isHistogram))) return;
  throw new HdrscopeError('ERR_DECODE', 'labelled counters must have histograms, got none');
}

/** A report lists counters for each configuration of axes, and for each counter the values of every OSD, or of all together. */
function readTelemetry(json: Json, options: DumpQuestion): ImportedHistogram[] {
  if (!isAsked(TELEMETRY_LOGGER, options.logger)) return [];
  return asArray(json, TELEMETRY).flatMap((counters, i) =>
    Object.entries(asObject(counters, `${TELEMETRY}[${i}]`))
      .filter(([counter]) => isAsked(counter, options.counter))
      .flatMap(([counter, entry]) =>
        readTelemetryEntry(asObject(entry, `${TELEMETRY}[${i}].${pathOf(counter)}`), counter, options),
      ),
  );
}

function readTelemetryEntry(entry: JsonObject, counter: string, options: DumpQuestion): ImportedHistogram[] {
  const logger = TELEMETRY_LOGGER;
  if (entry.osds === undefined)
    return [readHistogram(entry, { daemon: undefined, logger, counter }, options)];
  const path = `${pathOf(TELEMETRY, counter)}.osds`;
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

/** The loggers of a daemon's dump. */
export interface ImportedLoggers {
  /** The daemon, when the text names it: `osd.0`. */
  readonly daemon: string | undefined;
  /** All loggers of the dump, including those without histograms. */
  readonly loggers: readonly HistogramLogger[];
  /** What else the text has, as sentences. */
  readonly notes: readonly string[];
}

/**
 * Reads a dump as loggers, from which `formatHistogramDump` writes the dump of a daemon of Ceph again, byte for byte. It
 * reads the same texts as `parseHistogramDump`, except for telemetry reports, which have no loggers.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range; as `parseHistogramDump` does.
 * @example
 * ```ts
 * import { formatHistogramDump, parseHistogramLoggers } from '@hdrscope/ceph';
 *
 * const text = '{"cct":{},"osd":{"op_r":{"axes":[{"name":"x","min":0,"quant_size":8,"buckets":2,"scale_type":"linear",' +
 *   '"ranges":[{"max":-1},{"min":0}]}],"values":[0,18446744073709551615]}}}';
 * const [{ loggers }] = parseHistogramLoggers(text) as [ReturnType<typeof parseHistogramLoggers>[0]];
 * formatHistogramDump(loggers, { format: 'json' }) === text; //=> true
 * ```
 */
export function parseHistogramLoggers(text: string, options: ParseDumpOptions = {}): ImportedLoggers[] {
  const settings = readOptions(options, PARSE_HISTOGRAM_LOGGERS);
  return parseDumps(text, settings).map(({ daemon, json, histograms, notes }) => {
    const counters = new Map<string, HistogramCounter[]>();
    for (const { logger, counter, histogram, sums } of histograms) {
      const group = counters.get(logger) ?? [];
      counters.set(logger, group);
      group.push({ name: counter, histogram, ...(sums && { sums }) });
    }
    const loggers = Object.keys(asObject(json, 'a dump'))
      .filter((name) => isAsked(name, settings.logger))
      .map((name) => ({ name, counters: counters.get(name) ?? [] }));
    return { daemon, loggers, notes };
  });
}

const PARSE_HISTOGRAM_LOGGERS = {
  name: 'parseHistogramLoggers',
  rules: PARSE_DUMP_RULES,
  call: "parseHistogramLoggers(text, { logger: 'osd' })",
};
