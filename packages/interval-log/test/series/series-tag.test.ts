import { createRegistry } from '@hdrscope/registry';
import { anyCharacter } from '@hdrscope/testing/any-character';
import fc from 'fast-check';
import { formatSeriesTag, parseSeriesTag } from '../../src/index.ts';
import { parseLog } from '../../src/parser.ts';

const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 8 }),
  // Every code unit, including lone surrogates.
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 4 })
    .map((codes) => String.fromCharCode(...codes)),
  fc.constantFrom(
    '',
    '1',
    '-0',
    '1e3',
    '007',
    'true',
    'NaN',
    '12n',
    '"',
    '[1]',
    '{}',
    'a=b&c',
    '%20',
    '%u0041',
    '$',
  ),
);
const scalar = fc.oneof(
  text,
  fc.double().map((value) => value + 0),
  fc.boolean(),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
);
const value: fc.Arbitrary<unknown> = fc.oneof(
  scalar,
  fc.array(fc.oneof(scalar, fc.constantFrom(null, undefined)), { maxLength: 3 }),
  fc.dictionary(fc.oneof(text, fc.constantFrom('$', '$$', '$a')), scalar, {
    maxKeys: 2,
    noNullPrototype: true,
  }),
  fc.date({ noInvalidDate: true }),
);
const attributes = fc.dictionary(text, value, { maxKeys: 4, noNullPrototype: true });

/** A registry does not distinguish -0 from 0. */
function withoutNegativeZero(json: unknown): unknown {
  if (typeof json === 'number') return json + 0;
  if (Array.isArray(json)) return json.map(withoutNegativeZero);
  if (typeof json !== 'object' || json === null || json instanceof Date) return json;
  return Object.fromEntries(Object.entries(json).map(([key, item]) => [key, withoutNegativeZero(item)]));
}

test('a tag can be parsed into the name and the attributes with their types', () => {
  fc.assert(
    fc.property(text, attributes, (name, given) => {
      const parsed = parseSeriesTag(formatSeriesTag(name, given));
      expect(parsed.name).toBe(name);
      expect(withoutNegativeZero(parsed.attributes)).toEqual(withoutNegativeZero(given));
    }),
    { numRuns: 200 },
  );
});

test('a tag is printable ASCII that a reader of logs returns unchanged', () => {
  fc.assert(
    fc.property(text, attributes, (name, given) => {
      const tag = formatSeriesTag(name, given);
      expect(tag).toMatch(/^[!-+\--~]*$/);
      const [entry] = parseLog(`Tag=${tag},1.000,1.000,0.000,HISTFAAA\n`);
      expect(entry).toMatchObject({ kind: 'interval', tag });
    }),
  );
});

test('two sets of attributes have the same tag exactly if a registry has one series for them', () => {
  fc.assert(
    fc.property(attributes, attributes, (one, other) => {
      const family = createRegistry().histogram({ name: 'x' });
      const isOne = family.with(one) === family.with(other);
      expect(formatSeriesTag('x', one) === formatSeriesTag('x', other)).toBe(isOne);
    }),
  );
  expect(formatSeriesTag('x', { b: 1, a: 2 })).toBe(formatSeriesTag('x', { a: 2, b: 1 }));
});

test.each([
  ['rpc', {}, 'rpc'],
  ['rpc', { method: 'GET', absent: undefined, empty: null }, 'rpc?method=GET'],
  ['http.duration', { route: '/users/:id', status: 200 }, 'http.duration?route=/users/:id&status=200'],
  ['a b,c', { 'k=1': 'x&y', t: '200', f: 'true' }, 'a%20b%2Cc?f="true"&k%3D1=x%26y&t="200"'],
  ['x', { list: ['a', 1, true], n: 7n }, 'x?list=["a"%2C1%2Ctrue]&n=7n'],
  ['größe', {}, 'gr%C3%B6%C3%9Fe'],
])('%s with %o is %s', (name, given, tag) => {
  expect(formatSeriesTag(name, given)).toBe(tag);
});

test.each(['x?a', 'x?a=["', 'x%ff', 'x?a={'])('%s is refused by an error that quotes it', (tag) => {
  expect(() => parseSeriesTag(tag)).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_VALUE', message: expect.stringContaining(tag.slice(0, 3)) }),
  );
});

test('a tag of another writer is a name', () => {
  expect(parseSeriesTag('get-requests')).toEqual({ name: 'get-requests', attributes: {} });
});

test('attributes that contain themselves have a tag', () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  expect(formatSeriesTag('x', { cycle })).toBe('x?cycle={"self":{"$":"cycle"}}');
});
