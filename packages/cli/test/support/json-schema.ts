/** A schema with the keywords that `faultsIn` knows. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

const ANNOTATIONS: ReadonlySet<string> = new Set(['$schema', '$defs', 'title', 'description']);

/** What in a document differs from a JSON Schema, with the path to each place. Throws for keywords that it does not know. */
export function faultsIn(value: unknown, schema: Schema, root: Schema = schema, path = '$'): string[] {
  const faults = (other: unknown, of: unknown, at = path): string[] =>
    faultsIn(other, of as Schema, root, at);
  return Object.entries(schema).flatMap(([keyword, rule]): string[] => {
    if (ANNOTATIONS.has(keyword)) return [];
    const check = CHECKS[keyword];
    if (check === undefined) throw new Error(`the schema has ${keyword}, which this test does not know`);
    return check(value, rule as never, { path, faults, root });
  });
}

interface Context {
  readonly path: string;
  readonly root: Schema;
  faults(value: unknown, schema: unknown, path?: string): string[];
}

const CHECKS: Readonly<Record<string, (value: unknown, rule: never, context: Context) => string[]>> = {
  $ref: (value, rule: string, { root, faults }) =>
    faults(value, (root.$defs as Schema)[rule.replace('#/$defs/', '')]),
  type: (value, rule: string | readonly string[], { path }) =>
    [rule].flat().some((type) => isOf(type, value)) ? [] : [`${path} is not ${rule}`],
  enum: (value, rule: readonly unknown[], { path }) =>
    rule.includes(value) ? [] : [`${path} is not one of ${rule}`],
  minimum: (value, rule: number, { path }) =>
    typeof value === 'number' && value < rule ? [`${path} < ${rule}`] : [],
  maximum: (value, rule: number, { path }) =>
    typeof value === 'number' && value > rule ? [`${path} > ${rule}`] : [],
  required: (value, rule: readonly string[], { path }) =>
    isObject(value) ? rule.filter((name) => !(name in value)).map((name) => `${path} has no ${name}`) : [],
  properties: (value, rule: Schema, { path, faults }) =>
    isObject(value)
      ? Object.entries(rule).flatMap(([name, of]) =>
          name in value ? faults(value[name], of, `${path}.${name}`) : [],
        )
      : [],
  items: (value, rule: Schema, { path, faults }) =>
    Array.isArray(value) ? value.flatMap((item, at) => faults(item, rule, `${path}[${at}]`)) : [],
  oneOf: (value, rule: readonly Schema[], { path, faults }) =>
    rule.filter((one) => faults(value, one).length === 0).length === 1
      ? []
      : [`${path} is not one of its forms`],
};

function isOf(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return type === 'object' ? isObject(value) : typeof value === type;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
