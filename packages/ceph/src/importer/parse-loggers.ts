import type { HistogramLogger } from '../dump/loggers.ts';
import { readDocuments } from './documents.ts';
import { asObject } from './fields.ts';
import { type ParseDumpOptions, parseHistogramDump } from './parse-dump.ts';

/** The loggers of a daemon's dump. */
export interface ImportedLoggers {
  /** Whose they are, where the text tells: `osd.0`. */
  readonly daemon: string | undefined;
  /** Those too that have no histograms, as dumps name them. */
  readonly loggers: readonly HistogramLogger[];
}

/**
 * Reads a dump as what `formatHistogramDump` writes again: byte for byte, where Ceph wrote it. It takes what
 * `parseHistogramDump` does, but for telemetry reports, which have no loggers.
 *
 * @throws HdrscopeError as `parseHistogramDump` does.
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
  const histograms = parseHistogramDump(text, options);
  // Names only: that large integers are rounded here does no harm.
  return readDocuments(text, options, false).map(({ daemon, json }) => ({
    daemon,
    loggers: Object.keys(asObject(json, 'a dump'))
      .filter((name) => options.logger === undefined || name === options.logger)
      .map((name) => ({
        name,
        counters: histograms
          .filter((one) => one.daemon === daemon && one.logger === name)
          .map(({ counter, histogram, sums }) => ({ name: counter, histogram, ...(sums && { sums }) })),
      })),
  }));
}
