/**
 * What tells the series of a family apart: keys with texts, numbers, booleans, or arrays of those. A key without a
 * value counts as absent. Anything else that OpenTelemetry may come to allow is told apart by its JSON.
 */
export type Attributes = Readonly<Record<string, unknown>>;

/** A text that two sets of attributes share exactly when they are equal; the order of keys does not matter. */
export function canonicalText(attributes: Attributes): string {
  let text = '';
  for (const key of Object.keys(attributes).sort()) {
    const value = attributes[key];
    if (isPresent(value)) text += `${JSON.stringify(key)}:${valueText(value)},`;
  }
  return text;
}

/** A frozen copy without absent keys: callers reuse and change their objects. */
export function frozenCopy(attributes: Attributes): Attributes {
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(attributes)) {
    if (isPresent(value)) copy[key] = Array.isArray(value) ? Object.freeze([...value]) : value;
  }
  return Object.freeze(copy);
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  // JSON has no NaN, infinities nor bigints: it would make one of the former, and throw at the latter.
  if (typeof value !== 'object') return typeof value === 'bigint' ? `${value}n` : String(value);
  try {
    return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? `${inner}n` : inner));
  } catch {
    return String(value); // a cycle: no attribute, but no reason to fail a record either
  }
}
