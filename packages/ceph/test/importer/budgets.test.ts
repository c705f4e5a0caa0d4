import { createRegistry } from '@hdrscope/registry';
import { caseCount } from '@hdrscope/testing/case-count';
import { costOf } from '@hdrscope/testing/cost';
import { refusalOf } from '@hdrscope/testing/refusals';
import fc from 'fast-check';
import {
  askHistograms,
  ingestCeph,
  parseHistogramDump,
  parseHistogramLoggers,
  parseHistogramSchema,
} from '../../src/index.ts';
import { axisTitle } from '../../src/internal.ts';
import { dumpOf, LINEAR } from '../support/dumps.ts';

const member = (text: string): string => `{"osd":${text}}`;

describe.each([
  ['8 MB of brackets that close', () => member('['.repeat(4e6) + ']'.repeat(4e6)), 'ERR_DECODE'],
  ['8 MB of brackets that do not', () => `{"osd":${'['.repeat(8e6)}`, 'ERR_DECODE'],
  ['15 MB of empty objects', () => member(`[${'{},'.repeat(5e6)}{}]`), 'ERR_TOO_LARGE'],
  ['15 MB of empty arrays', () => member(`[${'[],'.repeat(5e6)}[]]`), 'ERR_TOO_LARGE'],
  ['15 MB of members', () => member(`{${'"":0,'.repeat(3e6)}"":0}`), 'ERR_TOO_LARGE'],
  ['400,000 documents', () => '{}\n'.repeat(400_000), 'ERR_TOO_LARGE'],
  ['an array of arrays as a text', () => dumpOf(`[${'[],'.repeat(4e6)}[]]`), 'ERR_TOO_LARGE'],
  ['deep arrays as a text', () => dumpOf('['.repeat(4e6) + ']'.repeat(4e6)), 'ERR_DECODE'],
  [
    'an integer of 8,000,000 digits',
    () => dumpOf([1, 2, 3]).replace('2,3', `${'9'.repeat(8e6)},3`),
    'ERR_DECODE',
  ],
  ['8 MB of line feeds, and an error', () => `{${'\n'.repeat(8e6)}?`, 'ERR_DECODE'],
  ['a name of 8 MB', () => `{"${'a'.repeat(8e6)}":7}`, 'ERR_DECODE'],
])('%s', (_, make, code) => {
  // The long run reads them in both ways.
  test.each([true, false].slice(0, caseCount(1, 2)))('are refused at once: lenient %p', (lenient) => {
    const text = make();
    let error: Error | undefined;
    const { cpuMs, grownMib } = costOf(() => {
      error = refusalOf(() => parseHistogramDump(text, { lenient }), code);
    });
    expect(error!.message.length).toBeLessThan(1000);
    // 0.5 s, with room for a loaded machine.
    expect(cpuMs).toBeLessThan(1500);
    expect(grownMib).toBeLessThan(150);
  });
});

test('a short text cannot ask for any number of cells', () => {
  const axis = (buckets: number) => ({ ...LINEAR, buckets, ranges: undefined });
  const large = { axes: [axis(2 ** 13), axis(2 ** 10)], values: [] };
  const text = JSON.stringify({
    osd: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`c${i}`, large])),
  });
  const error = refusalOf(() => parseHistogramDump(text, { lenient: true }), 'ERR_TOO_LARGE');
  expect(error.message).toMatch(/^the cells of all histograms must have at most/);
});

test.each([Number.NaN, 0, -1, '100'])('%p is not a limit', async (wrong) => {
  for (const name of ['maxLength', 'maxElements']) {
    const options = { [name]: wrong } as object;
    refusalOf(() => parseHistogramDump('{}', options), 'ERR_INVALID_OPTION');
    refusalOf(() => ingestCeph(createRegistry(), () => '{}', options), 'ERR_INVALID_OPTION');
  }
  const asked = askHistograms(async () => '{}', { attempts: wrong as number });
  await expect(asked).rejects.toMatchObject({ code: 'ERR_INVALID_OPTION' });
});

test('maxElements is a limit of its own', () => {
  const text = dumpOf([1, 2, 3]);
  expect(parseHistogramDump(text, { maxElements: 100 })).toHaveLength(1);
  for (const parse of [parseHistogramDump, parseHistogramLoggers, parseHistogramSchema])
    expect(refusalOf(() => parse(text, { maxElements: 9 }), 'ERR_TOO_LARGE').details).toMatchObject({
      most: 9,
    });
});

test('the densest dumps are far below the default limit of elements', () => {
  // Compact, with a second axis of one slot: an array for each count.
  const axis = { ...LINEAR, buckets: 4000, ranges: undefined };
  const one = { ...LINEAR, buckets: 1, ranges: undefined };
  const counters = Array.from({ length: 50 }, (_, i) => [
    `c${i}`,
    { axes: [axis, one], values: Array.from({ length: 4000 }, () => [100]) },
  ]);
  const text = JSON.stringify({ osd: Object.fromEntries(counters) });
  expect(parseHistogramDump(text)).toHaveLength(50);
});

test('control characters of names are visible in errors and notes', () => {
  const evil = 'a\u001b[31m\u202e';
  const errors = [
    refusalOf(() => parseHistogramDump(JSON.stringify({ [evil]: { [evil]: 7 } }))),
    refusalOf(() => parseHistogramDump(dumpOf([], [{ name: evil }]))),
    refusalOf(() => parseHistogramDump(`{"a":\u001b}`)),
  ];
  for (const { message } of errors) {
    expect(message).not.toContain('\u001b');
    expect(message).not.toContain('\u202e');
    expect(message).toMatch(/\\x1b|\\u001b/);
  }
});

test('a mutated dump is read or refused', () => {
  const values = [
    [0, 1, 2],
    [3, 4, 5],
    [6, 7, 2 ** 53],
  ];
  const text = dumpOf(values, [LINEAR, LINEAR]).replace('9007199254740992', '18446744073709551615');
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '0',
    '9'.repeat(30),
    '-',
    'null',
    '\n',
    '{"a":',
    'e9',
  );
  const edit = fc.tuple(fc.nat(text.length), fc.nat(12), piece);
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), fc.boolean(), (edits, lenient) => {
      let mutated = text;
      for (const [at, length, added] of edits)
        mutated = mutated.slice(0, at) + added + mutated.slice(at + length);
      for (const parse of [parseHistogramDump, parseHistogramLoggers, parseHistogramSchema]) {
        try {
          parse(mutated, { lenient });
        } catch (error) {
          if (!['ERR_DECODE', 'ERR_TOO_LARGE'].includes((error as { code: string }).code)) throw error;
        }
      }
    }),
    { numRuns: caseCount(500, 3000), seed: 17 },
  );
});

test('a title drops what is in parentheses, in proportion to the length of the name', () => {
  const byPattern = (name: string) => name.replace(/\([^)]*\)/g, '').trim() || name;
  fc.assert(
    fc.property(fc.array(fc.constantFrom('(', ')', 'a', ' ')), (characters) => {
      const name = characters.join('');
      expect(axisTitle({ name })).toBe(byPattern(name));
    }),
  );
  expect(costOf(() => axisTitle({ name: '('.repeat(1e6) })).cpuMs).toBeLessThan(500);
});
