/**
 * The identity of a series in its family: keys with texts, numbers, booleans, or arrays of those. A key whose value is
 * `undefined` or `null` counts as absent. Values of any other type are compared by their content.
 */
export type Attributes = Readonly<Record<string, unknown>>;

/**
 * A text that two sets of attributes share exactly when they are equal; the order of keys does not matter.
 *
 * @example
 * ```ts
 * import { canonicalText } from '@hdrscope/registry/internal';
 *
 * canonicalText({ route: '/pay', code: 200 }); //=> '{"code":200,"route":"/pay"}'
 * ```
 */
export function canonicalText(attributes: Attributes): string {
  return contentText(presentEntries(attributes), []);
}

/** A frozen copy without absent keys. Callers may reuse and change their own object. */
export function frozenCopy(attributes: Attributes): Attributes {
  const copies = presentEntries(attributes).map(([key, value]) => [key, copyOf(value)]);
  return Object.freeze(Object.fromEntries(copies));
}

/** Inherited keys count too, as in `AttributeIndex`, whose loop is faster because it does not check for them. */
function presentEntries(attributes: Attributes): [key: string, value: unknown][] {
  const entries: [string, unknown][] = [];
  for (const key in attributes) {
    if (attributes[key] !== undefined && attributes[key] !== null) entries.push([key, attributes[key]]);
  }
  return entries;
}

/** Not JSON: JSON has no NaN, infinities or bigints, and `JSON.stringify` throws at cycles. */
function valueText(value: unknown, ancestors: readonly unknown[]): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (ancestors.includes(value)) return 'cycle';
  // By kind and not by class, as a date may come from another realm.
  if (Object.prototype.toString.call(value) === '[object Date]') return `Date(${Number(value)})`;
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
    return value; // it holds a function, which is not an attribute; but a record must not fail
  }
}

/** Every runtime has it, but the library of the language does not declare it. */
declare function structuredClone<T>(value: T): T;
