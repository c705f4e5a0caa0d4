import type { HistoryRow } from '../../src/index.ts';
import { WaitingRows } from '../../src/sink/waiting.ts';
import { rowsOf } from '../support/recorded.ts';

const DAY_MS = 86_400_000;

/** Rows of 400 bytes and some slots of 24. */
async function rows(count: number): Promise<HistoryRow[]> {
  const [row] = await rowsOf([{ significantDigits: 2, attributes: {}, intervals: [[1, 2, 3]] }]);
  return Array.from({ length: count }, (_, sequence) => ({ ...row!, sequence }));
}

test('a batch has rows of one day, and neither more rows nor more bytes than asked for', async () => {
  const waiting = new WaitingRows();
  const [first, second, third, fourth] = (await rows(4)) as [HistoryRow, HistoryRow, HistoryRow, HistoryRow];
  const tomorrow = { ...second, startMs: second.startMs + DAY_MS };
  waiting.add([first, tomorrow, third, fourth], 0);
  const batch = waiting.next(2, Number.POSITIVE_INFINITY);
  expect(batch).toEqual({ number: 0, rows: [first, third] });
  await waiting.remove(batch);
  const next = waiting.next(10, 1);
  expect(next).toEqual({ number: 1, rows: [tomorrow] });
  await waiting.remove(next);
  expect(waiting.next(10, 1).rows).toEqual([fourth]);
});

test('a batch of small rows fills its bytes', async () => {
  const waiting = new WaitingRows();
  waiting.add(await rows(10), 0);
  const ofOne = waiting.bytes / 10;
  expect(waiting.next(10, 3.5 * ofOne).rows).toHaveLength(3);
});

test('a batch that was tried stays, and is lost first and as a whole', async () => {
  const waiting = new WaitingRows();
  const all = await rows(5);
  waiting.add(all.slice(0, 3), 0);
  const ofOne = waiting.bytes / 3;
  const batch = waiting.next(2, Number.POSITIVE_INFINITY);
  waiting.add(all.slice(3), 0);
  expect(waiting.next(10, Number.POSITIVE_INFINITY)).toBe(batch);
  expect(waiting.dropBeyond(5 * ofOne)).toEqual({ rows: [], tried: 0 });
  expect(waiting.dropBeyond(4.5 * ofOne)).toEqual({ rows: all.slice(0, 2), tried: 2 });
  expect(waiting.next(10, Number.POSITIVE_INFINITY)).toEqual({ number: 1, rows: all.slice(2) });
});

test('rows are kept by days, once, and removed there when none of them waits any more', async () => {
  const waiting = new WaitingRows();
  const [first, second, third, fourth] = (await rows(4)) as [HistoryRow, HistoryRow, HistoryRow, HistoryRow];
  const tomorrow = { ...second, startMs: second.startMs + DAY_MS };
  waiting.add([first, tomorrow, third], 0);
  const removed: number[] = [];
  for (let batch = waiting.nextToKeep(10); batch !== undefined; batch = waiting.nextToKeep(10)) {
    const { number } = batch;
    waiting.keep(batch, async () => void removed.push(number));
  }
  waiting.add([fourth], 1);
  expect(waiting.nextToKeep(10)).toEqual({ number: 2, rows: [fourth] });
  await waiting.remove(waiting.next(1, Number.POSITIVE_INFINITY));
  expect(removed).toEqual([]);
  await waiting.remove(waiting.next(10, Number.POSITIVE_INFINITY));
  expect(removed).toEqual([1]);
  await waiting.remove(waiting.next(10, Number.POSITIVE_INFINITY));
  expect([removed, waiting.length]).toEqual([[1, 0], 0]);
});

test('rows that are kept are not lost, and stay where they are', async () => {
  const waiting = new WaitingRows();
  const all = await rows(3);
  waiting.add(all.slice(0, 2), 0);
  const removed: string[] = [];
  waiting.keep(waiting.nextToKeep(10)!, async () => void removed.push('removed'));
  waiting.add(all.slice(2), 1);
  expect(waiting.dropBeyond(0)).toEqual({ rows: [all[2]], tried: 0 });
  expect([waiting.length, waiting.bytes, removed]).toEqual([0, 0, []]);
});
