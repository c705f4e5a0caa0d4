import { readFileSync } from 'node:fs';

/** A schema with the keywords that `faultsIn` knows. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

/** Reads a schema of docs/formats. */
export function readSchema(name: string): Schema {
  const url = new URL(`../../../../docs/formats/${name}`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')) as Schema;
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
  $ref: (value, rule: string, { root, faults, path }) => {
    const { schema, root: ofSchema } = referred(rule, root);
    return ofSchema === root ? faults(value, schema) : faultsIn(value, schema, ofSchema, path);
  },
  allOf: (value, rule: readonly Schema[], { faults }) => rule.flatMap((one) => faults(value, one)),
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

/** The schema that a reference means, and the document that it is in. */
function referred(rule: string, root: Schema): { readonly schema: Schema; readonly root: Schema } {
  if (rule.startsWith('#/$defs/')) {
    return { schema: (root.$defs as Record<string, Schema>)[rule.slice('#/$defs/'.length)]!, root };
  }
  const schema = readSchema(rule);
  return { schema, root: schema };
}

/** The keys of a document that a schema does not describe, with the path to each place. */
export function undescribedIn(
  value: unknown,
  schema: Schema,
  root: Schema = schema,
  path = '$',
): readonly string[] {
  const described = describing(value, schema, root);
  if (Array.isArray(value)) {
    const items = described.find(({ schema: one }) => one.items !== undefined);
    if (items === undefined) return [];
    return value.flatMap((item, at) =>
      undescribedIn(item, items.schema.items as Schema, items.root, `${path}[${at}]`),
    );
  }
  if (!isObject(value)) return [];
  const withKeys = described.filter(({ schema: one }) => one.properties !== undefined);
  // An object without properties has keys of all kinds, such as those of attributes.
  if (withKeys.length === 0) return [];
  return Object.entries(value).flatMap(([key, one]) => {
    const found = withKeys.find(({ schema: of }) => Object.hasOwn(of.properties as object, key));
    if (found === undefined) return [`${path}.${key}`];
    return undescribedIn(
      one,
      (found.schema.properties as Record<string, Schema>)[key]!,
      found.root,
      `${path}.${key}`,
    );
  });
}

interface Referred {
  readonly schema: Schema;
  readonly root: Schema;
}

/** The schemas that describe a value: a schema, and those that it refers to. */
function describing(value: unknown, schema: Schema, root: Schema): Referred[] {
  const {
    $ref,
    allOf = [],
    oneOf = [],
  } = schema as {
    readonly $ref?: string;
    readonly allOf?: readonly Schema[];
    readonly oneOf?: readonly Schema[];
  };
  const fitting = oneOf.filter((one) => faultsIn(value, one, root).length === 0);
  const reference = $ref === undefined ? undefined : referred($ref, root);
  return [
    { schema, root },
    ...[...allOf, ...fitting].flatMap((one) => describing(value, one, root)),
    ...(reference === undefined ? [] : describing(value, reference.schema, reference.root)),
  ];
}
