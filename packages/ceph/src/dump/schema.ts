import { assertOptions, mustBe, type OptionsOwner } from '@hdrscope/core/internal';
import { type DocumentObject, type DocumentValue, toPlain } from './document.ts';
import { loggersDocument } from './dump.ts';
import { type CephFormat, formatDocument } from './format.ts';
import type { HistogramCounter, HistogramLogger } from './loggers.ts';

/** The description of a histogram in a schema. */
export interface DescribedHistogram {
  /** The sum of three bits: 16 for a histogram, 8 for a counter, 2 for an integer. */
  readonly type: number;
  readonly metric_type: string;
  readonly value_type: string;
  readonly description: string;
  readonly nick: string;
  readonly priority: number;
  readonly units: string;
}

/** The answer to `perf histogram schema`: descriptions by logger and counter, without the axes. */
export type HistogramSchema = Readonly<Record<string, Readonly<Record<string, DescribedHistogram>>>>;

/** The options of a schema as text. */
export interface HistogramSchemaTextOptions {
  /** @default 'json-pretty' */
  readonly format?: CephFormat;
}

const TYPE = 0x10 | 0x08 | 0x02;
const DEFAULT_PRIORITY = 5;
const HIGHEST_PRIORITY = 10;

/**
 * The answer to `perf histogram schema`, as objects.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when two names are equal, or a priority is outside [0, 10].
 */
export function histogramSchema(loggers: readonly HistogramLogger[]): HistogramSchema {
  return toPlain(schemaDocument(loggers)) as HistogramSchema;
}

/**
 * The answer to `perf histogram schema`, byte for byte.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` as `histogramSchema` does, or when the format is unknown.
 */
export function formatHistogramSchema(
  loggers: readonly HistogramLogger[],
  options: HistogramSchemaTextOptions = {},
): string {
  assertOptions(options, FORMAT_HISTOGRAM_SCHEMA);
  const { format = 'json-pretty' } = options;
  return formatDocument(schemaDocument(loggers), format);
}

const FORMAT_HISTOGRAM_SCHEMA: OptionsOwner<HistogramSchemaTextOptions> = {
  name: 'formatHistogramSchema',
  names: { format: true },
  call: "formatHistogramSchema(loggers, { format: 'json' })",
};

function schemaDocument(loggers: readonly HistogramLogger[]): DocumentObject {
  return loggersDocument(loggers, {}, describe);
}

function describe(counter: HistogramCounter, path: string): DocumentObject {
  const { histogram, description = '', nick = '', priority = DEFAULT_PRIORITY } = counter;
  if (!Number.isInteger(priority) || priority < 0 || priority > HIGHEST_PRIORITY) {
    throw mustBe('ERR_INVALID_OPTION', `${path}: priority`, 'an integer from 0 to 10', priority);
  }
  return new Map<string, DocumentValue>([
    ['type', TYPE],
    ['metric_type', counter.metricType ?? 'counter'],
    ['value_type', `integer-${histogram.axes.length}d-histogram`],
    ['description', description],
    ['nick', nick],
    ['priority', priority],
    ['units', counter.units ?? 'none'],
  ]);
}
