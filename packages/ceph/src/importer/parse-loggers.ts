import { assertOptions, type OptionsOwner } from '@hdrscope/core/internal';
import type { HistogramCounter, HistogramLogger } from '../dump/loggers.ts';
import { readDocuments } from './documents.ts';
import { asObject } from './fields.ts';
import { type ParseDumpOptions, parseHistogramDump } from './parse-dump.ts';

/** The loggers of a daemon's dump. */
export interface ImportedLoggers {
  /** The daemon, when the text names it: `osd.0`. */
  readonly daemon: string | undefined;
  /** All loggers of the dump, including those without histograms. */
  readonly loggers: readonly HistogramLogger[];
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
  assertOptions(options, PARSE_HISTOGRAM_LOGGERS);
  const counters = new Map<string, HistogramCounter[]>();
  for (const { daemon, logger, counter, histogram, sums } of parseHistogramDump(text, options)) {
    const key = JSON.stringify([daemon, logger]);
    const group = counters.get(key) ?? [];
    counters.set(key, group);
    group.push({ name: counter, histogram, ...(sums && { sums }) });
  }
  // Only the names are used, so rounded integers do no harm.
  return readDocuments(text, options, false).map(({ daemon, json }) => ({
    daemon,
    loggers: Object.keys(asObject(json, 'a dump'))
      .filter((name) => options.logger === undefined || name === options.logger)
      .map((name) => ({ name, counters: counters.get(JSON.stringify([daemon, name])) ?? [] })),
  }));
}

const PARSE_HISTOGRAM_LOGGERS: OptionsOwner<ParseDumpOptions> = {
  name: 'parseHistogramLoggers',
  names: { logger: true, counter: true, maxLength: true, maxElements: true, lenient: true, units: true },
  call: "parseHistogramLoggers(text, { logger: 'osd' })",
};
