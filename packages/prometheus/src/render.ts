import { getTextEncoding } from '@bufbuild/protobuf/wire';
import type { MetricFamily } from './families.ts';
import { openMetricsOf } from './openmetrics.ts';
import { protobufOf } from './protobuf.ts';
import { textOf } from './text.ts';

/** A format that Prometheus scrapes. Only protobuf has native histograms. */
export type ExpositionFormat = 'text' | 'openmetrics' | 'protobuf';

const CONTENT_TYPES: Readonly<Record<ExpositionFormat, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  protobuf: 'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited',
};

/** The `Content-Type` header for a format. Prometheus 3 refuses a scrape without a valid one. */
export function contentTypeOf(format: ExpositionFormat): string {
  return CONTENT_TYPES[format];
}

/**
 * Writes families in a format, as UTF-8 text or as protobuf.
 *
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
export function render(families: readonly MetricFamily[], format: ExpositionFormat): Uint8Array {
  switch (format) {
    case 'text':
      return getTextEncoding().encodeUtf8(textOf(families));
    case 'openmetrics':
      return getTextEncoding().encodeUtf8(openMetricsOf(families));
    case 'protobuf':
      return protobufOf(families);
  }
}
