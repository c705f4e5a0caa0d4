import { IngestMemory } from '../../src/index.ts';
import type { StreamLimits } from '../../src/ingest/memory.ts';
import { reading } from '../support/readings.ts';

/** A memory that has kept readings of these keys and epochs, in this order, one each millisecond. */
function memoryOf(readings: readonly (readonly [key: string, epoch: string])[], limits: StreamLimits = {}) {
  const memory = new IngestMemory();
  for (const [nowMs, [key, epoch]] of readings.entries()) {
    memory.keep(reading([1, 0, 0, 0], { key, counter: { epoch } }), nowMs, limits);
  }
  return memory;
}

describe('the latest epoch of a key', () => {
  test('is the epoch of its last reading', () => {
    const memory = memoryOf([
      ['a', '1'],
      ['b', '7'],
      ['a', '2'],
    ]);
    expect([memory.latestEpoch('a'), memory.latestEpoch('b')]).toEqual(['2', '7']);
  });

  test('may be an earlier epoch again when epochs go on side by side', () => {
    const readings = ['1', '2', '1'].map((epoch) => ['a', epoch] as const);
    expect(memoryOf(readings, { epochs: 'side by side' }).latestEpoch('a')).toBe('1');
  });

  test('is undefined for an unknown or forgotten key, and empty for a counter without epochs', () => {
    const memory = memoryOf([['a', '1']]);
    memory.forget('a');
    memory.keep(reading([1, 0, 0, 0], { key: 'b' }), 5, {});
    expect([memory.latestEpoch('a'), memory.latestEpoch('b')]).toEqual([undefined, '']);
  });
});

test('one life of a key is remembered when lives follow each other', () => {
  const memory = memoryOf([
    ['a', '1'],
    ['a', '2'],
  ]);
  expect(memory.lifeOf('a', '1')).toBeUndefined();
  expect(memory.lifeOf('a', '2')).toMatchObject({ seenMs: 1 });
});

test('sixteen lives of a key are remembered side by side, those that were read last', () => {
  const readings = Array.from({ length: 17 }, (_, epoch) => ['a', String(epoch)] as const);
  const memory = memoryOf([...readings.slice(0, 16), ['a', '0'], readings[16]!], { epochs: 'side by side' });
  expect(memory.lifeOf('a', '1')).toBeUndefined();
  for (const epoch of ['0', '2', '16']) expect(memory.lifeOf('a', epoch)).toBeDefined();
});

test('a life that was not read for long makes room for another one', () => {
  const limits: StreamLimits = { epochs: 'side by side', forgetAfterMs: 2 };
  const memory = memoryOf(
    ['1', '2', '3'].map((epoch) => ['a', epoch] as const),
    limits,
  );
  expect(memory.lifeOf('a', '1')).toBeUndefined();
  expect(memory.lifeOf('a', '2')).toBeDefined();
});

test('a new key takes the room of the key that was not read for longest', () => {
  const limits: StreamLimits = { maxStreams: 2, forgetAfterMs: 3 };
  const memory = memoryOf(
    [
      ['a', ''],
      ['b', ''],
      ['a', ''],
    ],
    limits,
  );
  expect([memory.hasRoomFor('c', 3, limits), memory.hasRoomFor('b', 3, limits)]).toEqual([false, true]);
  expect(memory.hasRoomFor('c', 4, limits)).toBe(true);
  memory.keep(reading([1, 0, 0, 0], { key: 'c' }), 4, limits);
  expect([...memory.keys()]).toEqual(['a', 'c']);
});

test('the last reading of a delta counter is not kept, but its last eight sequences are', () => {
  const memory = new IngestMemory();
  for (let sequence = 1n; sequence <= 9n; sequence++) {
    memory.keep(reading([1, 0, 0, 0], { counter: { temporality: 'delta', sequence } }), 0, {});
  }
  expect(memory.lifeOf('a', '')).toEqual({
    epoch: '',
    last: undefined,
    sequences: [2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n],
    seenMs: 0,
  });
});

test('counters that began before the last one that was forgotten are unknown', () => {
  const limits: StreamLimits = { maxStreams: 2, forgetAfterMs: 3 };
  const memory = new IngestMemory();
  memory.unknownUntilMs = 0;
  for (const [nowMs, key] of ['a', 'a', 'b'].entries())
    memory.keep(reading([1, 0, 0, 0], { key }), nowMs, limits);
  expect(memory.unknownUntilMs).toBe(0);
  memory.keep(reading([1, 0, 0, 0], { key: 'c' }), 9, limits);
  expect(memory.unknownUntilMs).toBe(1);
  const sideBySide: StreamLimits = { epochs: 'side by side', forgetAfterMs: 3 };
  memory.keep(reading([1, 0, 0, 0], { key: 'c', counter: { epoch: '2' } }), 20, sideBySide);
  expect(memory.unknownUntilMs).toBe(9);
});
