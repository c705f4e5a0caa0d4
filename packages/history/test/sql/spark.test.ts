import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { describeWithPeers, programOf } from '@hdrscope/testing';
import fc from 'fast-check';
import { type HistoryQuestion, historySql, mergeRows, percentilesOf } from '../../src/index.ts';
import { writeRows } from '../support/folder.ts';
import { anyText, groupedBy, INTERVAL_MS, recorded, rowsOf } from '../support/recorded.ts';
import { newDirectory } from '../support/sandbox.ts';

const PERCENTILES = [0, 50, 99.9, 100];

describeWithPeers(['spark'])('Spark', () => {
  let spark: ChildProcessWithoutNullStreams;
  let lines: Interface;
  beforeAll(() => {
    spark = spawn(programOf('spark'));
    spark.stderr.resume();
    lines = createInterface({ input: spark.stdout });
  });
  afterAll(async () => {
    const ended = once(spark, 'exit');
    spark.stdin.end();
    await ended;
    // The virtual machine of Java may hold them a little longer.
    lines.close();
    spark.stdout.destroy();
    spark.stderr.destroy();
  });

  const ask = async (question: HistoryQuestion, folder: string): Promise<Record<string, unknown>[]> => {
    const answer = once(lines, 'line');
    spark.stdin.write(`${JSON.stringify(historySql(question, 'spark', { folder }))}\n`);
    const rows = JSON.parse((await answer)[0]);
    if (!Array.isArray(rows)) throw new Error(rows.error);
    return rows;
  };

  test('gives the percentiles of merged rows, by group and time, whatever the digits are', async () => {
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
          const question = { metric: 'lat', percentiles: PERCENTILES, by, ...(everyMs && { everyMs }) };
          const groups = groupedBy(rows, ({ attributes, startMs }) =>
            JSON.stringify([
              ...by.map((key) => attributes[key] ?? null),
              everyMs ? startMs - (startMs % everyMs) : null,
            ]),
          );
          const answer = await ask(question, folder);
          expect(answer.length).toBe(groups.size);
          for (const group of answer) {
            const key = JSON.stringify([...by.map((_, i) => group[`group${i + 1}`]), group.start_ms]);
            const merged = mergeRows(groups.get(key)!);
            expect([group.count, group.min, group.max, group.bits]).toEqual([
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
        },
      ),
      { numRuns: 6 },
    );
  }, 300_000);

  test('finds a metric and its attributes whatever their characters are', async () => {
    const text = fc.oneof(
      anyText,
      fc.constantFrom('$' + '{x}', '$' + '{spark.app.name}', '\\$', '\\u0041', '\\%', '\\_'),
    );
    await fc.assert(
      fc.asyncProperty(text, text, text, async (metric, key, value) => {
        const [row] = await rowsOf([{ significantDigits: 2, attributes: {}, intervals: [[1, 2, 3]] }]);
        const attributes = Object.fromEntries([[key, value]]);
        const folder = newDirectory();
        await writeRows(folder, [
          { ...row!, metric, attributes },
          { ...row!, metric: `${metric}x`, attributes, producer: 'another metric' },
          { ...row!, metric, producer: 'without' },
        ]);
        const answer = await ask({ metric, percentiles: [50], by: [key], where: attributes }, folder);
        expect(answer.map(({ group1, count }) => [group1, count])).toEqual([[value, 3]]);
      }),
      { numRuns: 10 },
    );
  }, 300_000);
});
