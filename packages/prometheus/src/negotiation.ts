import { assertText } from '@hdrscope/core/internal';
import { type EscapingScheme, escapingScheme } from './escaping.ts';
import type { ExpositionFormat } from './render.ts';

/** What a client asks for by its `Accept` header. */
export interface NegotiatedFormat {
  /** The format that the answer has. */
  readonly format: ExpositionFormat;
  /** How names are escaped; left out when the client names no scheme, which means `underscores`. */
  readonly escaping?: EscapingScheme | undefined;
}

/**
 * The format that a client prefers: the accepted format with the highest weight, or the first of several. It is text when
 * no accepted format is known, or the header cannot be read. Text is 0.0.4 and OpenMetrics 1.0 unless a version is named. Prometheus names its
 * escaping scheme beside text formats only, and has one for all, so that protobuf has the first one named. Never throws.
 * Source: https://prometheus.io/docs/instrumenting/content_negotiation/
 *
 * @param accept The `Accept` header. Left out, the format is text.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the argument is of another type.
 * @example
 * ```ts
 * import { negotiate } from '@hdrscope/prometheus';
 *
 * negotiate('application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3').format; //=> 'openmetrics'
 * negotiate('application/openmetrics-text;version=2.0.0;escaping=dots');
 * //=> { format: 'openmetrics2', escaping: 'dots' }
 * negotiate(undefined); //=> { format: 'text', escaping: undefined }
 * ```
 */
export function negotiate(accept: string | undefined): NegotiatedFormat {
  if (accept !== undefined) assertText('accept', accept);
  const ranges = parts(accept ?? '', ',').flatMap((text) => parseRange(text) ?? []);
  const refused = new Set<ExpositionFormat>();
  for (const { format, weight, isWildcard } of ranges) {
    if (weight === 0 && !isWildcard) refused.add(format);
  }
  let best: Pick<MediaRange, 'format' | 'escaping'> = { format: 'text', escaping: undefined };
  let bestWeight = 0;
  for (const range of ranges) {
    if (range.weight <= bestWeight || refused.has(range.format)) continue;
    best = range;
    bestWeight = range.weight;
  }
  const { format } = best;
  const shared = format === 'protobuf' ? ranges.find(({ escaping }) => escaping !== undefined) : undefined;
  return { format, escaping: best.escaping ?? shared?.escaping };
}

/** One entry of the header. */
interface MediaRange {
  readonly format: ExpositionFormat;
  readonly escaping: EscapingScheme | undefined;
  /** From 0 to 1. 0 refuses the format. */
  readonly weight: number;
  readonly isWildcard: boolean;
}

/** `undefined` when the entry is malformed, or names a format that this package does not write. */
function parseRange(text: string): MediaRange | undefined {
  const [type = '', ...rest] = parts(text, ';').map((part) => part.trim());
  const parameters = new Map(rest.map(parseParameter));
  const weight = parameters.get('q') ?? '1';
  const format = formatOf(type.toLowerCase(), parameters);
  if (format === undefined || !/^(0(\.\d*)?|1(\.0*)?)$/.test(weight)) return undefined;
  const escaping = escapingScheme(parameters.get('escaping')?.toLowerCase());
  return { format, escaping, weight: Number(weight), isWildcard: type.includes('*') };
}

function parseParameter(text: string): [name: string, value: string] {
  const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(text) ?? [];
  const unquoted = /^"(.*)"$/s.exec(value.trim())?.[1]?.replace(/\\(.)/gs, '$1');
  return [name.trim().toLowerCase(), unquoted ?? value.trim()];
}

function formatOf(type: string, parameters: ReadonlyMap<string, string>): ExpositionFormat | undefined {
  const has = (name: string, value: string): boolean => parameters.get(name)?.toLowerCase() === value;
  const isVersion = (version: string): boolean => !parameters.has('version') || has('version', version);
  switch (type) {
    case 'application/vnd.google.protobuf':
      return has('proto', 'io.prometheus.client.metricfamily') && has('encoding', 'delimited')
        ? 'protobuf'
        : undefined;
    case 'application/openmetrics-text':
      if (has('version', '2.0.0')) return 'openmetrics2';
      return isVersion('1.0.0') ? 'openmetrics' : undefined;
    case 'text/plain':
      if (has('version', '1.0.0')) return 'text1';
      return isVersion('0.0.4') ? 'text' : undefined;
    case 'application/*':
      return 'openmetrics';
    case 'text/*':
    case '*/*':
      return 'text';
    default:
      return undefined;
  }
}

/** Splits at separators outside quotes. */
function parts(text: string, separator: ',' | ';'): string[] {
  return text.match(separator === ',' ? BETWEEN_COMMAS : BETWEEN_SEMICOLONS) ?? [];
}

const BETWEEN_COMMAS = /(?:[^,"]|"(?:\\.|[^"\\])*"?)+/g;
const BETWEEN_SEMICOLONS = /(?:[^;"]|"(?:\\.|[^"\\])*"?)+/g;
