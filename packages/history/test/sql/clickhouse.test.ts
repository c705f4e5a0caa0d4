import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describeWithPeers, programOf } from '@hdrscope/testing';
import fc from 'fast-check';
import {
  type HistoryQuestion,
  type HistorySource,
  historySql,
  historyTableSql,
  mergeRows,
  percentilesOf,
} from '../../src/index.ts';
import { writeRows } from '../support/folder.ts';
import { anyText, groupedBy, INTERVAL_MS, recorded, rowsOf } from '../support/recorded.ts';
import { newDirectory } from '../support/sandbox.ts';

interface Session {
  query(sql: string, format?: string): string;
  cleanup(): void;
}

const PERCENTILES = [0, 50, 99.9, 100];

describeWithPeers(['chdb'])('ClickHouse', () => {
  let session: Session;
  beforeAll(() => {
    const load = createRequire(join(programOf('chdb'), 'tests.js'));
    const { Session } = load('chdb') as { Session: new (path: string) => Session };
    session = new Session(newDirectory());
  });
  afterAll(() => session.cleanup());

  const ask = (question: HistoryQuestion, source: HistorySource): Record<string, unknown>[] =>
    session
      .query(historySql(question, 'clickhouse', source), 'JSONEachRow')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));

  test('gives the percentiles of merged rows, by group and time, from files and from a table', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(recorded, { minLength: 1, maxLength: 4 }),
        fc.constantFrom([], ['route'], ['method', 'absent']),
        fc.constantFrom(undefined, INTERVAL_MS),
        async (all, by, everyMs) => {
          const rows = await rowsOf(all);
          if (rows.length === 0) return;
          const folder = newDirectory();
          await writeRows(folder, rows);
          await writeRows(folder, rows.slice(0, 2));
          session.query('CREATE DATABASE IF NOT EXISTS tests');
          session.query('DROP TABLE IF EXISTS tests.history');
          session.query(historyTableSql('clickhouse', ['tests', 'history']));
          session.query(`INSERT INTO tests.history SELECT * FROM file('${folder}/*/*.parquet', 'Parquet')`);
          const question = { metric: 'lat', percentiles: PERCENTILES, by, ...(everyMs && { everyMs }) };
          const groups = groupedBy(rows, ({ attributes, startMs }) =>
            JSON.stringify([
              ...by.map((key) => attributes[key] ?? null),
              everyMs ? startMs - (startMs % everyMs) : null,
            ]),
          );
          for (const source of [{ folder }, { table: ['tests', 'history'] }]) {
            const answer = ask(question, source);
            expect(answer.length).toBe(groups.size);
            for (const group of answer) {
              const start = group.start_ms === null ? null : Number(group.start_ms);
              const key = JSON.stringify([...by.map((_, i) => group[`group${i + 1}`]), start]);
              const merged = mergeRows(groups.get(key)!);
              expect([Number(group.count), group.min, group.max, group.bits]).toEqual([
                merged.count,
                merged.min,
                merged.max,
                merged.bits,
              ]);
              for (const { percentile, lower, upper } of percentilesOf(merged, PERCENTILES)) {
                const name = `p${percentile}`.replace('.', '_');
                expect([group[`${name}_lower`], group[`${name}_upper`]]).toEqual([lower, upper]);
              }
            }
          }
        },
      ),
      { numRuns: 15 },
    );
  });

  test('finds a metric and its attributes whatever their characters are', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyText, anyText, async (metric, key, value) => {
        const [row] = await rowsOf([{ significantDigits: 2, attributes: {}, intervals: [[1, 2, 3]] }]);
        const attributes = Object.fromEntries([[key, value]]);
        const folder = newDirectory();
        await writeRows(folder, [
          { ...row!, metric, attributes },
          { ...row!, metric: `${metric}x`, attributes, producer: 'another metric' },
          { ...row!, metric, producer: 'without' },
        ]);
        const answer = ask({ metric, by: [key], where: attributes }, { folder });
        expect(answer.map(({ group1, count }) => [group1, Number(count)])).toEqual([[value, 3]]);
        expect(ask({ metric }, { folder }).map(({ count }) => Number(count))).toEqual([6]);
      }),
      { numRuns: 40 },
    );
  });
});
