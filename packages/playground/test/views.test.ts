import {
  askFigures,
  askLog,
  askPlots,
  choosePlace,
  type Inspected,
  listLabels,
  listPlaces,
  takes,
} from '../browser/views.ts';

const file = (form: Inspected['form'], more: Partial<Inspected> = {}): Inspected => ({
  name: 'a b.txt',
  form,
  isTaken: true,
  ...more,
});

test('asks for the summary of a log, and draws it by percentile, over time and as a heat map', () => {
  expect(askFigures(file('log'), {})).toEqual({
    command: 'log summary',
    words: ['a b.txt', '--json'],
    table: 'values',
  });
  expect(askPlots(file('log'), {}).map(({ words }) => words.at(-1))).toEqual([
    'percentiles',
    'over-time',
    'heat-map',
  ]);
});

test('asks for the values of a table only when the column is known', () => {
  const table = file('table', { columns: ['ms', 'bytes'] });
  expect(listPlaces(table)).toEqual(['ms', 'bytes']);
  expect(askFigures(table, {})).toBeUndefined();
  expect(askFigures(table, { place: 'ms', unit: 'ms' })?.words).toEqual([
    ...['a b.txt', '--column', 'ms', '--unit', 'ms', '--json'],
  ]);
});

test('chooses the column that surely has the values, and none where it would guess', () => {
  const columns = ['status', 'ms', 'bytes'];
  expect(choosePlace(file('table', { columns, likely: ['ms'] }))).toBe('ms');
  expect(choosePlace(file('table', { columns, likely: ['ms', 'bytes'] }))).toBeUndefined();
  expect(choosePlace(file('table', { columns, likely: [] }))).toBeUndefined();
  expect(choosePlace(file('table', { columns, likely: ['ms'], needs: '--log-format' }))).toBeUndefined();
});

test('asks for the requests of an access log when its format is known', () => {
  const log = file('table', { columns: ['7'], needs: '--log-format' });
  expect(askFigures(log, { by: 'route' })).toBeUndefined();
  expect(askFigures(log, { by: 'route', logFormat: '$request_time' })?.words).toEqual([
    ...['a b.txt', '--log-format', '$request_time', '--by', 'route', '--json'],
  ]);
});

test('offers the labels of the requests, and usual ones where the format of the log is not known', () => {
  expect(listLabels(file('nginx json', { labels: ['route', 'upstream'] }))).toEqual(['route', 'upstream']);
  expect(listLabels(file('table', { needs: '--log-format' }))).toEqual(['route', 'status', 'method']);
  expect(listLabels(file('log'))).toEqual([]);
});

test('makes a log of requests, whose times plots show', () => {
  expect(askLog(file('nginx log'), {})).toMatchObject({ command: 'record', output: 'requests.hlog' });
  expect(askLog(file('k6 points'), {})?.words).toEqual(['a b.txt', '--every', '1s']);
  expect(askLog(file('table', { needs: '--log-format' }), { logFormat: '$x' })?.words).toEqual([
    ...['a b.txt', '--log-format', '$x', '--every', '1s'],
  ]);
  for (const form of ['log', 'numbers', 'fio json', null] as const)
    expect(askLog(file(form), {})).toBeUndefined();
});

test('shows the bounds of sketches and counts in place of values', () => {
  expect(askFigures(file('vmrange'), {})?.table).toBe('bounds');
  expect(askFigures(file('fio json'), {})?.table).toBe('bounds');
  expect(askFigures(file('k6 points'), {})?.table).toBe('values');
});

test('a text of no known form is taken by no command', () => {
  expect(takes(file(null), 'record')).toBe(false);
  expect(askFigures(file(null), {})).toBeUndefined();
});
