import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HdrscopeError } from '@hdrscope/core';
import { createRegistry, type Snapshot } from '@hdrscope/registry';
import { expectMisspelt } from '@hdrscope/testing/refusals';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import { type HistoryRow, type HistoryTable, openHistory, queryHistory } from '../../src/index.ts';
import { rowsIn } from '../support/folder.ts';
import { opened, START_MS, until } from '../support/runtime.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

async function flatRows(folder: string): Promise<HistoryRow[]> {
  return [...(await rowsIn(folder)).values()].flat();
}

/** A table whose inserts are a function of a test. */
const tableOf = (write: (rows: readonly HistoryRow[]) => Promise<void>): HistoryTable => ({
  name: 'table',
  open: async () => ({
    name: 'table',
    maxBatchBytes: Number.POSITIVE_INFINITY,
    async write({ rows }) {
      await write(rows);
      return 1;
    },
    errorOf: (cause) => new HdrscopeError('ERR_HISTORY_TABLE', 'no insert', { cause }),
    close: async () => {},
  }),
});

describe('a history', () => {
  test('has a row for each series and interval, with the exact extremes of the interval', async () => {
    const { folder, record, tick, sink } = await opened();
    record(0.25, { route: '/pay' });
    record(0.5, { route: '/pay' });
    record(3, { route: '/search' });
    await tick();
    record(0.001, { route: '/pay' });
    await tick();
    await tick();
    await sink.close();
    const rows = await flatRows(folder);
    expect(
      rows.map(({ attributes, startMs, endMs, count, sum, min, max }) => [
        attributes.route,
        (startMs - START_MS) / 1000,
        (endMs - START_MS) / 1000,
        [count, sum, min, max],
      ]),
    ).toEqual([
      ['/pay', 0, 60, [2, 0.75e9, 0.25e9, 0.5e9]],
      ['/pay', 60, 120, [1, 1e6, 1e6, 1e6]],
      ['/search', 0, 60, [1, 3e9, 3e9, 3e9]],
    ]);
    expect(rows.map(({ sequence }) => sequence).sort()).toEqual([0, 1, 2]);
    expect(new Set(rows.map(({ producer }) => producer))).toEqual(new Set([sink.health.producer]));
    expect(sink.health.producer).toMatch(/^shop [0-9a-f]{16}$/);
  });

  test('says up to which snapshot it has rows, and another one goes on there', async () => {
    const folder = newDirectory();
    const registry = createRegistry();
    const series = registry.histogram({ name: 'lat', unit: 's' }).with({});
    const collected: Snapshot[] = [];
    series.record(1);
    const first = await openHistory(registry, {
      folder,
      onCollected: (snapshot) => collected.push(snapshot),
    });
    await first.close();
    series.record(2);
    const second = await openHistory(registry, { folder, since: collected.at(-1)! });
    await second.close();
    expect((await flatRows(folder)).map(({ count, sum }) => [count, sum])).toEqual(
      expect.arrayContaining([
        [1, 1e9],
        [1, 2e9],
      ]),
    );
    expect(collected).toHaveLength(1);
  });

  test('waits until a file is old, or has enough rows', async () => {
    const { folder, record, tick, sink } = await opened({ batchMs: 180_000, maxBatchRows: 3 });
    for (let i = 0; i < 2; i++) {
      record();
      await tick();
    }
    expect((await rowsIn(folder)).size).toBe(0);
    expect(sink.health).toMatchObject({ waitingRows: 2, writtenRows: 0 });
    record();
    await tick();
    expect([...(await rowsIn(folder)).values()].map(({ length }) => length)).toEqual([3]);
    record();
    await tick();
    for (let i = 0; i < 3; i++) await tick();
    expect([...(await rowsIn(folder)).values()].map(({ length }) => length)).toEqual([3, 1]);
    expect(sink.health).toMatchObject({ waitingRows: 0, waitingBytes: 0, writtenRows: 4, writtenBatches: 2 });
    await sink.close();
  });

  test('keeps the rows of each interval on the disk, where questions find them, until a larger file has them', async () => {
    const { folder, record, tick, sink } = await opened({ batchMs: 180_000 });
    const names = () => readdirSync(join(folder, 'day=2026-11-22')).sort();
    for (let minute = 1; minute <= 3; minute++) {
      record();
      await tick();
      expect(
        names().map((name) => /^_\d+-shop-[0-9a-f]{16}-waiting-(\d)\.parquet\.waiting$/.exec(name)?.[1]),
      ).toEqual(['0', '1', '2'].slice(0, minute));
      expect(await queryHistory(folder, { metric: 'rpc' })).toMatchObject([{ count: minute }]);
    }
    await tick();
    expect(names()).toEqual([expect.stringMatching(/^\d+-shop-[0-9a-f]{16}-0\.parquet$/)]);
    expect(await queryHistory(folder, { metric: 'rpc' })).toMatchObject([{ count: 3 }]);
    await sink.close();
  });

  test('writes batches while it makes further rows: no more rows wait than a batch has', async () => {
    const registry = createRegistry();
    const lat = registry.histogram({ name: 'lat', unit: 's' });
    for (let i = 0; i < 25; i++) lat.with({ i }).record(1);
    const waiting: number[] = [];
    const sequences: number[] = [];
    const sink = await openHistory(registry, {
      table: tableOf(async (rows) => {
        waiting.push(sink.health.waitingRows);
        sequences.push(...rows.map(({ sequence }) => sequence));
      }),
      maxBatchRows: 10,
    });
    expect(await sink.flush()).toBe(true);
    expect(waiting).toEqual([10, 10, 5]);
    expect(sequences).toEqual(Array.from({ length: 25 }, (_, sequence) => sequence));
    await sink.close();
  });

  test('goes on with an interval of which a batch has failed, and writes each row once', async () => {
    const registry = createRegistry();
    const lat = registry.histogram({ name: 'lat', unit: 's' });
    for (let i = 0; i < 25; i++) lat.with({ i }).record(1);
    const sequences: number[] = [];
    let tries = 0;
    const sink = await openHistory(registry, {
      table: tableOf(async (rows) => {
        if (++tries === 2) throw new Error('the disk is full');
        sequences.push(...rows.map(({ sequence }) => sequence));
      }),
      maxBatchRows: 10,
      onError: () => {},
    });
    expect(await sink.flush()).toBe(false);
    expect(tries).toBe(2);
    expect(sink.health).toMatchObject({ isFailing: true, writtenRows: 10, waitingRows: 15, lostRows: 0 });
    expect(await sink.flush()).toBe(true);
    expect(sequences).toEqual(Array.from({ length: 25 }, (_, sequence) => sequence));
    await sink.close();
  });

  test('has a folder for each day on which an interval starts', async () => {
    const { folder, record, tick, time, sink } = await opened();
    time.setWallClock(Date.parse('2026-11-22T23:58:30Z'));
    for (let i = 0; i < 3; i++) {
      record();
      await tick();
    }
    expect(await sink.flush()).toBe(true);
    const names = [...(await rowsIn(folder)).keys()];
    expect(names.map((name) => name.slice(0, 14))).toEqual(['day=2026-11-22', 'day=2026-11-23']);
    expect(names[1]).toMatch(/^day=2026-11-23\/\d+-shop-[0-9a-f]{16}-1\.parquet$/);
    await sink.close();
  });

  test('leaves out the counts of a snapshot', async () => {
    const registry = createRegistry();
    const series = registry.histogram({ name: 'rpc', unit: 's' }).with({});
    series.record(1);
    const since = await registry.gather({ maxAgeMs: 0 });
    series.record(2);
    const folder = newDirectory();
    await (await openHistory(registry, { folder, since })).close();
    expect(await flatRows(folder)).toMatchObject([{ count: 1, max: 2e9 }]);
  });

  test('of several processes is one history', async () => {
    const folder = newDirectory();
    for (const producer of ['a', 'b', 'b']) {
      const registry = createRegistry();
      registry.histogram({ name: 'rpc', unit: 's' }).with({}).record(1);
      await (await openHistory(registry, { folder, producer })).close();
    }
    expect(await queryHistory(folder, { metric: 'rpc' })).toMatchObject([{ count: 3 }]);
  });
});

