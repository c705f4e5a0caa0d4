import { readFileSync } from 'node:fs';
import { HEALTH_NUMBERS } from '../src/health.ts';
import { configJsonSchema, parseConfig } from '../src/index.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const README = read('../README.md');

interface Schema {
  readonly const?: string;
  readonly default?: unknown;
  readonly description?: string;
  readonly items?: { readonly oneOf: readonly Schema[] };
  readonly properties?: Readonly<Record<string, Schema>>;
}

const { properties } = configJsonSchema() as { properties: Record<'sources' | 'sinks', Schema> };
const TYPES = (['sources', 'sinks'] as const).flatMap((kind) =>
  properties[kind].items!.oneOf.map((schema) => {
    const { type, name: _name, ...keys } = schema.properties!;
    return { kind, type: type!.const!, description: schema.description, keys };
  }),
);

/** The cells of the tables below a heading, up to the next one. */
function rowsBelow(heading: string): string[][] {
  const [section = ''] = README.split(`\n${heading}\n`)[1]!.split(/\n##/);
  return [...section.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(/ ?\| ?/));
}

const codeIn = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/** The keys of a column of rows, with what the next column has as default. */
function keysIn(rows: readonly string[][], column: number): [key: string, defaults: string | undefined][] {
  return rows.flatMap((row) => {
    const [keys, defaults] = [codeIn(row[column]), codeIn(row[column + 1])];
    return keys.map((key, at): [string, string | undefined] => [key, defaults[at]]);
  });
}

/** The keys that a table documents for a type alone. */
function ownKeys(kind: 'sources' | 'sinks', type: string): [key: string, defaults: string | undefined][] {
  const rows = rowsBelow(kind === 'sources' ? '### Sources' : '### Sinks').filter(
    ({ length }) => length === 4,
  );
  let current = '';
  return keysIn(
    rows.filter(([cell]) => {
      current = codeIn(cell)[0] ?? current;
      return current === type;
    }),
    1,
  );
}

const SHARED = keysIn(
  rowsBelow('### Sources').filter(({ length }) => length === 3),
  0,
);
const SERVER = keysIn(rowsBelow('### Servers'), 0).map(([key]) => key.replace(/\..*/, ''));

test.each(TYPES)('the README lists the keys and defaults of $kind of type $type', ({ kind, type, keys }) => {
  const own = ownKeys(kind, type);
  const shared = kind === 'sources' ? SHARED : [];
  const documented = [...own, ...shared].map(([key]) => key);
  const isServer = 'listen' in keys;
  expect([...documented, ...(isServer ? SERVER : [])]).toEqual(expect.arrayContaining(Object.keys(keys)));
  expect(Object.keys(keys)).toEqual(expect.arrayContaining(own.map(([key]) => key)));
  for (const [key, stated] of own) {
    const { default: fallback = {} } = keys[key]!;
    // Where the default depends on other keys, the README has a sentence.
    if (typeof fallback !== 'object') expect([key, stated]).toEqual([key, String(fallback)]);
  }
});

test.each(TYPES)('the README introduces $kind of type $type', ({ type }) => {
  expect(README.split('\n## Configuration')[0]).toContain(`| \`${type}\` |`);
});

test.each(TYPES)(
  'each key of $kind of type $type has a description in the schema',
  ({ description, keys }) => {
    expect(description).toMatch(/\.$/);
    for (const [key, schema] of Object.entries(keys)) {
      expect([key, schema.description]).toEqual([key, expect.stringMatching(/[.]$/)]);
    }
  },
);

test('the example has an entry of each type', () => {
  const { config, issues } = parseConfig(read('../../../examples/hdrscope.yaml'));
  expect(issues).toEqual([]);
  const types = (entries: readonly { readonly type: string }[]): Set<string> =>
    new Set(entries.map(({ type }) => type));
  const known = (kind: string): Set<string> => types(TYPES.filter((one) => one.kind === kind));
  expect([types(config!.sources), types(config!.sinks)]).toEqual([known('sources'), known('sinks')]);
});

test('the README lists all metrics of the agent', () => {
  const listed = [...README.matchAll(/^\| `(hdrscope\.agent\.[\w.]+)` \|/gm)].map(([, name]) => name);
  const names = [...HEALTH_NUMBERS.map(({ name }) => name), 'hdrscope.agent.gather.duration'];
  expect(listed.sort()).toEqual(names.sort());
});
