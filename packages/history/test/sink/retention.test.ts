import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openHistory, type RemovedHistory } from '../../src/index.ts';
import { minutes } from '../support/filled-folder.ts';
import { rowsIn, writeRows } from '../support/folder.ts';
import { opened } from '../support/runtime.ts';
import { newDirectory } from '../support/sandbox.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const OLD_DAY = 'day=2023-11-14';

async function folderWithOldDay(): Promise<string> {
  const folder = newDirectory();
  await writeRows(folder, await minutes(3));
  return folder;
}

test('old days go at the first interval, and then once an hour', async () => {
  const folder = await folderWithOldDay();
  const done: RemovedHistory[] = [];
  const { record, tick, sink, events } = await opened(
    { keepMs: DAY_MS, onRemoved: (one) => done.push(one) },
    folder,
  );
  expect(existsSync(join(folder, OLD_DAY))).toBe(true);
  record();
  await tick();
  expect(done).toEqual([
    { removed: [{ day: '2023-11-14', files: 1, bytes: expect.any(Number) }], retained: [] },
  ]);
  await writeRows(folder, await minutes(3));
  await tick(HOUR_MS - 1);
  expect(existsSync(join(folder, OLD_DAY))).toBe(true);
  await tick(1);
  expect(existsSync(join(folder, OLD_DAY))).toBe(false);
  expect(events).toEqual([]);
  await sink.close();
  expect([...(await rowsIn(folder)).values()].flat()).toHaveLength(1);
});

test('a day that has to stay is an error until it goes, and rows are written as ever', async () => {
  const folder = await folderWithOldDay();
  const notes = join(folder, OLD_DAY, 'notes.txt');
  writeFileSync(notes, 'mine');
  const { record, tick, sink, events } = await opened({ keepMs: DAY_MS }, folder);
  record();
  await tick();
  const message = `cannot write ${folder}: 1 old day had to stay, the first because ${notes} is no file of a history`;
  expect(events).toEqual([message]);
  expect(sink.health).toMatchObject({ isFailing: true, waitingRows: 1, lostRows: 0 });
  rmSync(notes);
  await tick(HOUR_MS);
  expect(events).toEqual([message, 'recovered']);
  expect(sink.health).toMatchObject({ isFailing: false, writtenRows: 1 });
  await sink.close();
});

test('all days stay without keepMs', async () => {
  const folder = await folderWithOldDay();
  const { record, tick, sink } = await opened({}, folder);
  record();
  await tick();
  await sink.close();
  expect(existsSync(join(folder, OLD_DAY))).toBe(true);
});

test.each([
  [{ folder: 'a', keepMs: DAY_MS - 1 }, 'keepMs must be a number of at least 86400000, got 86399999'],
  [{ folder: 'a', rollup: 'b' }, 'rollup goes with keepMs'],
  [{ table: { name: 't', open: () => Promise.reject() }, keepMs: DAY_MS }, 'keepMs is for a folder'],
])('%j is refused', async (options, message) => {
  const { createRegistry } = await import('@hdrscope/registry');
  await expect(openHistory(createRegistry(), options as never)).rejects.toThrow(message);
});
