import type { Labels, Metric } from './families.ts';
import type { LazyFamily, LazyMetrics } from './lazy-family.ts';
import { exposedName, withoutNameLabel } from './names.ts';

/**
 * How names are written that have characters other than letters, digits, underscores and colons: quoted (`allow-utf-8`), or with
 * other characters in their places. A scraper asks for it by the parameter `escaping` of `Accept`.
 * Source: https://prometheus.io/docs/instrumenting/escaping_schemes/
 */
export type EscapingScheme = 'allow-utf-8' | 'underscores' | 'dots' | 'values';

/** The scheme of a parameter; `undefined` when there is no such scheme. */
export function escapingScheme(text: string | undefined): EscapingScheme | undefined {
  switch (text) {
    case 'allow-utf-8':
    case 'underscores':
    case 'dots':
    case 'values':
      return text;
    default:
      return undefined;
  }
}

/** Whether a metric's name needs no quotes. */
export function isClassicName(name: string): boolean {
  return CLASSIC_NAME.test(name);
}

/** Whether a label's name needs no quotes. */
export function isClassicLabel(name: string): boolean {
  return CLASSIC_LABEL.test(name);
}

const CLASSIC_NAME = /^[a-z_:][a-z0-9_:]*$/i;
const CLASSIC_LABEL = /^[a-z_][a-z0-9_]*$/i;

/**
 * A name in a scheme, as the client library for Go writes it: `values` has lower-case digits, and `dots` two underscores for a
 * character that is neither a dot nor allowed, where the document has one. In a label, a colon counts as such a character.
 *
 * ```
 * allow-utf-8  http.status_code
 * underscores  http_status_code
 * dots         http_dot_status__code
 * values       U__http_2e_status__code
 * ```
 */
export function escapedName(name: string, scheme: EscapingScheme, isLabel = false): string {
  if (scheme === 'allow-utf-8' || name === '') return name;
  if (scheme !== 'dots' && (isLabel ? CLASSIC_LABEL : CLASSIC_NAME).test(name)) return name;
  const allowed = isLabel ? /[a-z0-9]/i : /[a-z0-9:]/i;
  const replacement = ESCAPES[scheme];
  let escaped = '';
  for (const character of name) {
    const isAllowed = allowed.test(character) && (escaped !== '' || !/\d/.test(character));
    escaped += isAllowed ? character : replacement(character);
  }
  return scheme === 'values' ? `U__${escaped}` : escaped;
}

const ESCAPES: Readonly<Record<Exclude<EscapingScheme, 'allow-utf-8'>, (character: string) => string>> = {
  underscores: () => '_',
  dots: (character) => (character === '.' ? '_dot_' : '__'),
  values: (character) => {
    if (character === '_') return '__';
    const code = character.codePointAt(0)!;
    const isLoneSurrogate = code >= 0xd800 && code <= 0xdfff;
    return isLoneSurrogate ? '_FFFD_' : `_${code.toString(16)}_`;
  },
};

/** A family whose names are written in a scheme. The suffix of its type is escaped with its name. */
export function escapedFamily(family: LazyFamily, scheme: EscapingScheme): LazyFamily {
  if (scheme === 'allow-utf-8') return family;
  const exposed = exposedName(family);
  const escaped = escapedName(exposed, scheme);
  const suffixLength = exposed.length - family.name.length;
  // Every scheme keeps the last letters of a name, and the length of the suffix.
  const name = suffixLength === 0 ? escaped : escaped.slice(0, -suffixLength);
  return { ...family, name, parts: family.parts.map((part) => escapedPart(part, scheme)) };
}

function escapedPart(part: LazyMetrics, scheme: EscapingScheme): LazyMetrics {
  return {
    ...part,
    metricOf: (state, earlier, hasNative) => escapedMetric(part.metricOf(state, earlier, hasNative), scheme),
    labelsOf: (state) => escapedLabels(part.labelsOf(state), scheme),
  };
}

function escapedMetric(metric: Metric, scheme: EscapingScheme): Metric {
  const labels = escapedLabels(metric.labels, scheme);
  return labels === metric.labels ? metric : { ...metric, labels };
}

/** The same list when no name changes. When two names become one, `;` joins their values. */
function escapedLabels(labels: Labels, scheme: EscapingScheme): Labels {
  if (labels.every(([name]) => escapedName(name, scheme, true) === name)) return labels;
  const values = new Map<string, string>();
  for (const [name, value] of labels) {
    const escaped = withoutNameLabel(escapedName(name, scheme, true));
    const before = values.get(escaped);
    values.set(escaped, before === undefined ? value : `${before};${value}`);
  }
  return [...values];
}
