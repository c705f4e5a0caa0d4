import { mustBe, readOptions } from '@hdrscope/core/internal';
import { type DocumentObject, type DocumentValue, toPlain } from './document.ts';
import { loggersDocument } from './dump.ts';
import { type CephFormat, FORMAT_RULES, formatDocument } from './format.ts';
import {
  assertLoggers,
  type CephRelease,
  type HistogramCounter,
  type HistogramLogger,
  RELEASE_RULES,
} from './loggers.ts';

/** The description of a histogram in a schema. */
export interface DescribedHistogram {
  /** The sum of three bits: 16 for a histogram, 8 for a counter, 2 for an integer or 1 for a time. */
  readonly type: number;
  /** `counter` or `gauge`. */
  readonly metric_type: string;
  /** Such as `integer-2d-histogram`: the kind of the values and the number of axes. */
  readonly value_type: string;
  /** For people; `''` when there is no description. */
  readonly description: string;
  /** A short name, for tables with narrow columns; `''` when there is no short name. */
  readonly nick: string;
  /** From 0 to 10. Ceph's exporter leaves out counters below 5. */
  readonly priority: number;
  /** The unit of the counter, not of its axes: `none` or `bytes`. */
  readonly units: string;
}

/** The answer to `perf histogram schema`: descriptions by logger and counter, without the axes. */
export type HistogramSchema = Readonly<Record<string, Readonly<Record<string, DescribedHistogram>>>>;

/** The release that a schema is written for. */
export interface HistogramSchemaOptions {
  /** The release of Ceph that writes such a schema. @default 'tentacle' */
  readonly release?: CephRelease;
}

/** The options of a schema as text. */
export interface HistogramSchemaTextOptions extends HistogramSchemaOptions {
  /** JSON or XML, pretty or compact. @default 'json-pretty' */
  readonly format?: CephFormat;
}

const HISTOGRAM = 0x10 | 0x08;
const INTEGER = 0x02;
const TIME = 0x01;
const DEFAULT_PRIORITY = 5;
const HIGHEST_PRIORITY = 10;

/**
 * The answer to `perf histogram schema`, as objects.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist, the release is unknown, two names are equal, or a
 *   priority is outside [0, 10].
 */
export function histogramSchema(
  loggers: readonly HistogramLogger[],
  options: HistogramSchemaOptions = {},
): HistogramSchema {
  assertLoggers(loggers);
  return toPlain(schemaDocument(loggers, readOptions(options, HISTOGRAM_SCHEMA))) as HistogramSchema;
}

const HISTOGRAM_SCHEMA = {
  name: 'histogramSchema',
  rules: RELEASE_RULES,
  call: "histogramSchema(loggers, { release: 'next' })",
};

/**
 * The answer to `perf histogram schema`, byte for byte.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` as `histogramSchema` does, or when the format is unknown.
 */
export function formatHistogramSchema(
  loggers: readonly HistogramLogger[],
  options: HistogramSchemaTextOptions = {},
): string {
  assertLoggers(loggers);
  const { format, ...settings } = readOptions(options, FORMAT_HISTOGRAM_SCHEMA);
  return formatDocument(schemaDocument(loggers, settings), format);
}

const FORMAT_HISTOGRAM_SCHEMA = {
  name: 'formatHistogramSchema',
  rules: { ...FORMAT_RULES, ...RELEASE_RULES },
  call: "formatHistogramSchema(loggers, { format: 'json' })",
};

function schemaDocument(
  loggers: readonly HistogramLogger[],
  { release }: Required<HistogramSchemaOptions>,
): DocumentObject {
  return loggersDocument(loggers, {}, (counter, path) => describe(counter, path, release));
}

function describe(counter: HistogramCounter, path: string, release: CephRelease): DocumentObject {
  const { histogram, description = '', nick = '', priority = DEFAULT_PRIORITY } = counter;
  if (!Number.isInteger(priority) || priority < 0 || priority > HIGHEST_PRIORITY) {
    throw mustBe('ERR_INVALID_OPTION', `${path}: priority`, 'an integer from 0 to 10', priority);
  }
  const { axes } = histogram;
  // Only the proposal has histograms of times alone. Ceph counts times in nanoseconds.
  const isTime = release === 'next' && axes.length === 1 && axes[0]!.unit === 'ns';
  return new Map<string, DocumentValue>([
    ['type', HISTOGRAM | (isTime ? TIME : INTEGER)],
    ['metric_type', counter.metricType ?? 'counter'],
    ['value_type', `${isTime ? 'real' : 'integer'}-${axes.length}d-histogram`],
    ['description', description],
    ['nick', nick],
    ['priority', priority],
    ['units', counter.units ?? 'none'],
  ]);
}
