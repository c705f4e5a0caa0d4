import { findRegexes, findSlow, listRegexes, nameOf } from '../check-regexes.js';
import { attacksOn, parsePattern } from '../lib/regex-attacks.js';
import { workspaceRoot } from '../lib/workspace.js';

const found = (source: string) => findRegexes(source, 'a.ts');

it('finds literals and constructors with their lines, and whether they look for all matches', () => {
  const source = `// é
const a = /a\\/[/]+/u;
text.split(/,/);
text.replace(/b/g, '');
new RegExp('c+', 'y');
RegExp(\`\${a}\`);
const noRegex = 4 / 2 / 1;
`;
  expect(found(source)).toEqual([
    { file: 'a.ts', line: 2, source: 'a\\/[/]+', flags: 'u', everywhere: false },
    { file: 'a.ts', line: 3, source: ',', flags: '', everywhere: true },
    { file: 'a.ts', line: 4, source: 'b', flags: 'g', everywhere: true },
    { file: 'a.ts', line: 5, source: 'c+', flags: 'y', everywhere: false },
    { file: 'a.ts', line: 6, flags: '', everywhere: false },
  ]);
});

it('finds the expressions of this workspace', () => {
  expect(listRegexes(workspaceRoot).map(nameOf)).toContain(
    'packages/core/src/text/percentile-table.ts /^\\d+$/',
  );
});

it('splits a pattern into its terms', () => {
  const [[first, group, last] = []] = parsePattern('[^\\]a]+(?<x>b|\\u{61}c)*?\\b');
  expect(first).toEqual({ source: '[^\\]a]', empty: false });
  expect(group?.alternatives?.map((terms) => terms.map(({ source }) => source))).toEqual([
    ['b'],
    ['\\u{61}', 'c'],
  ]);
  expect(last).toEqual({ source: '\\b', empty: true });
});

it('attacks a term behind what the terms before it match', () => {
  expect(attacksOn('^a: *b', '')).toContainEqual({ start: 'a:', part: ' ', end: '\u0001' });
});

describe('the measurement', () => {
  const messages = async (source: string, limitMs = 1000) =>
    (await findSlow(found(source), limitMs)).map(({ message }) => message);

  it.each([
    ['an unanchored start', '/\\s+$/'],
    ['two neighbours that share characters', '/^\\d+\\.?\\d*$/'],
    ['three neighbours that share characters', '/^,\\s*([\\w ]+?)\\s*=/'],
    ['nested repetitions', '/^(?:a+)+$/'],
    ['a part that starts everywhere', '/\\$\\{[^}]*\\}/g'],
  ])(
    'refuses %s',
    async (_, literal) => {
      expect(await messages(`const r = ${literal};`)).toEqual([expect.stringMatching(/^takes /)]);
    },
    60_000,
  );

  it('accepts linear expressions', async () => {
    const linear = '[/^\\d+(?:\\.\\d*)?$/, /[^a-z]/gi, /^(a|b)*c$/, /^"(?:[^"\\\\]|\\\\.)*"$/]';
    // A busy machine may need longer than the usual limit.
    expect(await messages(linear, 60_000)).toEqual([]);
  }, 120_000);

  it('refuses what nothing can check', async () => {
    expect(await messages('new RegExp(text)')).toEqual([expect.stringMatching(/^is computed/)]);
  });
});
