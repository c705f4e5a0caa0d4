import type { Attributes, Scope } from '@hdrscope/registry';
import type { Labels } from './families.ts';
import { labelName } from './names.ts';

export const NO_LABELS: Labels = /* @__PURE__ */ Object.freeze([]);

/** Makes the labels of series that share a scope and a resource. */
export class Labeller {
  readonly #extra: Labels;
  readonly #reserved: string | undefined;
  readonly #key: string;

  /**
   * @param extra Labels of every series besides its attributes. An attribute of the same name takes precedence.
   * @param reserved A name that the format needs. An attribute of this name becomes `exported_…`.
   */
  constructor(extra: Labels, reserved?: string) {
    this.#extra = extra;
    this.#reserved = reserved;
    this.#key = JSON.stringify([reserved, ...extra]);
  }

  /** Returns the same array for the same frozen attributes, so that writers encode the labels of a series only once. */
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
 * Converts attributes to labels, in their order. When two keys become one name, `;` joins their values in the order of
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

/** A loop is fastest: lists are short, and there are many of them. */
function indexOfName(labels: Labels, name: string, end: number = labels.length): number {
  for (let i = 0; i < end; i++) if (labels[i]![0] === name) return i;
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
  let key = keys.get(labels);
  if (key === undefined) {
    // With lengths, because values can contain any separator.
    key = labels
      .map(([name, value]) => `${name}=${value.length}:${value}`)
      .sort()
      .join();
    keys.set(labels, key);
  }
  return key;
}

const keys = new WeakMap<Labels, string>();
