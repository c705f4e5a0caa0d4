/**
 * An expression for names that a pattern describes: `*` stands for any characters, and `?` for one. Case does not matter in names of
 * OpenTelemetry's instruments; it does in names of files.
 */
// https://opentelemetry.io/docs/specs/otel/metrics/api/#instrument-name-syntax
export function wildcard(
  pattern: string,
  { ignoresCase = true }: { readonly ignoresCase?: boolean } = {},
): RegExp {
  const escaped = pattern.replace(/[\\^$.+|()[\]{}]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, ignoresCase ? 'is' : 's');
}
