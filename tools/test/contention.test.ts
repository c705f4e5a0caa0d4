import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { measure } from '../contention/measure.js';
import { ourPrograms } from '../contention/programs.js';
import { costTable, rateTable } from '../contention/table.js';
import { workspaceRoot } from '../lib/workspace.js';

const folder = mkdtempSync(join(tmpdir(), 'hdrscope-'));

afterAll(() => rmSync(folder, { recursive: true }));

/** Our program with the sources of this workspace, which need no build then. */
async function bundled(): Promise<string> {
  await build({
    absWorkingDir: workspaceRoot,
    entryPoints: ['tools/contention/ours.js', 'tools/contention/writer.js'],
    outdir: folder,
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['@hdrscope/source'],
  });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  return join(folder, 'ours.js');
}

/** A program that answers each sample with these counts, for values whose sum is `checksum`. */
function answering(
  records: number[],
  counted: number,
  checksum = 7,
): { name: string; command: () => [string, ...string[]] } {
  const answer = { records, busyNs: records, wallNs: 1000, counted, checksum, runtime: 'test' };
  const code = `
    console.log('{"ready":true}');
    process.stdin.on('data', () => console.log('${JSON.stringify(answer)}'));
  `;
  return { name: `counted ${counted} of ${checksum}`, command: () => [process.execPath, '-e', code] };
}

const BRIEF = { sampleMs: 200, warmUpMs: 50, rounds: 1 };

test('two threads lose no record in a shared histogram, nor in a histogram for each', async () => {
  // It throws when a count is missing.
  const results = await measure(ourPrograms(await bundled()), 2, BRIEF);

  expect(results.map(({ name }) => name)).toEqual([
    'hdrscope, a histogram for each worker',
    'hdrscope, one shared histogram',
  ]);
  for (const { writers, rates, costs } of results) {
    expect([writers, rates.length, costs.length]).toEqual([2, 1, 1]);
    expect(Math.min(...rates, ...costs)).toBeGreaterThan(0);
  }
});

test('a lost record, a missing writer and other values are errors', async () => {
  const only = { ...BRIEF, rounds: 0 };
  await expect(measure([answering([10, 10], 19)], 2, only)).rejects.toThrow(
    'must count the 20 values that were recorded, got 19',
  );
  await expect(measure([answering([10], 10)], 2, only)).rejects.toThrow('must have 2 writers, got 1');
  await expect(measure([answering([1], 1, 7), answering([1], 1, 8)], 1, only)).rejects.toThrow(
    'must record the same values',
  );
  await expect(measure([answering([1], 1)], 1, only)).resolves.toHaveLength(1);
});

test('the tables have a row for each program, and a column for each number of writers', () => {
  const results = [
    { name: 'a', writers: 1, runtime: '', rates: [3, 1, 2], costs: [500, 1000, 334] },
    { name: 'a', writers: 2, runtime: '', rates: [123.4], costs: [8.123] },
    { name: 'b', writers: 2, runtime: '', rates: [4], costs: [250] },
  ];
  expect(rateTable(results)).toBe(
    [
      '| million records a second, all writers together | 1 writer | 2 writers |',
      '| --- | --: | --: |',
      '| a | **2.00** (1.00..3.00) | **123** (123..123) |',
      '| b |  | **4.00** (4.00..4.00) |',
    ].join('\n'),
  );
  expect(costTable(results).split('\n').slice(2)).toEqual(['| a | 500 | 8.12 |', '| b |  | 250 |']);
});
