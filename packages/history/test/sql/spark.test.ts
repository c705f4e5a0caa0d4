import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { describeWithPeers, programOf } from '@hdrscope/testing';
import fc from 'fast-check';
import { type HistoryQuestion, historySql } from '../../src/index.ts';
import { writeRows } from '../support/folder.ts';
import { expectMergedPercentiles } from '../support/merged-percentiles.ts';
import { anyText, rowsOf } from '../support/recorded.ts';
import { newDirectory } from '../support/sandbox.ts';
import { expectAllShapes } from '../support/shaped-rows.ts';

describeWithPeers(['spark'])('Spark', () => {
  let spark: ChildProcessWithoutNullStreams;
  let lines: Interface;
  beforeAll(() => {
    // Spark makes a folder where it runs.
    spark = spawn(programOf('spark'), { cwd: newDirectory() });
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

  test('gives the percentiles of merged rows, by group and time', async () => {
    await expectMergedPercentiles(6, async (lists) => {
      const folder = newDirectory();
      for (const rows of lists) await writeRows(folder, rows);
      return [(question) => ask(question, folder)];
    });
  }, 300_000);

  test('reads files of all encodings', async () => {
    await expectAllShapes(ask);
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
