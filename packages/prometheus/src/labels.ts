import type { Attributes, Scope } from '@hdrscope/registry';
import { labelName } from './names.ts';

/** Names and values, in the order in which they are written. No name comes twice. */
export type Labels = readonly (readonly [name: string, value: string])[];

export const NO_LABELS: Labels = Object.freeze([]);

/** Makes the labels of the series that share a scope and a resource. */
export class Labeller {
  readonly #extra: Labels;
  readonly #reserved: string | undefined;
  readonly #key: string;

  /**
   * @param extra What every series has besides its attributes. An attribute of the same name takes precedence.
   * @param reserved A name that the format needs for itself: an attribute called so is shown as `exported_…`.
   */
  constructor(extra: Labels, reserved?: string) {
    this.#extra = extra;
    this.#reserved = reserved;
    this.#key = JSON.stringify([reserved, ...extra]);
  }

  /** The same labels, and the same array, for the same frozen attributes: what writers make of them they make once. */
  labels(attributes: Attributes): Labels {
    if (!Object.isFrozen(attributes)) return this.#made(attributes);
    const byKey = made.get(attributes) ?? new Map<string, Labels>();
    made.set(attributes, byKey);
    const labels = byKey.get(this.#key) ?? this.#made(attributes);
    byKey.set(this.#key, labels);
    return labels;
  }

  #made(attributes: Attributes): Labels {
    const labels = [...labelsOf(attributes)];
    if (this.#reserved !== undefined) {
      const at = labels.findIndex(([name]) => name === this.#reserved);
      if (at >= 0) labels[at] = [`exported_${this.#reserved}`, labels[at]![1]];
    }
    const own = labels.length;
    for (const label of this.#extra) {
      if (indexOfName(labels, label[0], own) < 0) labels.push(label);
    }
    return labels;
  }
}

const made = new WeakMap<Attributes, Map<string, Labels>>();

/**
 * Attributes as labels, in their order. Where two keys make one name, their values are joined with `;` in the order of
 * the keys: https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/#metric-attributes
 */
export function labelsOf(attributes: Attributes): Labels {
  const labels: (readonly [name: string, value: string])[] = [];
  for (const key of Object.keys(attributes)) {
    const name = labelName(key);
    if (indexOfName(labels, name) >= 0) return joinedLabelsOf(attributes);
    labels.push([name, labelValue(attributes[key])]);
  }
  return labels;
}

function joinedLabelsOf(attributes: Attributes): Labels {
  const keysByName = new Map<string, string[]>();
  for (const key of Object.keys(attributes)) {
    const name = labelName(key);
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

/** A loop: there are few labels, and many lists of them. */
function indexOfName(labels: Labels, name: string, end: number = labels.length): number {
  for (let i = 0; i < end; i++) if (labels[i]![0] === name) return i;
  return -1;
}

/** Texts as they are, everything else as JSON. */
export function labelValue(value: unknown): string {
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

/** A text that two lists of labels share exactly when they name the same series, in whatever order. */
export function seriesKey(labels: Labels): string {
  let key = keys.get(labels);
  if (key === undefined) {
    // With lengths, as values can hold whatever would stand between them.
    key = labels
      .map(([name, value]) => `${name}=${value.length}:${value}`)
      .sort()
      .join();
    keys.set(labels, key);
  }
  return key;
}

const keys = new WeakMap<Labels, string>();
