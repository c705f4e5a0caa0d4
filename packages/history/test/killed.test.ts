import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { BuiltPackages } from '@hdrscope/testing';
import { caseCount } from '@hdrscope/testing/case-count';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import { compactHistory, queryHistory, rollUpHistory } from '../src/index.ts';
import { folderWith, minutes } from './support/filled-folder.ts';
import { rowsIn, writeRows } from './support/folder.ts';
import { runScript } from './support/killed.ts';
import { newDirectory } from './support/sandbox.ts';

shareDuckDb();

const DAY_MS = 86_400_000;
const LATER_MS = Date.parse('2024-01-01');

/** Moments at which a process dies, from its start on. */
const listMoments = (wholeMs: number, count: number): number[] =>
  Array.from({ length: count }, (_, n) => (wholeMs * n) / count);

describe('a process that is killed', () => {
  let packages: BuiltPackages;
  beforeAll(() => {
    packages = new BuiltPackages(['history']);
  });
  afterAll(() => packages.remove());

  test('while it records loses at most the interval that had not ended, and doubles nothing', async () => {
    const script = packages.script(
      'record',
      `import { openHistory } from '@hdrscope/history';
      import { createRegistry } from '@hdrscope/registry';
      const registry = createRegistry();
      const series = registry.histogram({ name: 'lat', unit: 's' }).with({});
      await openHistory(registry, {
        folder: process.argv[2],
        intervalMs: 20,
        maxBatchRows: 4,
        onCollected: ({ families }) => console.log(families[0].series[0]?.counts.total ?? 0),
      });
      let recorded = 0;
      setInterval(() => series.record(++recorded / 1000), 1);`,
    );
    for (const killAfterMs of listMoments(600, caseCount(5, 30))) {
      const folder = newDirectory();
      let printed = '';
      await runScript(script, [folder], killAfterMs, (text) => {
        printed += text;
      });
      const kept = Number(printed.trimEnd().split('\n').at(-1));
      const [found] = await queryHistory(folder, { metric: 'lat' });
      expect(found?.count ?? 0).toBeGreaterThanOrEqual(kept);
      // Values are 1, 2, 3 ms and so on.
      expect(found?.count ?? 0).toBe(Math.round((found?.max.upper ?? 0) * 1000));
      await compactHistory(folder, { nowMs: Date.now() + 2 * DAY_MS });
      expect((await rowsIn(folder)).size).toBeLessThanOrEqual(1);
      expect(await queryHistory(folder, { metric: 'lat' })).toEqual(found === undefined ? [] : [found]);
    }
  });

  test('while it compacts loses no row and doubles none, for a reader at any time', async () => {
    const script = packages.script(
      'compact',
      `import { compactHistory } from '@hdrscope/history';
      console.log('begins');
      await compactHistory(process.argv[2], { nowMs: ${LATER_MS} });`,
    );
    const run = (folder: string, killAfterMs?: number): Promise<number> =>
      runScript(script, [folder], killAfterMs);
    const { folder: filled, rows } = await folderWith(12, 40);
    const copy = (): string => {
      const folder = newDirectory();
      cpSync(filled, folder, { recursive: true });
      return folder;
    };
    const wholeMs = await run(copy());
    const outcomes = new Set<number>();
    // At several moments, and not at all.
    for (const killAfterMs of [...listMoments(wholeMs, caseCount(4, 11)), undefined]) {
      const folder = copy();
      await run(folder, killAfterMs);
      const names = readdirSync(join(folder, 'day=2023-11-14'));
      outcomes.add(names.length);
      expect(await queryHistory(folder, { metric: 'lat' })).toMatchObject([{ count: 3 * rows.length }]);
      await compactHistory(folder, { nowMs: LATER_MS });
      const files = await rowsIn(folder);
      expect([files.size, [...files.values()].flat().length]).toEqual([1, rows.length]);
    }
    expect(outcomes.size).toBeGreaterThan(1);
  });

  test('while it rolls up leaves whole days, and the next call makes the others', async () => {
    const script = packages.script(
      'rollup',
      `import { rollUpHistory } from '@hdrscope/history';
      console.log('begins');
      await rollUpHistory(process.argv[2], process.argv[3], { nowMs: ${LATER_MS} });`,
    );
    const folder = newDirectory();
    const days = caseCount(2, 4);
    const rows = await minutes(caseCount(200, 400));
    for (let day = 0; day < days; day++) {
      const ofDay = rows.map((row, i) => ({
        ...row,
        startMs: row.startMs + day * DAY_MS,
        endMs: row.endMs + day * DAY_MS,
        sequence: day * rows.length + i,
      }));
      await writeRows(folder, ofDay);
    }
    const daysOf = (into: string) => queryHistory(into, { metric: 'lat', everyMs: DAY_MS });
    const run = (into: string, killAfterMs?: number): Promise<number> =>
      runScript(script, [folder, into], killAfterMs);
    const wholeMs = await run(newDirectory());
    for (const killAfterMs of listMoments(wholeMs, caseCount(3, 6))) {
      const into = newDirectory();
      await run(into, killAfterMs);
      for (const { count } of await daysOf(into)) expect(count).toBe(2 * rows.length);
      await rollUpHistory(folder, into, { nowMs: LATER_MS });
      expect((await daysOf(into)).map(({ count }) => count)).toEqual(
        Array.from({ length: days }, () => 2 * rows.length),
      );
    }
  });
});
