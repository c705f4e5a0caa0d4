import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { costOf } from '@hdrscope/testing/cost';
import { configJsonSchema, parseConfig, readConfigFile } from '../../src/index.ts';

const DEEP = ['[', '{', '- ', '? ', '[{', '{[', '{a: ', '- ? ', ': '];

test.each([
  ['behind a bracket that never closes', `sinks:\n  - { type: a\n${'a: '.repeat(7000)}`],
  ['that only an error makes', `a: [{ b${': 1'.repeat(7000)}\nc: {`],
])('levels %s are levels', (_what, text) => {
  const { issues } = parseConfig(text);
  expect(issues).toEqual([
    expect.objectContaining({ message: 'a configuration must have at most 32 levels' }),
  ]);
});

test.each(DEEP)('a text of 100,000 times %j is one problem, however often it comes', (open) => {
  parseConfig(open.repeat(5000));
  for (const tail of ['!', '&', '"', '']) {
    const { result, cpuMs, grownMib } = costOf(() => parseConfig(open.repeat(1e5) + tail));
    expect(result.issues).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/at most 32 levels$/) }),
    ]);
    expect(cpuMs).toBeLessThan(500);
    expect(grownMib).toBeLessThan(100);
  }
});

const SINK_LINES = ' - { type: prometheus, foo: 1 }\n';

