import {
  applyChanges,
  attributeValue,
  emptyTable,
  foundRows,
  frozenRows,
  rowsOfAnswer,
  sortedRows,
  type TableState,
} from '../browser/state.ts';
import type { SeriesFacts, TableMessage } from '../src/messages.ts';
import { familyOf, MESSAGE, rowOf, tableOf } from './browser/support.ts';

/** The values of a row, each exactly known. */
const valuesAt = (...values: number[]) => ({ lower: values, upper: values, wide: 0 });

const series = (id: number, of: number, ...attributes: string[]): SeriesFacts => ({
  ...{ id, family: of, attributes },
});

const tableWith = (all: readonly SeriesFacts[], families = [familyOf(0), familyOf(1)]): TableMessage => ({
  ...MESSAGE,
  families,
  series: all,
});

const labels = ({ series: all }: TableState): string[] => [...all.values()].map(({ label }) => label);

test('a message adds series, changes rows and replaces the facts', () => {
  const state = emptyTable();
  applyChanges(state, tableWith([series(0, 0, 'a=1', 'b=1'), series(1, 1)]));
  applyChanges(state, { ...MESSAGE, epoch: 'b', rows: [[1, 5, 2.5, null, valuesAt(1, 2, 3, 4, 5)]] });

  expect(labels(state)).toEqual(['family 0 a=1, b=1', 'family 1']);
  expect(state.series.get(1)!.row).toEqual([1, 5, 2.5, null, valuesAt(1, 2, 3, 4, 5)]);
  expect(state.series.get(0)!.row).toEqual([0, 0, 0, null, null]);
  expect(state.facts?.epoch).toBe('b');
});

test('only messages that add or remove series change the version', () => {
  const state = emptyTable();
  const versions = [
    tableWith([series(0, 0)]),
    { ...MESSAGE, rows: [[0, 1, 1, null, null]] as const },
    { ...MESSAGE, removed: [0] },
    { ...MESSAGE, isWhole: true },
  ].map((message) => {
    applyChanges(state, message);
    return state.version;
  });

  expect(versions).toEqual([1, 1, 2, 3]);
});

test('a whole table replaces the one before', () => {
  const state = emptyTable();
  applyChanges(state, tableWith([series(0, 0, 'a=1'), series(1, 1, 'a=2')]));
  applyChanges(state, { ...tableWith([series(7, 0, 'a=3')], [familyOf(0)]), isWhole: true });

  expect(labels(state)).toEqual(['family 0 a=3']);
  expect([...state.families.keys()]).toEqual([0]);
});

test('a family goes with its last series', () => {
  const state = emptyTable();
  applyChanges(state, tableWith([series(0, 0, 'a=1'), series(1, 0, 'a=2'), series(3, 1)]));

  applyChanges(state, { ...MESSAGE, removed: [0, 3, 99] });

  expect(labels(state)).toEqual(['family 0 a=2']);
  expect([...state.families.keys()]).toEqual([0]);
});

test('rows of an answer have the labels of the table, and merged ones say of how many series', () => {
  const message = {
    ...{ question: 'by=method', leftOut: 0, families: [] },
    rows: [
      {
        ...{ family: 0, attributes: ['method=get'], seriesCount: 3, count: 12, perSecond: 1.5 },
        ...{ values: valuesAt(1, 2, 3, 4, 5), last: null },
      },
      { family: 9, attributes: [], seriesCount: 1, count: 1, perSecond: 1, values: null, last: null },
    ],
  };

  const rows = rowsOfAnswer(tableOf(familyOf(0, 'rpc')), message);

  // The page does not know family 9.
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ label: 'rpc method=get', seriesCount: 3 });
  expect(rows[0]!.row).toEqual([0, 12, 1.5, null, valuesAt(1, 2, 3, 4, 5)]);
});

test('frozen rows do not change with later messages', () => {
  const state = emptyTable();
  applyChanges(state, tableWith([series(0, 0)]));
  const frozen = frozenRows([...state.series.values()]);

  applyChanges(state, { ...MESSAGE, rows: [[0, 5, 1, null, null]] });

  expect(frozen[0]!.row[1]).toBe(0);
  expect(state.series.get(0)!.row[1]).toBe(5);
});

test('a search finds rows that have all of its words, in any case', () => {
  const rows = [rowOf('rpc.duration', 'method=GET'), rowOf('rpc.size', 'method=GET'), rowOf('other')];

  const found = foundRows(rows, ' get  DURA ');

  expect(found.map(({ label }) => label)).toEqual(['rpc.duration method=GET']);
  expect(foundRows(rows, '')).toHaveLength(3);
});

test('names are in the order of people: by their numbers, in any case, and with accents beside their letters', () => {
  const routes = ['/a2', '/a10', '/A11', '/b', '/é', '/f', '/f/7', '/f/12', '/x0'];
  const rows = [...routes].reverse().map((route) => rowOf('a', `route=${route}`));
  const sorted = sortedRows(rows, { key: 'name', isDescending: false }, 'all');
  expect(sorted.map((row) => attributeValue(row, 'route'))).toEqual(routes);
});

test('rows are sorted by numbers, by the numbers in texts, and by attributes', () => {
  const rows = [rowOf('a', 'cpu=10'), rowOf('a', 'cpu=9'), rowOf('a')];
  rows[0]!.row = [0, 5, 1, null, valuesAt(3, 3, 3, 3, 3)];
  rows[1]!.row = [1, 7, 0, valuesAt(9, 9, 9, 9, 9), valuesAt(4, 4, 4, 4, 4)];
  const sorted = (
    key: Parameters<typeof sortedRows>[1]['key'],
    isDescending: boolean,
    span: 'all' | 'last' = 'all',
  ) => sortedRows(rows, { key, isDescending }, span).map((row) => attributeValue(row, 'cpu') ?? '-');

  expect(sorted('count', true)).toEqual(['9', '10', '-']);
  expect(sorted('rate', true)).toEqual(['10', '-', '9']);
  expect(sorted(2, true)).toEqual(['9', '10', '-']);
  // Without values in the last interval, names decide.
  expect(sorted(2, true, 'last')).toEqual(['9', '-', '10']);
  expect(sorted('@cpu', false)).toEqual(['-', '9', '10']);
  expect(sorted('name', true)).toEqual(['10', '9', '-']);
});

test('rows that have changed come first in the order of their changes, then the largest, and last the metrics of hdrscope', () => {
  const rows = ['a', 'hdrscope.agent.x', 'b', 'c', 'd'].map((name) => rowOf(name));
  rows.forEach((row, at) => {
    row.row = [at, at === 1 ? 1000 : 10 * at, 0, null, null];
  });
  const byChange = { key: 'change', isDescending: true } as const;
  const namesBy = (all: typeof rows, ranks?: ReadonlyMap<string, number>) =>
    sortedRows(all, byChange, 'all', ranks).map(({ family }) => family.name);

  expect(namesBy(rows)).toEqual(['d', 'c', 'b', 'a', 'hdrscope.agent.x']);
  const ranks = new Map([
    ['a', 0],
    ['c', 1],
  ]);
  expect(namesBy(rows, ranks)).toEqual(['a', 'c', 'd', 'b', 'hdrscope.agent.x']);
  expect(namesBy([...rows].reverse(), ranks)).toEqual(namesBy(rows, ranks));
});
