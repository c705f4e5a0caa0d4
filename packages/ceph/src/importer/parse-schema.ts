import { readOptions } from '@hdrscope/core/internal';
import { asText } from '@hdrscope/kit';
import {
  DOCUMENT_RULES,
  type DocumentOptions,
  readAnswer,
  readDocuments,
  type TextDocument,
} from './documents.ts';
import { asInteger, asObject, pathOf } from './fields.ts';
import type { Json } from './json.ts';

/** The description of a histogram in a daemon's schema. A field that the schema leaves out is `undefined`. */
export interface ImportedDescription {
  /** The daemon, when the text names it: `osd.0`. */
  readonly daemon: string | undefined;
  /** Name of the logger, such as `osd`. */
  readonly logger: string;
  /** Name of the counter within the logger. */
  readonly counter: string;
  /** A sum of bits: 16 for histograms, 8 for counters, 2 for integers, 1 for times. */
  readonly type: number;
  /** For people. */
  readonly description: string | undefined;
  /** A short name, for tables with narrow columns. */
  readonly nick: string | undefined;
  /** From 0 to 10. */
  readonly priority: number | undefined;
  /** `counter` or `gauge`. */
  readonly metricType: string | undefined;
  /** `integer-2d-histogram`, for example. */
  readonly valueType: string | undefined;
  /** The unit of the counter, not of its axes. */
  readonly units: string | undefined;
  /** What else the text has, as sentences. */
  readonly notes: readonly string[];
}

/**
 * Reads the answer of one daemon or of several to `perf histogram schema`, in JSON or XML. Releases of Ceph have
 * different keys: only `type` is needed, and unknown keys are ignored.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range; `ERR_DECODE` when the text is not a schema;
 *   `ERR_TOO_LARGE` when it is longer than `maxLength`, or has more than `maxElements`.
 * @example
 * ```ts
 * import { parseHistogramSchema } from '@hdrscope/ceph';
 *
 * const [reads] = parseHistogramSchema('{"cct":{},"osd":{"op_r":{"type":26,"description":"Reads","nick":"r"}}}');
 * [reads!.logger, reads!.counter, reads!.type]; //=> ['osd', 'op_r', 26]
 * [reads!.description, reads!.priority]; //=> ['Reads', undefined]
 * ```
 */
export function parseHistogramSchema(text: string, options: DocumentOptions = {}): ImportedDescription[] {
  const { documents, notes } = readDocuments(text, readOptions(options, PARSE_HISTOGRAM_SCHEMA), false);
  return documents.flatMap(readSchema).map((described) => ({ ...described, notes }));
}

const PARSE_HISTOGRAM_SCHEMA = {
  name: 'parseHistogramSchema',
  rules: DOCUMENT_RULES,
  call: 'parseHistogramSchema(text, { lenient: true })',
};

/** The description of a counter, without the notes of its text. */
export type Description = Omit<ImportedDescription, 'notes'>;

function readSchema({ daemon, json }: TextDocument): Description[] {
  const loggers = asObject(json, 'a schema');
  const read = (): Description[] =>
    Object.entries(loggers).flatMap(([logger, counters]) => {
      const path = pathOf(daemon, logger);
      return Object.entries(asObject(counters, path)).map(([counter, json]) =>
        readDescription(json, { daemon, logger, counter }, `${path}.${pathOf(counter)}`),
      );
    });
  return readAnswer('perf histogram schema', loggers, read);
}

/** Reads the description of one counter. */
export function readDescription(
  json: Json,
  place: Pick<ImportedDescription, 'daemon' | 'logger' | 'counter'>,
  path: string,
): Description {
  const fields = asObject(json, path);
  const text = (key: string): string | undefined =>
    fields[key] === undefined ? undefined : asText(fields[key], `${path}.${key}`);
  const { priority } = fields;
  return {
    ...place,
    type: Number(asInteger(fields.type, `${path}.type`)),
    description: text('description'),
    nick: text('nick'),
    priority: priority === undefined ? undefined : Number(asInteger(priority, `${path}.priority`)),
    metricType: text('metric_type'),
    valueType: text('value_type'),
    units: text('units'),
  };
}
