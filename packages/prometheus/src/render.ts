import { assertFollows, listOf, object, oneOf } from '@hdrscope/core/internal';
import { atOnce, countBytes, joinBytes, type Steps } from '@hdrscope/kit';
import { type EscapingScheme, escapedFamily } from './escaping.ts';
import type { MetricFamily } from './families.ts';
import type { FormatWriter } from './format-writer.ts';
import { type Block, blocksOf, type KeptBytes } from './kept-bytes.ts';
import { type LazyFamily, lazyFamily } from './lazy-family.ts';
import { exposedName } from './names.ts';
import { openMetricsWriter } from './openmetrics.ts';
import { openMetrics2Writer } from './openmetrics2.ts';
import { protobufWriter } from './protobuf.ts';
import { textWriter } from './text.ts';

/**
 * A format that Prometheus scrapes: text 0.0.4 and 1.0.0, OpenMetrics 1.0 and 2.0, and protobuf. Only the last two have native
 * histograms. The text formats differ only in the version that `Content-Type` states: 1.0.0 allows quoted names.
 */
export type ExpositionFormat = 'text' | 'text1' | 'openmetrics' | 'openmetrics2' | 'protobuf';

const CONTENT_TYPES: Readonly<Record<ExpositionFormat, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  text1: 'text/plain; version=1.0.0; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  openmetrics2: 'application/openmetrics-text; version=2.0.0; charset=utf-8',
  protobuf: 'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited',
};

/**
 * The `Content-Type` header for a format. Prometheus 3 refuses a scrape without a valid one.
 *
 * @param escaping The scheme to name. Left out, the header names no scheme, which means `underscores`.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the argument is of another type.
 */
export function formatContentType(format: ExpositionFormat, escaping?: EscapingScheme): string {
  assertFollows('the format', oneOf(Object.keys(CONTENT_TYPES) as ExpositionFormat[]), format);
  return escaping === undefined ? CONTENT_TYPES[format] : `${CONTENT_TYPES[format]}; escaping=${escaping}`;
}

/**
 * Writes families in a format, as UTF-8 text or as protobuf.
 *
 * @param escaping How names are written that have other characters than letters, digits, underscores and colons.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the argument is of another type.
 * @example
 * ```ts
 * import { type MetricFamily, render } from '@hdrscope/prometheus';
 *
 * const family: MetricFamily = {
 *   name: 'queue_depth',
 *   help: 'Jobs that wait',
 *   unit: '',
 *   type: 'gauge',
 *   metrics: [{ labels: [['queue', 'mail']], value: { kind: 'number', value: 7 } }],
 * };
 * new TextDecoder().decode(render([family], 'text'));
 * //=> '# HELP queue_depth Jobs that wait\n# TYPE queue_depth gauge\nqueue_depth{queue="mail"} 7\n'
 * ```
 */
export function render(
  families: readonly MetricFamily[],
  format: ExpositionFormat,
  escaping: EscapingScheme = 'underscores',
): Uint8Array {
  assertFollows('families', listOf<MetricFamily>(object(), 'families'), families);
  const escaped = families.map((family) => escapedFamily(lazyFamily(family), escaping));
  return joinBytes(atOnce(renderSteps(escaped, format)));
}

/**
 * The pieces of `render`, in steps.
 *
 * @param kept The bytes of the exposition before in this format. Afterwards it has those of this one.
 */
export function* renderSteps(
  families: readonly LazyFamily[],
  format: ExpositionFormat,
  kept: KeptBytes = { blocks: new Map() },
): Steps<Uint8Array[]> {
  const writer = WRITERS[format]();
  // A scrape that overlaps may replace them.
  const before = kept.blocks;
  const after = new Map<string, readonly Block[]>();
  const pieces: Uint8Array[][] = [];
  for (const family of families) {
    const metrics: Uint8Array[] = [];
    for (const part of family.parts) {
      const key = part.recipe === undefined ? undefined : JSON.stringify([exposedName(family), part.recipe]);
      const known = key === undefined ? undefined : before.get(key);
      const blocks = yield* blocksOf(family, part, known ?? [], writer);
      if (key !== undefined) after.set(key, blocks);
      for (const { bytes } of blocks) metrics.push(bytes);
    }
    const { head, tail } = writer.frame(family, countBytes(metrics));
    pieces.push([head], metrics, [tail]);
  }
  kept.blocks = after;
  return [...pieces.flat(), writer.end].filter(({ length }) => length > 0);
}

const WRITERS: Readonly<Record<ExpositionFormat, () => FormatWriter>> = {
  text: textWriter,
  text1: textWriter,
  openmetrics: openMetricsWriter,
  openmetrics2: openMetrics2Writer,
  protobuf: protobufWriter,
};
