const LITERALS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);
const BIGINT = /^-?\d+n$/;

/**
 * Formats an attribute so that its type can be read back: `GET`, `200`, `"200"`, `["a","b"]`. A string is quoted only if
 * it looks like a value of another type.
 */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return isPlain(value) ? value : JSON.stringify(value);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'bigint') return `${value}n`;
  return JSON.stringify(toJson(value, []));
}

/** @throws SyntaxError when the text begins like JSON and is not JSON. */
export function parseValue(text: string): unknown {
  if (STRUCTURED.test(text)) return fromJson(JSON.parse(text));
  return literalOf(text);
}

const STRUCTURED = /^["[{]/;

function isPlain(text: string): boolean {
  return !STRUCTURED.test(text) && literalOf(text) === text;
}

function literalOf(text: string): unknown {
  if (LITERALS.has(text)) return LITERALS.get(text);
  if (BIGINT.test(text)) return BigInt(text.slice(0, -1));
  // A number only if it is formatted so: "007" and "1.0" are strings.
  return String(Number(text)) === text ? Number(text) : text;
}

// A value that JSON cannot express is an object with this key alone. Keys that begin with it get one more:
//
//   7n                 { "$": "7n" }
//   { "$": 1 }         { "$$": 1 }
const MARK = '$';

function toJson(value: unknown, ancestors: readonly unknown[]): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'object') return { [MARK]: typeof value === 'bigint' ? `${value}n` : String(value) };
  if (value instanceof Date) return { [MARK]: `Date ${value.getTime()}` };
  // A cycle is not a valid attribute, but it must not stop the log.
  if (ancestors.includes(value)) return { [MARK]: 'cycle' };
  const within = [...ancestors, value];
  if (Array.isArray(value)) return Array.from(value, (item) => toJson(item, within));
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([key, item]) => [key.startsWith(MARK) ? MARK + key : key, toJson(item, within)]),
  );
}

function fromJson(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(fromJson);
  const entries = Object.entries(json);
  const [first] = entries;
  if (entries.length === 1 && first?.[0] === MARK) return unmarked(String(first[1]));
  return Object.fromEntries(
    entries.map(([key, item]) => [key.startsWith(MARK) ? key.slice(MARK.length) : key, fromJson(item)]),
  );
}

function unmarked(text: string): unknown {
  if (text === 'undefined') return undefined;
  if (text.startsWith('Date ')) return new Date(Number(text.slice('Date '.length)));
  return literalOf(text);
}
