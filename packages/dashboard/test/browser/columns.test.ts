import { ColumnsMemo, columnsOf } from '../../browser/columns.ts';
import { rowOf } from './support.ts';

const ROOM = { most: 8, characters: 200 };

test('what all rows share is said once, and what differs has a column', () => {
  const columns = columnsOf(
    [
      rowOf('http.duration', 'http.request.method=GET', 'http.route=/a', 'url.scheme=http'),
      rowOf('http.duration', 'http.request.method=GET', 'http.route=/b', 'url.scheme=http'),
      rowOf('http.duration', 'http.request.method=POST', 'http.route=/b', 'url.scheme=http'),
    ],
    ROOM,
  );

  expect(columns).toMatchObject({ hasFamily: false, family: 'http.duration', common: ['url.scheme=http'] });
  // Both begin with `http.`.
  expect(columns.attributes.map(({ title }) => title)).toEqual(['request.method', 'route']);
  expect(columns.rest).toEqual([]);
});

test('a key is shown in full unless all columns share its namespace', () => {
  const columns = columnsOf(
    [rowOf('a', 'k8s.pod.name=x', 'cpu=1'), rowOf('a', 'k8s.pod.name=y', 'cpu=2')],
    ROOM,
  );
  expect(columns.attributes.map(({ title }) => title)).toEqual(['cpu', 'k8s.pod.name']);

  const single = columnsOf([rowOf('a', 'k8s.pod.name=x'), rowOf('a', 'k8s.pod.name=y')], ROOM);
  expect(single.attributes.map(({ title }) => title)).toEqual(['k8s.pod.name']);
});

test('several families have a column of their names, and what a family has in all of its rows is left out', () => {
  const columns = columnsOf(
    [
      rowOf('a', 'route=/x', 'scheme=http'),
      rowOf('a', 'route=/y', 'scheme=http'),
      rowOf('b', 'cpu=0'),
      rowOf('b', 'cpu=1'),
    ],
    ROOM,
  );

  expect(columns.hasFamily).toBe(true);
  expect(columns.family).toBeUndefined();
  expect(columns.attributes.map(({ key }) => key).sort()).toEqual(['cpu', 'route']);
  expect(columns.common).toEqual([]);
});

test('a single row shows its name, and its attributes are said above it', () => {
  expect(columnsOf([rowOf('a', 'x=1', 'y=2')], ROOM)).toMatchObject({
    ...{ hasFamily: true, attributes: [], rest: [], common: ['x=1', 'y=2'] },
  });
  expect(columnsOf([], ROOM)).toMatchObject({ hasFamily: true, attributes: [], common: [] });
});

test('the end of a cut text is as long as it must be to tell names apart, and no longer', () => {
  const queues = [1, 2, 10].map((n) =>
    rowOf(`com.example.payments.settlement.queue${n}.duration`, `pod=p-${n}`),
  );
  const { familyTail, attributes } = columnsOf(queues, ROOM);
  const ends = queues.map(({ family }) => family.name.slice(-familyTail));
  expect(new Set(ends).size).toBe(3);
  expect(familyTail).toBeLessThan(12);
  expect(attributes.map(({ tail }) => tail)).toEqual([]);
  // Their beginnings tell these apart.
  const zones = ['eu-1', 'us-2'].map((zone) => rowOf('a', `zone=${zone}.compute.internal.example.com`));
  expect(columnsOf(zones, ROOM).attributes.map(({ tail }) => tail)).toEqual([7]);
});

test('the most telling attributes have the columns that have room', () => {
  const rows = Array.from({ length: 12 }, (_, n) =>
    rowOf('a', `pod=pod-${n}`, `half=${n % 2}`, `third=${n % 3}`),
  );

  const two = columnsOf(rows, { most: 2, characters: 1000 });
  expect(two.attributes.map(({ key }) => key)).toContain('pod');
  expect(two.attributes).toHaveLength(2);
  expect(two.rest).toHaveLength(1);
  // The pod alone distinguishes all rows.
  expect(two.isDistinct).toBe(true);

  const narrow = columnsOf(rows, { most: 8, characters: 12 });
  expect(narrow.attributes.map(({ key }) => key)).toEqual(['pod']);
  expect(narrow.isCramped).toBe(true);
});

test('all of many attributes have a column or are in the rest', () => {
  const rows = [0, 1].map((n) =>
    rowOf('a', ...Array.from({ length: 20 }, (_, key) => `k${String(key).padStart(2, '0')}=${n}`)),
  );
  const { attributes, rest } = columnsOf(rows, { most: 3, characters: 1000 });
  expect([attributes.length, rest.length, rest.at(-1)]).toEqual([3, 17, 'k19']);
});

test('the columns are not distinct when rows differ in the rest only', () => {
  const rows = [rowOf('a', 'x=1', 'y=1'), rowOf('a', 'x=1', 'y=2'), rowOf('a', 'x=2', 'y=1')];
  const columns = columnsOf(rows, { most: 1, characters: 100 });

  expect(columns).toMatchObject({ isDistinct: false, rest: ['y'] });
});

test('an attribute that some rows lack distinguishes them', () => {
  const columns = columnsOf([rowOf('a', 'x=1', 'error=timeout'), rowOf('a', 'x=1')], ROOM);

  expect(columns.attributes.map(({ key }) => key)).toEqual(['error']);
  expect(columns.common).toEqual(['x=1']);
});

test('columns stay the same object while the rows have the same names', () => {
  const memo = new ColumnsMemo();
  const rows = [rowOf('a', 'x=1'), rowOf('a', 'x=2')];

  const first = memo.of(rows, ROOM);

  expect(memo.of([...rows].reverse(), { ...ROOM })).toBe(first);
  expect(memo.of([...rows, rowOf('a', 'x=3')], ROOM)).toBe(first);
  expect(memo.of([...rows, rowOf('b')], ROOM)).not.toBe(first);
});
