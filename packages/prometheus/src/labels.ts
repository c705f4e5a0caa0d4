import type { Attributes, Scope } from '@hdrscope/registry';
import type { Labels } from './families.ts';
import { labelName } from './names.ts';

export const NO_LABELS: Labels = /* @__PURE__ */ Object.freeze([]);

/**
 * The labels of a series.
 *
 * @param extra Labels besides its attributes. An attribute of the same name takes precedence.
 * @param reserved A name that the format needs. A label of this name becomes `exported_…`.
 * @param isKept Whether keys keep all their characters.
 */
export function seriesLabels(
  attributes: Attributes,
  extra: Labels,
  reserved?: string,
  isKept = false,
): Labels {
  const all = withExtra(labelsOf(attributes, isKept), extra);
  return reserved === undefined ? all : withoutName(all, reserved);
}

/** The labels, of which the one with a reserved name is called `exported_…`. Prometheus refuses a scrape with a name that comes twice. */
export function withoutName(labels: Labels, reserved: string): Labels {
  if (indexOfName(labels, reserved) < 0) return labels;
  let free = `exported_${reserved}`;
  while (indexOfName(labels, free) >= 0) free = `exported_${free}`;
  return labels.map(([name, value]) => [name === reserved ? free : name, value] as const);
}

/**
 * Converts attributes to labels, in their order. When two keys become one name, `;` joins their values in the order of
 * the keys: https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/#metric-attributes
 */
export function labelsOf(attributes: Attributes, isKept = false): Labels {
  const labels: (readonly [name: string, value: string])[] = [];
  for (const key of Object.keys(attributes)) {
    const name = labelName(key, isKept);
    if (indexOfName(labels, name) >= 0) return joinedLabelsOf(attributes, isKept);
    labels.push([name, labelValue(attributes[key])]);
  }
  return labels;
}

function joinedLabelsOf(attributes: Attributes, isKept: boolean): Labels {
  const keysByName = new Map<string, string[]>();
  for (const key of Object.keys(attributes)) {
    const name = labelName(key, isKept);
    keysByName.set(name, [...(keysByName.get(name) ?? []), key]);
  }
  return [...keysByName].map(([name, keys]) => [
    name,
    keys
      .sort()
      .map((key) => labelValue(attributes[key]))
      .join(';'),
  ]);
}

/** Joins two lists. When both have a name, the first value stays. */
export function withExtra(labels: Labels, extra: Labels): Labels {
  const missing = extra.filter(([name]) => indexOfName(labels, name) < 0);
  return missing.length === 0 ? labels : [...labels, ...missing];
}

/** A loop is fastest: lists are short, and there are many of them. */
function indexOfName(labels: Labels, name: string): number {
  for (let i = 0; i < labels.length; i++) if (labels[i]![0] === name) return i;
  return -1;
}

/** A text unchanged, any other value as JSON. */
function labelValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return '';
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value); // a bigint, or a cycle
  }
}

/** https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/#instrumentation-scope-1 */
export function scopeLabels({
  name,
  version,
  schemaUrl,
}: {
  readonly [Field in keyof Scope]: Scope[Field] | undefined;
}): Labels {
  const labels: [string, string][] = [['otel_scope_name', labelValue(name)]];
  if (schemaUrl) labels.push(['otel_scope_schema_url', schemaUrl]);
  if (version) labels.push(['otel_scope_version', version]);
  return labels;
}

/** A text that is equal for two lists exactly when they have the same labels, in any order. */
export function seriesKey(labels: Labels): string {
  // With lengths, because values can contain any separator.
  return labels
    .map(([name, value]) => `${name}=${value.length}:${value}`)
    .sort()
    .join();
}
