import { labelsOf, seriesKey, seriesLabels } from '../src/labels.ts';
import { exposedName, familyName, labelName, unitInName, unitWords } from '../src/names.ts';

test.each<[name: string, unit: string, type: Parameters<typeof familyName>[2], expected: string | undefined]>(
  [
    ['http.server.duration', 's', 'histogram', 'http_server_duration'],
    ['a..b--c__d', '', 'gauge', 'a_b_c_d'],
    ['1st', '', 'gauge', '_1st'],
    ['naïve', '', 'gauge', 'na_ve'],
    ['a:b', '', 'gauge', 'a_b'],
    ['requests', '', 'counter', 'requests'],
    ['requests_total', '', 'counter', 'requests'],
    ['requests.total', '', 'counter', 'requests'],
    ['requests_total', '', 'gauge', 'requests_total'],
    ['_total', '', 'counter', '_total'],
    ['...', '', 'gauge', undefined],
    ['', '', 'gauge', undefined],
  ],
)('the name %j with the unit %j of a %s is %j', (name, unit, type, expected) => {
  expect(familyName(name, unit, type, {})).toBe(expected);
});

test.each<
  [options: Parameters<typeof familyName>[3], type: Parameters<typeof familyName>[2], expected: string]
>([
  [{ prefix: 'my' }, 'gauge', 'my_1x'],
  [{ prefix: 'my-app' }, 'gauge', 'my_app_1x'],
  [{ prefix: '9' }, 'gauge', '_9_1x'],
  [{ withUnitSuffix: true }, 'gauge', '_1x_seconds'],
  [{ withUnitSuffix: true }, 'counter', '_1x_seconds'],
])('with %j a %s is called %s', (options, type, expected) => {
  expect(familyName('1x', 's', type, options)).toBe(expected);
});

test('a name that ends with its unit does not repeat it', () => {
  expect(familyName('x.seconds', 's', 'gauge', { withUnitSuffix: true })).toBe('x_seconds');
  expect(familyName('x.seconds.total', 's', 'counter', { withUnitSuffix: true })).toBe('x_seconds');
});

test.each([
  ['s', 'seconds'],
  ['ms', 'milliseconds'],
  ['By', 'bytes'],
  ['By/s', 'bytes_per_second'],
  ['{request}/s', 'per_second'],
  ['1', ''],
  ['', ''],
  ['{thing}', ''],
  ['furlong', 'furlong'],
  ['m/{fortnight}', 'meters'],
])('the unit %j is %j in words', (unit, words) => {
  expect(unitWords(unit)).toBe(words);
});

test('only a counter and an info have their type in the name', () => {
  const types = ['counter', 'gauge', 'histogram', 'info', 'unknown'] as const;
  expect(types.map((type) => exposedName({ name: 'x', type }))).toEqual(['x_total', 'x', 'x', 'x_info', 'x']);
});

test('a unit is in a name only if the name ends with it and has more than it', () => {
  const names = ['x_seconds', 'seconds', '_seconds', 'xseconds', 'x_seconds_y'];
  expect(names.map((name) => unitInName({ name, unit: 's' }))).toEqual(['seconds', '', '', '', '']);
});

test.each([
  ['http.method', 'http_method'],
  ['1a', '_1a'],
  ['__x__', '_x_'],
  ['', '_'],
  ['ключ', '_'],
])('the label %j is called %j', (key, name) => {
  expect(labelName(key)).toBe(name);
});

test.each<[value: unknown, text: string]>([
  ['text', 'text'],
  [1.5, '1.5'],
  [true, 'true'],
  [['a', 1, null], '["a",1,null]'],
  [{ a: 1 }, '{"a":1}'],
  [undefined, ''],
  [null, 'null'],
  [12n, '12'],
])('the attribute value %p is the label value %j', (value, text) => {
  expect(labelsOf({ a: value })).toEqual([['a', text]]);
});

test('keys that become one name have their values joined in the order of the keys', () => {
  expect(labelsOf({ a_b: '3', c: 'x', 'a.b': '2', 'a-b': '1' })).toEqual([
    ['a_b', '1;2;3'],
    ['c', 'x'],
  ]);
});

test('an attribute takes precedence over a label of the scope or the resource', () => {
  const extra = [
    ['otel_scope_name', 'lib'],
    ['service_name', 'shop'],
  ] as const;
  expect(seriesLabels({ 'service.name': 'mine' }, extra)).toEqual([
    ['service_name', 'mine'],
    ['otel_scope_name', 'lib'],
  ]);
});

test('an attribute of a reserved name gets another name', () => {
  expect(seriesLabels({ le: '5' }, [], 'le')).toEqual([['exported_le', '5']]);
});

test('labels are those of the attributes, the scope and the reserved name of the call', () => {
  const attributes = { x: 1 };
  seriesLabels(attributes, [['a', '1']]);
  attributes.x = 2;
  expect(seriesLabels(attributes, [['a', '1']])).toEqual([
    ['x', '2'],
    ['a', '1'],
  ]);
  const frozen = Object.freeze({ x: 1 });
  expect(seriesLabels(frozen, [['a', '2']])).not.toEqual(seriesLabels(frozen, [['a', '1']]));
  expect(seriesLabels(frozen, [['a', '1']], 'x')[0]).toEqual(['exported_x', '1']);
});

test('the order of labels does not matter for a series', () => {
  const [a, b] = [['a', '1'] as const, ['b', '2'] as const];
  expect(seriesKey([a, b])).toBe(seriesKey([b, a]));
  expect(seriesKey([a])).not.toBe(seriesKey([b]));
});
