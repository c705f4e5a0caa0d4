/**
 * What tells the series of a family apart: keys with texts, numbers, booleans, or arrays of those. A key without a
 * value counts as absent. Anything else that OpenTelemetry may come to allow is told apart by its content.
 */
export type Attributes = Readonly<Record<string, unknown>>;

/**
 * A text that two sets of attributes share exactly when they are equal; the order of keys does not matter.
 *
 * @example
 * ```ts
 * import { canonicalText } from '@hdrscope/registry';
 *
 * canonicalText({ route: '/pay', code: 200 }); //=> '{"code":200,"route":"/pay"}'
 * ```
 */
export function canonicalText(attributes: Attributes): string {
  return contentText(present(attributes), []);
}

/** A frozen copy without absent keys: callers reuse and change their objects. */
export function frozenCopy(attributes: Attributes): Attributes {
  return Object.freeze(Object.fromEntries(present(attributes).map(([key, value]) => [key, copyOf(value)])));
}

/** Inherited keys count too, as they do in `AttributeIndex`, whose loop is the faster for not asking. */
function present(attributes: Attributes): [key: string, value: unknown][] {
  const entries: [string, unknown][] = [];
  for (const key in attributes) {
    if (attributes[key] !== undefined && attributes[key] !== null) entries.push([key, attributes[key]]);
  }
  return entries;
}

/** Not JSON, which has no NaN, infinities nor bigints, and throws at cycles. */
function valueText(value: unknown, ancestors: readonly unknown[]): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (ancestors.includes(value)) return 'cycle';
  if (value instanceof Date) return `Date(${value.getTime()})`;
  const within = [...ancestors, value];
  if (Array.isArray(value)) return `[${value.map((item) => valueText(item, within)).join()}]`;
  return contentText(Object.entries(value), within);
}

function contentText(entries: [key: string, value: unknown][], ancestors: readonly unknown[]): string {
  const texts = entries.map(([key, value]) => `${JSON.stringify(key)}:${valueText(value, ancestors)}`);
  return `{${texts.sort().join()}}`;
}

function copyOf(value: unknown): unknown {
  if (typeof value !== 'object') return value;
  try {
    return Object.freeze(structuredClone(value));
  } catch {
    return value; // it holds a function: no attribute, but no reason to fail a record either
  }
}

/** Every runtime has it; the language's own library does not declare it. */
declare function structuredClone<T>(value: T): T;
