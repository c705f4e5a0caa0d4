import { type Attributes, frozenCopy } from './attributes.ts';
import type { Family } from './family.ts';

/** A family whose series are as many as its limit allows, when it is given values with further attributes. */
export interface ReachedLimit {
  /** The name of the family. */
  readonly name: string;
  /** How many series it has, besides the overflow series. */
  readonly limit: number;
  /** The attribute that made most of the series. */
  readonly widest: WidestAttribute;
}

/** The attribute with the most distinct values among series. */
interface WidestAttribute {
  readonly key: string;
  readonly values: number;
}

/** Hears of a limit. What it throws is ignored: a record must not fail because of a warning. */
export type LimitListener = (reached: ReachedLimit) => void;

/** Listeners of a registry. Each hears once of each family that reaches its limit. */
export class LimitListeners {
  readonly #listeners = new Set<LimitListener>();

  add(listener: LimitListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells of a family and the attributes that had no room, after the record that brought them: it does not wait. */
  readonly report = (family: Family, further: Attributes): void => {
    if (this.#listeners.size === 0) return;
    const attributes = [...family.listAttributes(), frozenCopy(further)];
    const { name, cardinalityLimit: limit } = family;
    const tell = (listener: LimitListener): Promise<void> =>
      Promise.resolve().then(() => listener({ name, limit, widest: findWidestAttribute(attributes) }));
    // A listener that fails has nobody to tell.
    for (const listener of this.#listeners) tell(listener).catch(() => {});
  };
}

/**
 * A warning with the limit and the cure.
 *
 * @param cure In the imperative; `it` is the attribute.
 */
export function describeReachedLimit({ name, limit, widest }: ReachedLimit, cure: string): string {
  return (
    `"${name}" has reached its limit of ${limit} series: values with other attributes count in one series, otel.metric.overflow. ` +
    `The attribute "${widest.key}" has the most values, ${widest.values}: ${cure}`
  );
}

/** @param attributes At least two sets that differ, so one of them has a key. */
function findWidestAttribute(attributes: readonly Attributes[]): WidestAttribute {
  const valuesByKey = new Map<string, Set<unknown>>();
  for (const one of attributes) {
    for (const [key, value] of Object.entries(one)) {
      const values = valuesByKey.get(key) ?? new Set();
      valuesByKey.set(key, values);
      values.add(typeof value === 'object' ? JSON.stringify(value) : value);
    }
  }
  let widest: WidestAttribute = { key: '', values: 0 };
  for (const [key, { size }] of valuesByKey) if (size > widest.values) widest = { key, values: size };
  return widest;
}
