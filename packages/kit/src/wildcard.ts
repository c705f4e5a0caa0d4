/**
 * An expression for names that a pattern describes: `*` stands for any characters, `?` for one, and case does not matter, as in names of
 * OpenTelemetry's instruments.
 */
// https://opentelemetry.io/docs/specs/otel/metrics/api/#instrument-name-syntax
export function wildcard(pattern: string): RegExp {
  const escaped = pattern.replace(/[\\^$.+|()[\]{}]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'is');
}