describe('a failing disk', () => {
  test.each(['open', 'write', 'datasync', 'rename'] as const)(
    'keeps the rows in memory when it fails at %s, and each is written once when it works again',
    async (operation) => {
      const { folder, record, tick, faulty, events, sink } = await opened({ maxBatchRows: 1 });
      faulty.faults.set(operation, 'ENOSPC');
      record();
      await tick();
      record();
      await tick();
      expect(sink.health).toMatchObject({ isFailing: true, failures: 2, waitingRows: 2, lostRows: 0 });
      expect(sink.health.lastError).toMatchObject({ code: 'ERR_HISTORY_FILE', cause: { code: 'ENOSPC' } });
      expect(events).toEqual([`cannot write ${folder}: ENOSPC: injected fault, ${operation}`]);
      faulty.faults.clear();
      await tick();
      expect(sink.health).toMatchObject({ isFailing: false, waitingRows: 0, writtenRows: 2 });
      expect(events.slice(1)).toEqual(['recovered']);
      expect((await flatRows(folder)).length).toBe(2);
      expect(
        readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith('.partial')),
      ).toEqual([]);
      expect(faulty.openFiles).toBe(0);
      await sink.close();
    },
  );

  test('is tried ever more rarely where intervals are short, and at once by a flush', async () => {
    const { record, fire, faulty, sink } = await opened({ intervalMs: 100, batchMs: 0 });
    faulty.faults.set('open', 'EIO');
    record();
    for (let i = 0; i < 200; i++) {
      fire(100);
      await sink.idle();
    }
    // 20 s: waits of 100 ms, 200 ms, 400 ms and so on, each up to a half shorter.
    expect(sink.health.failures).toBeGreaterThanOrEqual(7);
    expect(sink.health.failures).toBeLessThanOrEqual(10);
    faulty.faults.clear();
    expect(await sink.flush()).toBe(true);
    await sink.close();
  });

  test('costs bounded memory: the oldest rows are lost, and counted', async () => {
    const { record, tick, faulty, sink, folder } = await opened({ maxBatchRows: 1, maxWaitingBytes: 2000 });
    faulty.faults.set('write', 'EIO');
    for (let i = 0; i < 10; i++) {
      record();
      record();
      await tick();
    }
    const { waitingRows, waitingBytes, lostRows, lostValues } = sink.health;
    expect(waitingBytes).toBeLessThanOrEqual(2000);
    expect(waitingRows).toBeGreaterThan(1);
    expect([waitingRows + lostRows, lostValues]).toEqual([10, 2 * lostRows]);
    faulty.faults.clear();
    await sink.close();
    expect((await flatRows(folder)).map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: waitingRows }, (_, i) => lostRows + i),
    );
  });

  test('leaves a batch that was tried as it is, so that it is written once, or lost as a whole', async () => {
    const { record, tick, faulty, sink, folder } = await opened({ batchMs: 0, maxWaitingBytes: 1500 });
    const recordAndTick = async () => {
      record();
      await tick();
    };
    faulty.faults.set('rename', 'EIO');
    for (let i = 0; i < 3; i++) await recordAndTick();
    expect(sink.health).toMatchObject({ waitingRows: 3, lostRows: 0 });
    faulty.faults.clear();
    await recordAndTick();
    expect([...(await rowsIn(folder)).values()].map(({ length }) => length)).toEqual([1, 3]);
    faulty.faults.set('rename', 'EIO');
    await recordAndTick();
    await recordAndTick();
    await recordAndTick();
    await recordAndTick();
    expect(sink.health).toMatchObject({ waitingRows: 3, lostRows: 1, uncertainRows: 1, writtenRows: 4 });
    await sink.close();
  });

  test('costs no row that was kept before, and such rows count once when their file cannot be removed', async () => {
    const { folder, record, tick, faulty, sink } = await opened({ batchMs: 120_000, maxWaitingBytes: 1 });
    record();
    // The row is dropped from memory at once.
    await tick();
    expect(sink.health).toMatchObject({ waitingRows: 0, lostRows: 0 });
    expect(await queryHistory(folder, { metric: 'rpc' })).toMatchObject([{ count: 1 }]);
    faulty.faults.set('open', 'ENOSPC');
    record();
    await tick();
    expect(sink.health).toMatchObject({ waitingRows: 0, lostRows: 1, isFailing: true });
    faulty.faults.clear();
    await sink.close();
    const second = await opened({ batchMs: 60_000 }, folder);
    second.record();
    await second.tick();
    second.faulty.faults.set('unlink', 'EACCES');
    await second.sink.close();
    expect(second.sink.health).toMatchObject({ writtenRows: 1, lostRows: 0 });
    const endings = readdirSync(join(folder, 'day=2026-11-22')).map((name) => name.replace(/^.*-\d\./, ''));
    expect(endings.sort()).toEqual(['parquet', 'parquet.waiting', 'parquet.waiting']);
    expect(await queryHistory(folder, { metric: 'rpc' })).toMatchObject([{ count: 2 }]);
  });

  test('is reported by close, which gives the rows up', async () => {
    const { record, faulty, events, sink } = await opened();
    record();
    faulty.faults.set('rename', 'EROFS');
    await sink.close();
    expect(events).toEqual([expect.stringContaining('EROFS')]);
    expect(sink.health).toMatchObject({ isClosed: true, lostRows: 1, lostValues: 1, waitingRows: 0 });
  });

  test('that hangs does not hold close longer than its timeout', async () => {
    const { record, faulty, events, sink } = await opened({ closeTimeoutMs: 20 });
    record();
    let open = () => {};
    faulty.gate = new Promise((resolve) => {
      open = resolve;
    });
    await sink.close();
    expect(events).toEqual([expect.stringContaining('the last rows were not written within 20 ms')]);
    open();
    await sink.idle();
  });

  test('and a listener that throws do not disturb the process', async () => {
    const warnings: string[] = [];
    const { emitWarning } = process;
    process.emitWarning = (warning: string | Error) => void warnings.push(String(warning));
    const thrower = () => {
      throw new Error('of the listener');
    };
    const { record, faulty, sink, tick } = await opened({ maxBatchRows: 1, onError: thrower });
    record();
    faulty.faults.set('open', 'EACCES');
    await tick();
    process.emitWarning = emitWarning;
    expect(warnings).toEqual(['of the listener']);
    faulty.faults.clear();
    await sink.close();
    expect(sink.health.writtenRows).toBe(1);
  });
});

