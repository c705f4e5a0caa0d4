import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRegistry } from '@hdrscope/registry';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import { historyMetrics, openHistory, rowsBetween, writeRows } from '../../src/index.ts';

shareDuckDb();

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hdrscope-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('lists metrics with their units, keys, series and counts', async () => {
  const registry = createRegistry();
  const durations = registry.histogram({ name: 'http.duration', unit: 's' });
  durations.with({ route: '/pay' }).record(0.25);
  durations.with({ route: '/pay', status: 200 }).record(0.5);
  registry.histogram({ name: 'sizes', unit: 'By' }).with({}).record(7);
  const history = await openHistory(registry, { folder });
  await history.flush();
  durations.with({ route: '/pay' }).record(0.25);
  await history.close();
  const metrics = await historyMetrics(folder);
  expect(metrics).toEqual([
    expect.objectContaining({
      metric: 'http.duration',
      unit: 's',
      scale: 1e-9,
      keys: ['route', 'status'],
      series: 2,
      rows: 3,
      count: 3,
    }),
    expect.objectContaining({ metric: 'sizes', unit: 'By', keys: [], series: 1, rows: 1, count: 1 }),
  ]);
  const { startMs, endMs } = metrics[0]!;
  expect(startMs).toBeLessThanOrEqual(endMs);
  expect(Math.abs(Date.now() - endMs)).toBeLessThan(60_000);
});

test('counts a row once that is in two files, and keeps scales of one metric apart', async () => {
  const day = join(folder, 'day=2026-11-22');
  for (const resolution of [1e-9, 1e-6]) {
    const registry = createRegistry();
    registry.histogram({ name: 'http.duration', unit: 's', resolution }).with({}).record(1);
    const rows = [...rowsBetween(undefined, await registry.gather(), { producer: `p ${resolution}` })];
    await writeRows(join(day, `${resolution}-a.parquet`), rows);
    await writeRows(join(day, `${resolution}-b.parquet`), rows);
  }
  expect((await historyMetrics(folder)).map(({ scale, rows, count }) => [scale, rows, count])).toEqual([
    [1e-9, 1, 1],
    [1e-6, 1, 1],
  ]);
});

test('an empty folder has no metrics, and a missing one is an error', async () => {
  expect(await historyMetrics(folder)).toEqual([]);
  await expect(historyMetrics(join(folder, 'none'))).rejects.toMatchObject({ code: 'ERR_HISTORY_FILE' });
});