const LARGE: readonly (readonly [what: string, text: string])[] = [
  ['values', `sources: []\nsinks: []\nx: [${'1,'.repeat(4e5)}1]`],
  ['brackets', '['.repeat(1e6)],
  ['entries', `sources: []\nsinks:\n${SINK_LINES.repeat(20_001)}`],
  ['tags', '!a '.repeat(1e5)],
  ['anchors', '&a '.repeat(9e4)],
  ['escapes', `a: "${'\\q'.repeat(5e5)}"`],
  ['lines', 'a: b: c\n'.repeat(20_001)],
  ['empty lines', '\n'.repeat(1e6)],
  ['levels of indentation', Array.from({ length: 1400 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
  ['keys within braces', `s:\n  - { ${'a: '.repeat(12_000)}a\ne: b`],
  ['dashes within brackets', `s: [ ${'- '.repeat(12_000)}a\ne: b`],
  ['bytes', ' '.repeat(2 ** 20 + 1)],
];

test.each(LARGE)('a text with too many %s is one problem', (_what, text) => {
  const { result, cpuMs, grownMib } = costOf(() => parseConfig(text));
  expect(result.issues).toEqual([
    expect.objectContaining({ message: expect.stringContaining(' must have at most ') }),
  ]);
  // 1 MiB of brackets took 2.7 s and 954 MB.
  expect(cpuMs).toBeLessThan(1000);
  expect(grownMib).toBeLessThan(100);
});

const WITHIN_LIMITS: readonly (readonly [what: string, text: string])[] = [
  ['variables without an end', `a: "${'${a:-'.repeat(2e5)}"`],
  ['variables in each other', `a: "${'${a:-'.repeat(2e5)}}"`],
  ['different keys', `{${Array.from({ length: 12_000 }, (_, at) => `k${at}`).join(',')}}`],
  ['equal keys', `{${'k,'.repeat(12_000)}}`],
  ['problems', `sources: []\nsinks:\n${SINK_LINES.repeat(2000)}`],
];

test.each(WITHIN_LIMITS)('a text with many %s takes linear time', (_what, text) => {
  const { result, cpuMs, grownMib } = costOf(() => parseConfig(text));
  expect(result.issues.length).toBeLessThanOrEqual(20);
  // Times of a quadratic reader are above 2.5 s.
  expect(cpuMs).toBeLessThan(1500);
  expect(grownMib).toBeLessThan(150);
});

test('a thousand entries are not too many', () => {
  const entry = (at: number): string =>
    `  - name: osd.${at}\n    type: ceph\n    socket: /run/${at}.asok\n    attributes: { osd: '${at}', a: b }\n`;
  const sources = Array.from({ length: 1000 }, (_, at) => entry(at)).join('');
  const { config } = parseConfig(`sources:\n${sources}sinks: [{ type: prometheus }]`);
  expect(config?.sources).toHaveLength(1000);
});

test('the first 20 problems are reported, and the others are counted', async () => {
  const text = `sources: []\nsinks:\n${SINK_LINES.repeat(50)}`;
  const { issues, moreIssues } = parseConfig(text);
  expect(issues).toHaveLength(20);
  // Each entry has a wrong key, and all but the first one a name that is not their own.
  expect(moreIssues).toBe(50 + 49 - 20);
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-config-'));
  try {
    const path = join(folder, 'a.yaml');
    writeFileSync(path, text);
    const error = await readConfigFile(path).catch(
      (reason: unknown) => reason as Error & { details: unknown },
    );
    expect((error as Error).message.split('\n')).toHaveLength(21);
    expect((error as Error).message).toMatch(/: and 79 more$/);
    expect(error).toMatchObject({ details: { issues, moreIssues: 79 } });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a device without an end is too large', async () => {
  await expect(readConfigFile('/dev/zero')).rejects.toMatchObject({ code: 'ERR_TOO_LARGE' });
});

test('keys that would become texts of what they hold are refused', () => {
  const options = { environment: { A: 'canary-of-a-key' } };
  for (const text of [`? [ "\${A}" ]\n: 1`, `a: &x \${A}\n*x : 1`, `{ ? { b: "\${A}" } : 1 }`]) {
    const { issues } = parseConfig(text, options);
    expect(issues).toEqual([expect.objectContaining({ message: 'a key must be a plain text' })]);
  }
});

const CANARY = 'canary hunter2';

/** A part of a JSON schema. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly const?: string;
}

type Place = readonly (string | number)[];

/** The places of all values in configurations that a schema describes. */
function placesIn(schema: Schema, path: Place = []): Place[] {
  const { properties, additionalProperties, items, anyOf = [], oneOf = [] } = schema;
  return [
    path,
    ...Object.entries(properties ?? {}).flatMap(([key, one]) => placesIn(one, [...path, key])),
    ...(typeof additionalProperties === 'object' ? placesIn(additionalProperties, [...path, 'x-key']) : []),
    ...(items === undefined ? [] : placesIn(items, [...path, 0])),
    ...[...anyOf, ...oneOf].flatMap((one) => placesIn(one, path)),
  ];
}

/** A configuration with one entry of a type, in which one place has a value. */
function configWith(kind: 'sources' | 'sinks', type: string, path: Place, value: unknown): unknown {
  const entry: Record<string | number, unknown> = { type };
  let at: Record<string | number, unknown> = entry;
  for (const [index, step] of path.entries()) {
    const isLast = index === path.length - 1;
    const next = isLast ? value : typeof path[index + 1] === 'number' ? [] : {};
    at[step] = next;
    if (!isLast) at = next as Record<string | number, unknown>;
  }
  return { sources: [], sinks: [], [kind]: path.length === 0 ? [value] : [entry] };
}

const { sources, sinks } = (configJsonSchema() as Schema).properties!;
const ENTRIES = (['sources', 'sinks'] as const).flatMap((kind) => {
  const { items } = { sources, sinks }[kind]!;
  return (items!.anyOf ?? items!.oneOf)!.map((schema) => ({
    kind,
    type: schema.properties!.type!.const!,
    places: placesIn(schema),
  }));
});

const wrongInEveryWay = (canary: string): unknown[] => [
  canary,
  `http://user:${canary}@host/`,
  `ftp://${canary}@host`,
  [canary],
  [[canary]],
  { a: canary },
  { a: [canary] },
  { a: { b: canary } },
];

test.each(ENTRIES)(
  'no problem of $kind of type $type shows a variable or a secret',
  ({ kind, type, places }) => {
    expect(places.length).toBeGreaterThan(3);
    const environment = { CANARY };
    for (const path of places) {
      const isSecret = path.includes('token') || path.includes('headers');
      const values = [...wrongInEveryWay(`\${CANARY}`), ...(isSecret ? wrongInEveryWay(CANARY) : [])];
      for (const value of values) {
        const text = JSON.stringify(configWith(kind, type, path, value));
        const { issues } = parseConfig(text, { environment });
        for (const { message } of issues) expect(message).not.toMatch(/canary|hunter2/);
      }
    }
  },
);

test.each([
  ['a user and a password in a URL', 'sinks: [{ type: otlp, url: "ftp://u:canary@h" }]'],
  ['a key in a URL', 'sinks: [{ type: otlp, url: "ftp://h/?key=canary" }]'],
  ['a URL with blanks', 'sinks: [{ type: otlp, url: "http://u:canary@h:4318 x" }]'],
  ['a header as a list', 'sinks: [{ type: otlp, headers: { authorization: [canary] } }]'],
  ['a header as a key', 'sinks: [{ type: otlp, headers: { "authorization: canary": [1] } }]'],
  ['headers as a text', 'sinks: [{ type: otlp, headers: canary }]'],
  ['a short token', 'sinks: [{ type: dashboard, token: canary }]'],
  ['a token as a key', 'sinks: [{ type: dashboard, token: { canary: 1 } }]'],
  ['a token that is an alias', 'sinks: [{ type: dashboard, token: *canary }]'],
  ['a token that is a tag', 'sinks: [{ type: dashboard, token: !canary [] }]'],
  ['a token without its last quote', 'sinks: [{ type: dashboard, token: "canary }]'],
  ['a token after a block header', 'sinks:\n  - type: dashboard\n    token: |canary\n'],
  ['a token with a bad escape', 'sinks: [{ type: dashboard, token: "\\canary" }]'],
  ['a token in another line', 'sinks:\n  - type: dashboard\n    token: "a"\ncanary\n'],
  ['a token with a mapping in it', 'sinks:\n  - type: dashboard\n    token: a: canary: b\n'],
  ['a token after a token', 'sinks: [{ type: dashboard, token: "a" canary }]'],
])('no problem of %s shows it', (_what, text) => {
  const { issues } = parseConfig(`sources: []\n${text}`);
  expect(issues.length).toBeGreaterThan(0);
  expect(JSON.stringify(issues)).not.toContain('canary');
});

test('a value of a variable is shown as it stands in the file, with its length', () => {
  const { issues } = parseConfig(`sources: []\nsinks: [{ type: otlp, interval: "\${EVERY}" }]`, {
    environment: { EVERY: 'hunter2' },
  });
  expect(issues.map(({ message }) => message)).toEqual([
    expect.stringMatching(
      /^sinks\[0\]\.interval must be a duration .*, got \$\{EVERY\}, which is a text of 7 characters$/,
    ),
  ]);
});
