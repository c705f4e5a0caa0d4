import {
  attributeKeys,
  isMerged,
  successorOf,
  withFilter,
  withMerged,
  withoutFilter,
} from '../../browser/attributes.ts';
import { rowOf } from './support.ts';

const rows = [
  rowOf('rpc', 'method=get', 'status=200'),
  rowOf('rpc', 'method=get', 'status=500'),
  rowOf('rpc', 'method=put', 'status=200'),
  rowOf('queue', 'name=a=b'),
];
const keys = attributeKeys(rows);

test('keys of all families are listed with how many values each has', () => {
  expect(keys).toEqual([
    { key: 'method', valueCount: 2 },
    // The value has an equals sign.
    { key: 'name', valueCount: 1 },
    { key: 'status', valueCount: 2 },
  ]);
});

test('a merged key is left out of the keys that keep rows apart, and nothing merged is no list', () => {
  const one = withMerged(undefined, 'status', true, keys);
  expect(one).toEqual(['method', 'name']);
  expect([isMerged(one, 'status'), isMerged(one, 'method'), isMerged(undefined, 'status')]).toEqual([
    true,
    false,
    false,
  ]);
  const none = ['method', 'name'].reduce<ReturnType<typeof withMerged>>(
    (by, key) => withMerged(by, key, true, keys),
    one,
  );
  expect(none).toEqual([]);
  expect(withMerged(one, 'status', false, keys)).toBeUndefined();
});

test('a filter is added once, and removed', () => {
  const where = withFilter(withFilter(['status=500'], 'method=get'), 'status=500');
  expect(where).toEqual(['method=get', 'status=500']);
  expect(withoutFilter(where, 'status=500')).toEqual(['method=get']);
});

test('after a merge, the row in which the picked one is follows it', () => {
  const merged = [rowOf('rpc', 'method=get'), rowOf('rpc', 'method=put'), rowOf('queue')];
  const [, second] = rows;
  expect(successorOf(merged, second!.label, second!.attributes)?.label).toBe('rpc method=get');
  expect(successorOf([rowOf('queue'), rowOf('rpc')], second!.label, second!.attributes)?.label).toBe('rpc');
});

test('after a merge ends, a row of the merged ones follows it', () => {
  expect(successorOf(rows, 'rpc method=put', ['method=put'])?.label).toBe('rpc method=put, status=200');
  expect(successorOf(rows, 'rpc', [])?.label).toBe('rpc method=get, status=200');
});

test('no row of another family or of another value follows', () => {
  expect(
    successorOf(rows.slice(1), 'rpc method=get, status=200', ['method=get', 'status=200']),
  ).toBeUndefined();
  expect(successorOf(rows, 'gone method=get', ['method=get'])).toBeUndefined();
  expect(successorOf(rows, 'rpc2', [])).toBeUndefined();
});