describe('the end', () => {
  test('writes what is there, and stops the timer', async () => {
    const { folder, record, sink, timers } = await opened();
    record();
    expect(timers()).toBe(1);
    const closing = sink.close();
    expect(sink.close()).toBe(closing);
    await closing;
    expect(timers()).toBe(0);
    expect(await sink.flush()).toBe(false);
    expect((await flatRows(folder)).length).toBe(1);
  });

  test('of a registry that counted nothing leaves no file', async () => {
    const { folder, sink, tick } = await opened();
    await tick();
    await sink.close();
    expect((await rowsIn(folder)).size).toBe(0);
  });
});

describe('a refusal', () => {
  test.each([
    [{ folder: '' }, 'folder must be the path of a folder, unless there is a table, got ""'],
    [{ intervalMs: 0 }, 'intervalMs must be a number of milliseconds from 1 to 2^31 - 1, got 0'],
    [{ batchMs: Number.NaN }, 'batchMs must be a number of milliseconds from 0 to 2^31 - 1, got NaN'],
    [{ maxBatchRows: 0.5 }, 'maxBatchRows must be an integer of at least 1, got 0.5'],
    [{ maxWaitingBytes: 0 }, 'maxWaitingBytes must be an integer of at least 1, got 0'],
    [{ producer: '' }, 'producer must be a text, not empty, got ""'],
    [
      { closeTimeoutMs: -1 },
      'closeTimeoutMs must be a number of milliseconds above 0 and at most 2^31 - 1, got -1',
    ],
  ])('of the options %j leaves no folder', async (options, message) => {
    const folder = join(newDirectory(), 'history');
    await expect(async () => openHistory(createRegistry(), { folder, ...options })).rejects.toMatchObject({
      code: 'ERR_INVALID_OPTION',
      message,
    });
    expect(() => readdirSync(folder)).toThrow('ENOENT');
  });

  test('names the option that was meant', async () => {
    const options = { folder: newDirectory(), intervalMS: 1 };
    await expectMisspelt(() => openHistory(createRegistry(), options as never), 'intervalMs');
  });

  test('says that the folder cannot be written', async () => {
    const file = join(newDirectory(), 'file');
    writeFileSync(file, '');
    await expect(openHistory(createRegistry(), { folder: join(file, 'history') })).rejects.toMatchObject({
      code: 'ERR_HISTORY_FILE',
      message: expect.stringContaining('ENOTDIR'),
    });
  });

  test('leaves no probe behind', async () => {
    const folder = join(newDirectory(), 'a', 'b');
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o700);
    await (await openHistory(createRegistry(), { folder })).close();
    expect(readdirSync(folder)).toEqual([]);
  });
});

test('an interval that ends while the one before is being written becomes part of the next one', async () => {
  const { folder, record, sink, faulty, tick, fire } = await opened({ maxBatchRows: 1 });
  let open = () => {};
  faulty.gate = new Promise((resolve) => {
    open = resolve;
  });
  record();
  fire();
  await until(() => sink.health.waitingRows === 1);
  record();
  fire();
  expect(sink.health.skippedTicks).toBe(1);
  open();
  await sink.idle();
  await tick();
  expect((await flatRows(folder)).map(({ startMs, endMs }) => endMs - startMs)).toEqual([60_000, 120_000]);
  await sink.close();
});
