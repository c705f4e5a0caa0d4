import type { Attributes, Scope } from '@hdrscope/registry';

type Texts = Readonly<Record<string, string>>;

/**
 * Attributes as texts, ascending by their keys. A text stays as it is, and any other value is written as JSON. The scope of a family
 * becomes attributes too: https://opentelemetry.io/docs/specs/otel/common/mapping-to-non-otlp/#instrumentationscope
 */
export function attributeTexts(attributes: Attributes, scope: Scope | undefined): Texts {
  const all: Attributes =
    scope === undefined
      ? attributes
      : {
          'otel.scope.name': scope.name,
          'otel.scope.version': scope.version,
          'otel.scope.schema_url': scope.schemaUrl,
          ...attributes,
        };
  const entries = Object.entries(all)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => [wellFormed(key), wellFormed(textOf(value))] as const);
  return Object.freeze(Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value); // a cycle, or a bigint inside
  }
}

// Half of a pair of UTF-16 has no UTF-8.
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The text as UTF-8 holds it: characters that it cannot hold are replaced by U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, '\ufffd');
}
